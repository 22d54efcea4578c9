/**
 * Checks a control document as a whole, before the first sample is played: either every verb can run, or nothing does
 * and all that is wrong is reported at once. What an application may spell differently is brought into one form here,
 * so a verb never checks a parameter again.
 */
import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import { parseForeignJson } from '../../drivers/foreign-json.ts'
import { named } from '../schema/named.ts'
import { nearest } from '../base/spelling.ts'
import { clip, kindOf, pointerPart, readParameter } from './parameters.ts'
import type { DocumentContext, DocumentVerb, Problem, Report, VerbDefinition } from './verb.ts'
import { verbs as table } from './verbs/index.ts'
import { quoted } from '../base/for-log.ts'

export const maxDocumentBytes = 64 * 1024
export const maxDocumentVerbs = 100

export type ParsedDocument =
  | { readonly ok: true; readonly verbs: readonly DocumentVerb[]; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] }

/** Schema of a document, folded from the table of verbs. */
export const controlDocumentSchema: TSchema = Type.Array(
  Type.Union([...table.values()].map((verb) => named(`${verb.name[0]!.toUpperCase()}${verb.name.slice(1)}Verb`, verbSchema(verb)))),
  {
    $id: 'ControlDocument',
    maxItems: maxDocumentVerbs,
    description: 'Verbs, run in order; each an object with one key, the name of the verb.',
  },
)

/** What requests with a document are described by: their own schemas leave its verbs to `parseDocument`. */
export const documentSchemas: Readonly<Record<string, TSchema>> = {
  ControlDocument: controlDocumentSchema,
  ValidateRequest: Type.Union([controlDocumentSchema, Type.Object({ document: controlDocumentSchema })], {
    description: 'The document itself, or an object with it as a member.',
  }),
}

function verbSchema({ name, parameters, summary }: VerbDefinition): TObject {
  return Type.Object({ [name]: parameters }, { additionalProperties: false, description: summary })
}

/** Bytes and strings are JSON text; anything else is a document that was parsed already. */
export function parseDocument(input: unknown, context: DocumentContext): ParsedDocument {
  const errors: Problem[] = []
  const warnings: Problem[] = []
  const report: Report = {
    error: (path, message) => errors.push({ path, message }),
    warn: (path, message) => warnings.push({ path, message }),
  }
  const items = readArray(input, report)
  const verbs = items ? readVerbs(items, context, report) : []
  return errors.length > 0 ? { ok: false, errors, warnings } : { ok: true, verbs, warnings }
}

function readArray(input: unknown, report: Report): readonly unknown[] | undefined {
  const document = typeof input === 'string' || input instanceof Uint8Array ? readJson(input, report) : measured(input, report)
  if (document === undefined) return undefined
  if (!Array.isArray(document)) {
    report.error('', `a control document is an array of verbs, not ${kindOf(document)}`)
    return undefined
  }
  if (document.length > maxDocumentVerbs) {
    report.error('', `the document has ${document.length} verbs; at most ${maxDocumentVerbs} are allowed`)
    return undefined
  }
  return document
}

function readJson(input: string | Uint8Array, report: Report): unknown {
  const bytes = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength
  if (bytes > maxDocumentBytes) return void report.error('', tooLarge(bytes))
  // TextDecoder takes a byte order mark away, which many templates write and JSON.parse refuses.
  const text = typeof input === 'string' ? input.replace(/^\uFEFF/, '') : new TextDecoder().decode(input)
  try {
    return parseForeignJson(Buffer.from(text))
  } catch (error) {
    return void report.error('', `the document is not JSON: ${clip((error as Error).message)}`)
  }
}

function measured(document: unknown, report: Report): unknown {
  let bytes: number
  try {
    bytes = Buffer.byteLength(JSON.stringify(document) ?? '')
  } catch {
    return void report.error('', 'the document is nested too deeply')
  }
  if (bytes > maxDocumentBytes) return void report.error('', tooLarge(bytes))
  return document ?? null
}

function tooLarge(bytes: number): string {
  return `the document has ${bytes} bytes; at most ${maxDocumentBytes} are allowed`
}

function readVerbs(items: readonly unknown[], context: DocumentContext, report: Report): DocumentVerb[] {
  const verbs: DocumentVerb[] = []
  let end: string | undefined
  for (const [index, item] of items.entries()) {
    if (end !== undefined) {
      report.warn(`/${index}`, `is ignored: nothing may follow ${end}`)
      continue
    }
    const entry = readEntry(item, `/${index}`, context, report)
    if (!entry) continue
    if (entry.verb.ends) end = entry.verb.name
    const params = readParameters(entry.verb, entry.raw, `/${index}/${entry.verb.name}`, context, report)
    if (params) verbs.push({ name: entry.verb.name, params })
  }
  return verbs
}

function readEntry(
  item: unknown,
  path: string,
  context: DocumentContext,
  report: Report,
): { verb: VerbDefinition; raw: Record<string, unknown> } | undefined {
  if (!isObject(item)) return void report.error(path, `must be an object with one key, the name of the verb, not ${kindOf(item)}`)
  const keys = Object.keys(item)
  const name = keys[0]
  if (name === undefined || keys.length > 1) {
    const seen = keys.length > 1 ? `; it has ${keys.length}: ${quoted(clip(keys.join(', ')))}` : ''
    return void report.error(path, `must have exactly one key, the name of the verb, such as say${seen}`)
  }
  const verb = table.get(name)
  if (!verb) {
    const near = nearest(name, table.keys())
    return void report.error(
      `${path}/${pointerPart(name)}`,
      `there is no verb ${quoted(clip(name))}${near ? `; did you mean ${near}?` : ''}`,
    )
  }
  const raw = item[name] ?? {}
  if (!isObject(raw)) return void report.error(`${path}/${name}`, `the parameters of ${name} must be an object, not ${kindOf(raw)}`)
  return { verb, raw }
}

function readParameters(
  verb: VerbDefinition,
  raw: Record<string, unknown>,
  path: string,
  context: DocumentContext,
  report: Report,
): Record<string, unknown> | undefined {
  let failed = false
  const here: Report = {
    error: (at, message) => {
      failed = true
      report.error(path + at, message)
    },
    warn: (at, message) => report.warn(path + at, message),
  }
  const { properties } = verb.parameters
  for (const name of Object.keys(raw)) if (!Object.hasOwn(properties, name)) warnUnknown(verb.parameters, name, here)
  const given = verb.coerce?.(raw, here) ?? raw
  const params: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const present = Object.hasOwn(given, name) && given[name] !== null && given[name] !== undefined
    const value = present ? readParameter(schema, given[name], `/${name}`, here) : (schema.default as unknown)
    if (value !== undefined) params[name] = value
    else if (!present && verb.parameters.required?.includes(name)) here.error(`/${name}`, `${verb.name} needs ${name}`)
  }
  if (!failed) verb.check?.(params as never, context, here)
  return failed ? undefined : params
}

function warnUnknown(schema: TObject, name: string, report: Report): void {
  const near = nearest(name, Object.keys(schema.properties))
  report.warn(`/${pointerPart(name)}`, `is ignored: there is no such parameter${near ? `; did you mean ${near}?` : ''}`)
}

/** A pointer into a document, with `*` for keys that are no verbs and no parameters: they may be anybody's words. */
export function knownPath(path: string): string {
  const verb = table.get(path.split('/')[2] ?? '')
  const known = (part: string): boolean =>
    part === '' || /^\d{1,3}$/.test(part) || part === verb?.name || Object.hasOwn(verb?.parameters.properties ?? {}, part)
  return path
    .split('/')
    .map((part) => (known(part) ? part : '*'))
    .join('/')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
