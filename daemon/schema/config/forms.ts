/** The forms of values that several sections of the configuration share. */
import { Type, type TObject, type TProperties, type TSchema, type TString, type TUnsafe } from '@sinclair/typebox'

export { Choice } from '../choice.ts'

/** An object that refuses unknown keys and, where it is a section, may be left out because every key has a default. */
export function strict<P extends TProperties>(properties: P, description: string): TObject<P> {
  const optional = Object.values(properties).every(
    (property) => 'default' in property || property[Symbol.for('TypeBox.Optional') as never] === 'Optional',
  )
  return Type.Object(properties, { additionalProperties: false, description, ...(optional ? { default: {} } : {}) })
}

export function Id(description: string): TString {
  return Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$', description })
}

export function NumberText(description: string): TString {
  return Type.String({ pattern: '^[+0-9][0-9 ().\\-/]{1,30}$', description })
}

/** Keyword by which the loader finds values that may be read from a file or a systemd credential. */
export const secretMark = 'x-secret'

/**
 * Keyword that says when a change of a key counts: after a `restart`, or `live`, while the daemon runs and no call is touched. It holds for
 * everything inside that does not say otherwise. Of the root it is `restart`.
 */
export const effectMark = 'x-takes-effect'
export type Effect = 'restart' | 'live'

export function live<S extends TSchema>(schema: S): S {
  return { ...schema, [effectMark]: 'live' satisfies Effect }
}

/** Of single keys in what is `live`. */
export function afterRestart<S extends TSchema>(schema: S): S {
  return { ...schema, [effectMark]: 'restart' satisfies Effect }
}

/** Written as text, `{ file: PATH }` or `{ credential: NAME }`; loaded as text. */
export function Secret(description: string, fallback?: string): TUnsafe<string> {
  return Type.Unsafe<string>({
    [secretMark]: true,
    description,
    anyOf: [
      { type: 'string' },
      { type: 'object', properties: { file: { type: 'string', minLength: 1 } }, required: ['file'], additionalProperties: false },
      {
        type: 'object',
        properties: { credential: { type: 'string', pattern: '^[A-Za-z0-9_.-]+$' } },
        required: ['credential'],
        additionalProperties: false,
      },
    ],
    ...(fallback === undefined ? {} : { default: fallback }),
  })
}

/** Keyword of secrets that sign: short ones are found by trying, off-line, from one message that was signed with them. */
export const signingMark = 'x-signing'
export const leastSigningCharacters = 24

/** A secret that both sides of an interface share and sign with; loaded as text of at least 24 characters. */
export function SigningSecret(description: string, fallback?: string): TUnsafe<string> {
  const text = `${description} At least ${leastSigningCharacters} characters: openssl rand -hex ${leastSigningCharacters}.`
  return Type.Unsafe<string>({ ...Secret(text, fallback), [signingMark]: true })
}

/** `host:port`, or `off`, which is loaded as null. */
export function Listen(description: string, fallback: string): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: 'string', default: fallback, description })
}

/** Splits `host:port` and `[v6]:port`; undefined where it is neither. Port 0 lets the system choose. */
export function parseListen(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text)
  if (match === null) return undefined
  const port = Number(match[3])
  return port > 65535 ? undefined : { host: (match[1] ?? match[2])!, port }
}
