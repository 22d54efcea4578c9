/**
 * A text of the network that says, without words, that something waits in the number's own mailbox there (3GPP TS 23.038, 4; TS 23.040,
 * 9.2.3.24.2; SMPP 3.4, 5.3.2.13). To a reader it would be an empty text of a number that nobody knows.
 */

export interface Waiting {
  /** 0 voicemail, 1 fax, 2 mail, 3 others. */
  readonly kind: number
  /** 0: nothing waits any more; null: how many is not said. */
  readonly count: number | null
}

/** Of a data coding scheme of the groups 1100 to 1110; null of any other. */
export function waitingByCoding(coding: number): Waiting | null {
  if (coding < 0xc0 || coding >= 0xf0) return null
  return { kind: coding & 3, count: (coding & 8) === 0 ? 0 : null }
}

/** What is shown with a text that has no words of its own; nothing where it has, or nothing waits. */
export function waitingBesides(body: string, waiting: Waiting | null): { readonly besides?: readonly [string] } {
  if (body !== '' || waiting === null) return {}
  const { kind, count } = waiting
  const one = ['voicemail message', 'fax', 'mail', 'message'][kind & 3]!
  if (count === 0) return { besides: [`the network says: no ${one} waits for this number any more`] }
  if (count === null || count === 1) return { besides: [`the network says: a ${one} waits for this number`] }
  return { besides: [`the network says: ${count} ${one.endsWith('x') ? `${one}es` : `${one}s`} wait for this number`] }
}
