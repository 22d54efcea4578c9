/** The GSM default alphabet with its extension (3GPP TS 23.038, 6.2.1), and the national languages of annex A; one septet a byte. */
import { lockingTable, singleTable, type CodeTable } from './gsm-national.ts'

const basic: CodeTable = [
  ...('@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'),
]
const escape = 0x1b
const extension = singleTable(0)!

const septets: ReadonlyMap<string, readonly number[]> = new Map([
  ...basic.map((character, code): [string, number[]] => [character!, [code]]).filter(([, [code]]) => code !== escape),
  ...extension.flatMap((character, code): [string, number[]][] => (character === undefined ? [] : [[character, [escape, code]]])),
])

export const fitsGsm = (text: string): boolean => [...text].every((character) => septets.has(character))

/** What the alphabet does not have becomes a question mark. */
export function encodeGsm(text: string): Buffer {
  return Buffer.from([...text].flatMap((character) => septets.get(character) ?? [0x3f]))
}

/** National language identifiers (23.038, 6.2.1.2.4); 0 for none. */
export interface Languages {
  readonly locking: number
  readonly single: number
}

export const alphabetNotKnown = '[alphabet not known]'

/** Letters of a language whose tables nobody knows here are those of the default alphabet, and that is said in front. */
export function decodeGsm(bytes: Uint8Array, languages: Languages = { locking: 0, single: 0 }): string {
  const letters = languages.locking === 0 ? basic : lockingTable(languages.locking, basic)
  const shifted = singleTable(languages.single)
  const table = letters ?? basic
  let text = ''
  let unknown = letters === undefined
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at]! & 0x7f
    if (code !== escape) text += table[code] ?? '\ufffd'
    // An escape before a code that the extension does not have is shown as the code alone (6.2.1.1); one at the end as a space.
    else if (++at >= bytes.length) text += ' '
    else {
      const next = bytes[at]! & 0x7f
      unknown ||= shifted === undefined
      text += next === escape ? ' ' : ((shifted ?? extension)[next] ?? table[next] ?? '\ufffd')
    }
  }
  return unknown ? `${alphabetNotKnown} ${text}` : text
}
