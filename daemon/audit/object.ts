/** What a row of the audit trail says of its object: ids. Whatever code passes it, nothing by which a patient could be known gets in. */
import { maskNumber } from '../base/log.ts'

const longest = 20_000
const foreign = '(not-an-id)'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Most objects: with a letter first it is no telephone number. */
const oneId = /^[A-Za-z][\w.:*/-]{0,99}$/
const day = /^\d{4}-\d{2}-\d{2}$/

/** Parameters of a path, which the client has chosen. */
export function objectOf(params: Readonly<Record<string, string>>): string {
  const values: string[] = []
  for (const name in params) values.push(/\s/.test(params[name]!) ? foreign : params[name]!)
  return values.join(' ')
}

/** Words are ids, days and masked numbers; what is none of them is left out. */
export function cleanObject(object: string): string {
  if (object === '' || oneId.test(object)) return object
  return object.slice(0, longest).split(' ').map(cleanWord).join(' ')
}

function cleanWord(word: string): string {
  if (uuid.test(word) || day.test(word)) return word
  if (/^[+\d().*#/-]*$/.test(word)) return word.replaceAll(/\D/g, '').length > 6 ? maskNumber(word) : word
  if (word === foreign) return word
  return /^[\w.:*/-]{1,100}$/.test(word) ? word : foreign
}
