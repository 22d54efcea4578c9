/** Replaces `{ file: PATH }` and `{ credential: NAME }` by the secret itself, and refuses secrets that are too short to sign with. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { leastSigningCharacters, secretMark, signingMark } from '../schema/config/forms.ts'
import { ConfigSchema } from '../schema/config.ts'
import type { ConfigFault } from './load.ts'
import type { ConfigSource } from './source.ts'

interface Shape {
  [secretMark]?: boolean
  [signingMark]?: boolean
  default?: unknown
  properties?: Record<string, Shape>
  items?: Shape
  /** Of lists whose items come in kinds. */
  allOf?: readonly { if: { properties: { kind: { const: string } } }; then: Shape }[]
}

/** Values whose pointers are in the set have their fault already, and get no second one. */
export function readSecrets(data: unknown, base: string, source: ConfigSource, told: ReadonlySet<string>, faults: ConfigFault[]): void {
  const visit = (shape: Shape, value: unknown, path: (string | number)[], put: (secret: string) => void): void => {
    if (shape[secretMark] === true) {
      const place = placeOf(value, base)
      if (place === undefined) {
        const fault = source.at(path, tooShort(shape, value) ?? '')
        if (fault.text !== '' && !told.has(fault.path)) faults.push(fault)
        return
      }
      if ('fault' in place) {
        faults.push(source.at(path, place.fault))
        return
      }
      const secret = read(place.file)
      if (typeof secret === 'object') faults.push(source.at(path, `the secret cannot be read from ${place.file}: ${secret.why}`))
      else if (secret === '') faults.push(source.at(path, `the file ${place.file} is empty`))
      else if (tooShort(shape, secret) !== undefined) faults.push(source.at(path, `${place.file}: ${tooShort(shape, secret)}`))
      else put(secret)
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => shape.items && visit(shape.items, item, [...path, index], () => {}))
    } else if (value !== null && typeof value === 'object') {
      const tree = value as Record<string, unknown>
      const ofKind = shape.allOf?.find((choice) => choice.if.properties.kind.const === tree.kind)
      for (const [key, inner] of Object.entries((ofKind?.then ?? shape).properties ?? {})) {
        visit(inner, tree[key], [...path, key], (secret) => {
          tree[key] = secret
        })
      }
    }
  }
  visit(ConfigSchema as unknown as Shape, data, [], () => {})
}

/** What is wrong with a secret that signs; an empty one is well where the schema has it as its default. */
function tooShort(shape: Shape, secret: unknown): string | undefined {
  if (shape[signingMark] !== true || typeof secret !== 'string' || secret === shape.default) return undefined
  if (secret.length >= leastSigningCharacters) return undefined
  const length =
    secret === '' ? 'the secret is empty' : `a secret of ${secret.length} character${secret.length === 1 ? '' : 's'} is easy to guess`
  return `${length}; write at least ${leastSigningCharacters}, for example from: openssl rand -hex ${leastSigningCharacters}`
}

function placeOf(value: unknown, base: string): { file: string } | { fault: string } | undefined {
  if (value === null || typeof value !== 'object') return undefined
  const { file, credential } = value as { file?: unknown; credential?: unknown }
  if (typeof file === 'string') return { file: resolve(base, file) }
  if (typeof credential !== 'string') return undefined
  const directory = process.env.CREDENTIALS_DIRECTORY
  if (directory === undefined) {
    return {
      fault: `the credential "${credential}" exists only if systemd starts the program with LoadCredential=; write { file: PATH } instead`,
    }
  }
  return { file: join(directory, credential) }
}

/** The text, or why it cannot be had. */
function read(file: string): string | { readonly why: string } {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { why: 'the file does not exist' }
    return { why: code === 'EACCES' ? 'this user may not read it' : message }
  }
}
