/** What leaves the box for a supporter: copies without secrets, and without what names a patient. */
import { forLog } from '../for-log.ts'
import { secretMark } from '../schema/config-forms.ts'
import { ConfigSchema } from '../schema/config.ts'

const removed = '(removed)'
/** A range of them, which as a text looks like the number of a telephone. */
const ports = /^\s*\d{4,5}\s*-\s*\d{4,5}\s*$/
const telling = /pass|secret|token|pin$|sha256|credential/i

interface Shape {
  readonly [secretMark]?: boolean
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly { readonly then: Shape }[]
}

/** All keys whose values are secrets somewhere, and what sounds like one: a file need not be good to be shown. */
function isSecret(key: string): boolean {
  secretKeys ??= new Set(namesOf(ConfigSchema as unknown as Shape))
  return secretKeys.has(key) || telling.test(key)
}

let secretKeys: Set<string> | undefined

function namesOf(shape: Shape): string[] {
  const inner = [shape.items, ...(shape.anyOf ?? []), ...(shape.allOf ?? []).map(({ then }) => then)].flatMap((one) =>
    one === undefined ? [] : namesOf(one),
  )
  const members = Object.entries(shape.properties ?? {}).flatMap(([name, value]) => (value[secretMark] === true ? [name] : namesOf(value)))
  return [...inner, ...members]
}

/** Texts as the log has them, of any length of lists. Numbers of telephones that YAML made numbers of are such texts. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return forLog(value)
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item)]))
}

/** A configuration as it was parsed. People's names are no help to anybody; what says where a secret lies is. */
export function maskedConfig(value: unknown): unknown {
  if (typeof value === 'number' && Math.abs(value) >= 1e6) return forLog(String(value))
  if (Array.isArray(value)) return value.map(maskedConfig)
  if (typeof value !== 'object' || value === null) return masked(value)
  const tree = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(tree).map(([key, item]) => {
      if (typeof item !== 'object' && (isSecret(key) || key === 'name' || key === 'label')) return [key, removed]
      if (/ports$/i.test(key) && typeof item === 'string' && ports.test(item)) return [key, item]
      return [isSecret(key) ? key : forLog(key), maskedConfig(item)]
    }),
  )
}

/** Members of a line of the log whose values are the program's own words. */
export function maskedLine(line: string): string {
  try {
    const read: unknown = JSON.parse(line)
    if (typeof read === 'object' && read !== null) return JSON.stringify(masked(read))
  } catch {
    // A stack, or what another program said.
  }
  return forLog(line)
}
