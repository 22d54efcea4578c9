/**
 * The text of a delivery receipt. Appendix B of SMPP 3.4 gives one example, and services write it otherwise: fields in another order, left out,
 * in other case, with spaces or `=`, states spelt out or cut.
 */

export interface ReceiptText {
  /** '' where it names none. */
  readonly id: string
  /** message_state (5.2.28); undefined where the word is none. */
  readonly state: number | undefined
  /** '' for none. */
  readonly error: string
}

const name =
  /(?<![\p{L}\d])(id|(?:msg|message|sms)[ _-]?id|sub|dlvrd|submit[ _-]?date|done[ _-]?date|stat(?:us|e)?|err(?:or)?(?:[ _-]?code)?|text)["']?\s*[:=]/giu
/** No receipt is longer. */
const longest = 2000

/** By the first five letters. The words of SMPP 3.4 and 5.0 (4.7.15), and what services write in their place. */
const words: Readonly<Record<string, number>> = {
  ENROU: 1,
  SCHED: 1,
  BUFFE: 1,
  PENDI: 1,
  QUEUE: 1,
  DELIV: 2,
  EXPIR: 3,
  DELET: 4,
  UNDEL: 5,
  FAILE: 5,
  ACCEP: 6,
  UNKNO: 7,
  REJEC: 8,
  SKIPP: 8,
  SENT: 6,
  SUBMI: 6,
  ACKED: 6,
  DLVRD: 2,
  READ: 2,
  SEEN: 2,
  CANCE: 4,
  FAIL: 5,
  ERROR: 5,
  NOROU: 5,
  BLOCK: 8,
  BARRE: 8,
}

/** Null where it names neither a message nor a state. */
export function readReceiptText(text: string): ReceiptText | null {
  const fields = fieldsOf(text.slice(0, longest))
  const id = tokenOf(fields.get('id'))
  const state = stateOf(tokenOf(fields.get('stat')))
  if (id === '' && state === undefined) return null
  const error = tokenOf(fields.get('err'))
  return { id, state, error: /^(?:0x)?0*$/i.test(error) ? '' : error }
}

/** The first of each name: words of the text itself, which is quoted behind the others, may look like fields. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(name)].map((match) => ({
    field: match[1]!.toLowerCase(),
    at: match.index,
    end: match.index + match[0].length,
  }))
  const fields = new Map<string, string>()
  found.forEach(({ field: written, end }, index) => {
    const field = /id$/.test(written) ? 'id' : /^stat/.test(written) ? 'stat' : /^err/.test(written) ? 'err' : written
    const value = text.slice(end, found[index + 1]?.at).trim()
    if ((fields.get(field) ?? '') === '') fields.set(field, value)
  })
  return fields
}

const tokenOf = (value: string | undefined): string => /^["'\s]*([^\s,;|"']+)/.exec(value ?? '')?.[1] ?? ''

function stateOf(word: string): number | undefined {
  if (/^0{0,2}[1-8]$/.test(word)) return Number(word)
  return words[
    word
      .replaceAll(/[^A-Za-z]/g, '')
      .toUpperCase()
      .slice(0, 5)
  ]
}
