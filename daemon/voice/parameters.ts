/**
 * Reads the value of one verb parameter by its schema, with the leniency that applications rely on: numbers written as
 * text are taken, numbers out of range are moved to the limit, switches written as text are taken with a warning. What
 * cannot be read as its type is an error.
 */
import { Kind, type TArray, type TRecord, type TSchema, type TUnion } from '@sinclair/typebox'
import type { Report } from './verb.ts'

/** Returns undefined after an error, and where the value counts as absent. */
export function readParameter(schema: TSchema, raw: unknown, path: string, report: Report): unknown {
  switch (schema[Kind]) {
    case 'String':
      return readText(schema, raw, path, report)
    case 'Integer':
    case 'Number':
      return readNumber(schema, raw, path, report)
    case 'Boolean':
      return readSwitch(raw, path, report)
    case 'Union':
      return readChoice((schema as TUnion).anyOf, raw, path, report)
    case 'Literal':
      return readChoice([schema], raw, path, report)
    case 'Array':
      return readList(schema as TArray, raw, path, report)
    case 'Record':
      return readMap(schema as TRecord, raw, path, report)
    default:
      throw new Error(`a verb parameter cannot be of the kind ${String(schema[Kind])}`)
  }
}

function readText(schema: TSchema, raw: unknown, path: string, report: Report): string | undefined {
  if (typeof raw === 'number') report.warn(path, 'should be a text; put it in quotes')
  else if (typeof raw !== 'string') return refuse(report, path, `must be a text, not ${kindOf(raw)}`)
  const text = String(raw)
  if (text.length > (schema.maxLength ?? Infinity))
    return refuse(report, path, `has ${text.length} characters; at most ${schema.maxLength} are allowed`)
  if (text.length < (schema.minLength ?? 0)) return refuse(report, path, 'must not be empty')
  if (schema.format === 'uri' && !URL.canParse(text))
    return refuse(report, path, `must be an absolute URL, such as ${exampleUrl(schema)}; "${clip(text)}" is not`)
  if (schema.pattern && !pattern(schema.pattern).test(text)) {
    const wanted = schema.format === 'uri' ? `an absolute URL, such as ${exampleUrl(schema)}` : (schema.description ?? schema.pattern)
    return refuse(report, path, `"${clip(text)}" is not allowed here; write ${wanted}`)
  }
  return text
}

function readNumber(schema: TSchema, raw: unknown, path: string, report: Report): number | undefined {
  const given = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw
  if (typeof given !== 'number' || !Number.isFinite(given))
    return refuse(report, path, `must be a number, not ${typeof raw === 'string' ? `"${clip(raw)}"` : kindOf(raw)}`)
  const whole = schema[Kind] === 'Integer' ? Math.round(given) : given
  if (whole !== given) report.warn(path, `must be a whole number; ${whole} is used instead of ${given}`)
  const value = Math.min(Math.max(whole, schema.minimum ?? -Infinity), schema.maximum ?? Infinity)
  if (value !== whole) report.warn(path, `must lie between ${schema.minimum} and ${schema.maximum}; ${value} is used instead of ${whole}`)
  return value
}

function readSwitch(raw: unknown, path: string, report: Report): boolean | undefined {
  if (typeof raw === 'boolean') return raw
  const text = typeof raw === 'string' ? raw.trim().toLowerCase() : ''
  if (text !== 'true' && text !== 'false') return refuse(report, path, `must be true or false, not ${kindOf(raw)}`)
  report.warn(path, `should be ${text} without quotes`)
  return text === 'true'
}

function readChoice(options: readonly TSchema[], raw: unknown, path: string, report: Report): unknown {
  const values = options.filter((option) => option[Kind] === 'Literal').map((option): unknown => option.const)
  if (values.includes(raw)) return raw
  const text = typeof raw === 'string' ? raw.trim().toLowerCase() : undefined
  if (text !== undefined && values.includes(text)) return text
  if (options.some((option) => option[Kind] === 'Boolean') && (typeof raw === 'boolean' || text === 'true' || text === 'false'))
    return readSwitch(raw, path, report)
  return refuse(report, path, `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`)
}

/** A list of hints is an aid, not the request itself: too many or too long ones are left out. */
function readList(schema: TArray, raw: unknown, path: string, report: Report): unknown[] | undefined {
  const items: unknown = typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw
  if (!Array.isArray(items)) return refuse(report, path, `must be a list, not ${kindOf(raw)}`)
  if (items !== raw) report.warn(path, 'should be a list; the text was split at its commas')
  const most = schema.maxItems ?? Infinity
  if (items.length > most) report.warn(path, `has ${items.length} entries; only the first ${most} are used`)
  const values: unknown[] = []
  for (const [index, item] of items.slice(0, most).entries()) {
    if (typeof item === 'string' && item.length > (schema.items.maxLength ?? Infinity))
      report.warn(`${path}/${index}`, `is left out: it has more than ${schema.items.maxLength} characters`)
    else values.push(readParameter(schema.items, item, `${path}/${index}`, report))
  }
  return values
}

function readMap(schema: TRecord, raw: unknown, path: string, report: Report): Record<string, unknown> | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return refuse(report, path, `must be an object, not ${kindOf(raw)}`)
  const entries = Object.entries(raw)
  if (entries.length > (schema.maxProperties ?? Infinity))
    return refuse(report, path, `has ${entries.length} entries; at most ${schema.maxProperties} are allowed`)
  const values = Object.values(schema.patternProperties)[0] as TSchema
  return Object.fromEntries(entries.map(([key, value]) => [key, readParameter(values, value, `${path}/${pointerPart(key)}`, report)]))
}

function refuse(report: Report, path: string, message: string): undefined {
  report.error(path, message)
  return undefined
}

const patterns = new Map<string, RegExp>()
function pattern(source: string): RegExp {
  let compiled = patterns.get(source)
  if (!compiled) patterns.set(source, (compiled = new RegExp(source)))
  return compiled
}

function exampleUrl(schema: TSchema): string {
  return schema.pattern?.includes('wW') ? 'wss://host/path' : 'https://host/path'
}

/** JSON pointer escape (RFC 6901 section 3). */
export function pointerPart(key: string): string {
  return clip(key).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Names from outside are quoted in messages: not at any length, and without quotes of their own, so that what is quoted can be masked. */
export function clip(text: string): string {
  const plain = text.replaceAll('"', "'")
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  const names: Record<string, string> = { object: 'an object', string: 'a text', number: 'a number', boolean: 'true or false' }
  return names[typeof value] ?? typeof value
}
