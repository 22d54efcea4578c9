/** Holds the data against the schema, fills in defaults, and says in plain words what does not fit. */
import { type ErrorObject, Ajv, type Options, type ValidateFunction } from 'ajv'
import { secretMark, effectMark, signingMark } from '../schema/config/forms.ts'
import type { ConfigFault } from './load.ts'
import type { ConfigSource, Path } from './source.ts'
import { nearest } from '../base/spelling.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { code as program } from '../../drivers/code.ts'
import { ConfigSchema } from '../schema/config.ts'

// The check of the configuration's schema. Compiling it would cost a start a third of its time. Where the program ships, scripts/bundle.mjs
// has compiled it and put the code next to the daemon; where the sources run, it is compiled here.

/** Of the code in CommonJS, in the folder of the compiled daemon. */
export const checkFile = 'config-check.cjs.gz'

/** It is a megabyte of source and more of code, for a start and a `pbx config check`: kept until memory is collected. */
let compiled: WeakRef<ValidateFunction> | undefined

function checkOfConfig(): ValidateFunction {
  const known = compiled?.deref()
  if (known !== undefined) return known
  const check = compiledAhead() ?? compileCheck().check
  compiled = new WeakRef(check)
  return check
}

export function compileCheck(code: Options['code'] = {}): { readonly ajv: Ajv; readonly check: ValidateFunction } {
  const keywords = [secretMark, signingMark, effectMark]
  const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true, allowUnionTypes: true, keywords, code })
  return { ajv, check: ajv.compile(ConfigSchema) }
}

/** Undefined where the sources run. */
function compiledAhead(): ValidateFunction | undefined {
  const file = join(program, 'daemon', checkFile)
  return existsSync(file) ? loadCheck(file) : undefined
}

export function loadCheck(file: string): ValidateFunction {
  const module = { exports: {} }
  compileFunction(gunzipSync(readFileSync(file)).toString(), ['module', 'exports'], { filename: file })(module, module.exports)
  return module.exports as unknown as ValidateFunction
}

/** What `validate` found, for the checks that follow it. */
export interface Validated {
  /** Top-level sections in which a list or a group of keys is something else: they cannot be looked into. */
  broken: Set<string>
  /** Pointers of values that have their fault already. */
  told: Set<string>
}

/**
 * Adds a fault for everything that does not fit. Single values of the wrong kind are replaced by text, so that the
 * rest of their section can still be checked.
 */
export function validate(data: Record<string, unknown>, source: ConfigSource, faults: ConfigFault[]): Validated {
  const broken = new Set<string>()
  const told = new Set<string>()
  const check = checkOfConfig()
  if (check(data)) return { broken, told }
  for (const error of check.errors ?? []) {
    // The fault inside the chosen kind is reported; that its kind has one need not be.
    if (insideSecret(error) || error.keyword === 'if') continue
    const path = pathOf(error.instancePath)
    const fault = explain(error, path, source)
    faults.push(fault)
    told.add(fault.path)
    const params = error.params as { type?: string; missingProperty?: string }
    if (params.missingProperty !== undefined) {
      told.add(`${fault.path}/${params.missingProperty}`)
      ;(error.data as Record<string, unknown>)[params.missingProperty] = ''
    } else if (error.keyword === 'type' && (params.type === 'object' || params.type === 'array')) {
      broken.add(String(path[0]))
    } else if (error.keyword === 'type' || error.keyword === 'anyOf') {
      replace(data, path, source.written(path) ?? '')
    }
  }
  return { broken, told }
}

function replace(data: Record<string, unknown>, path: Path, value: string): void {
  let place: unknown = data
  for (const part of path.slice(0, -1)) place = (place as Record<string | number, unknown>)[part]
  ;(place as Record<string | number, unknown>)[path.at(-1)!] = value
}

/** The three forms of a secret fail together; only their common fault is reported. */
function insideSecret(error: ErrorObject): boolean {
  return /\/anyOf\/\d+\//.test(error.schemaPath)
}

/** What does not fit a schema, at its place and in plain words. */
export function faultOf(error: ErrorObject, source: ConfigSource): ConfigFault {
  return explain(error, pathOf(error.instancePath), source)
}

function pathOf(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')))
}

interface Described {
  description?: string
  type?: string
  properties?: Record<string, Described>
}

function explain(error: ErrorObject, path: Path, source: ConfigSource): ConfigFault {
  const schema = error.parentSchema as Described
  const params = error.params as Record<string, unknown>
  const hint = schema.description === undefined ? '' : ` (${schema.description.replace(/\.$/, '')})`
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty)
      const known = Object.keys(schema.properties ?? {})
      const near = nearest(key, known)
      return source.atKey(
        [...path, key],
        `there is no key "${key}" here; ${near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`}`,
      )
    }
    case 'required': {
      const key = String(params.missingProperty)
      const about = schema.properties?.[key]?.description
      return source.at(path, `"${key}" is missing${about === undefined ? '' : `: ${about.replace(/\.$/, '')}`}`)
    }
    case 'type':
    case 'anyOf':
      return source.at(path, wrongType(error, path, source))
    case 'enum':
      return source.at(path, `write ${list(params.allowedValues as string[])}${instead(error.data, params.allowedValues as string[])}`)
    case 'minimum':
      return source.at(path, `${String(error.data)} is too small; the minimum is ${String(params.limit)}${hint}`)
    case 'maximum':
      return source.at(path, `${String(error.data)} is too large; the maximum is ${String(params.limit)}${hint}`)
    case 'minLength':
      return source.at(path, `the value is empty${hint}`)
    case 'maxLength':
      return source.at(path, `the value is longer than ${String(params.limit)} characters`)
    case 'pattern':
      // 9:00, where the form is that of 09:00.
      if (new RegExp(String(params.pattern)).test(`0${String(error.data)}`) && /^\d:\d\d$/.test(String(error.data)))
        return source.at(path, `write "0${String(error.data)}"${hint}`)
      return source.at(path, `"${String(error.data)}" does not have the right form${hint}`)
    case 'uniqueItems':
      return source.at(path, 'the list has a duplicate entry')
    case 'minItems':
      return source.at(path, 'the list is empty')
    default:
      return source.at(path, `the value is not valid: ${error.message ?? error.keyword}`)
  }
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'keys and values',
  array: 'a list: each entry on its own line with "- " in front, or [a, b]',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
}

/** A value that may have several forms and has none of them. */
function wrongForm(schema: Described & { anyOf?: readonly Described[]; [secretMark]?: true }): string {
  if (schema[secretMark]) return 'write the secret as text, as { file: PATH } or as { credential: NAME }'
  const forms = (schema.anyOf ?? []).map(({ type, description = '', properties }) =>
    properties ? `{ ${Object.keys(properties).join(', ')} }` : type === 'string' ? `text (${description.replace(/\.$/, '')})` : description,
  )
  return `write ${list(forms)}`
}

function wrongType(error: ErrorObject, path: Path, source: ConfigSource): string {
  const { data } = error
  const text = error.keyword === 'anyOf' || (error.params as { type?: string }).type === 'string'
  if (data === null) return `a value is missing after "${String(path.at(-1) ?? '')}:"; write one or remove the key`
  if (text && (typeof data === 'number' || typeof data === 'boolean')) {
    const written = source.written(path) ?? String(data)
    return `${written} was read as ${typeof data === 'number' ? 'a number' : 'true or false'}; put it in quotes: "${written}"`
  }
  if (error.keyword === 'anyOf') return wrongForm(error.parentSchema as Described & { [secretMark]?: true })
  const wanted = String((error.params as { type?: string }).type)
  if (typeof data === 'string' && (wanted === 'integer' || wanted === 'number') && /^\d+$/.test(data))
    return `write the number without quotes: ${data}`
  return `this must be ${typeNames[wanted] ?? wanted}`
}

function list(values: readonly string[]): string {
  return values.length === 1 ? `"${values[0]}"` : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

function instead(data: unknown, values: readonly string[]): string {
  const near = typeof data === 'string' ? nearest(data, values) : undefined
  return near === undefined ? '' : `; did you mean "${near}"?`
}
