/** Recovery keys: pairs of age. The public half (age1...) makes backups, the private one (AGE-SECRET-KEY-1...) opens them. */
import { hkdfSync } from 'node:crypto'
import { closeSync, existsSync, fstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { openNamed, writeFresh } from '../base/owner.ts'
import { BackupError, inWords } from './error.ts'

export interface KeyPair {
  readonly identity: string
  readonly recipient: string
}

/** X25519: every version of the age program reads what is made for it. */
export async function makeKeys(): Promise<KeyPair> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** Of a file as age-keygen writes it, or with the key alone. */
export function identitiesIn(text: string): string[] {
  const found = text.match(/AGE-SECRET-KEY-1[0-9A-Z]{58}/gi) ?? []
  if (found.length === 0)
    throw new BackupError('this is not a recovery key: a recovery key begins with AGE-SECRET-KEY-1 and was printed by "pbx backup key"')
  const keys = found.map((key) => key.toUpperCase())
  for (const key of keys) refuseMistyped(key)
  return keys
}

/** The library's own sentence would have the key in it, which is not for a screen. */
function refuseMistyped(key: string): void {
  try {
    new Decrypter().addIdentity(key)
  } catch {
    throw new BackupError('the recovery key has a typing error: compare it with your copy, group by group')
  }
}

export function readIdentities(file: string): string[] {
  try {
    return identitiesIn(textOf(file))
  } catch (error) {
    if (error instanceof BackupError) throw new BackupError(`${file}: ${error.message}`)
    throw new BackupError(`the key cannot be read: ${inWords(error)}`, { cause: error })
  }
}

function textOf(file: string): string {
  if (file === '-') return readFileSync(0, 'utf8')
  const handle = openNamed(file)
  try {
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

/**
 * The secret with which root of the box seals its backups, hexadecimal: worked out of the private half (HKDF, RFC 5869), which nobody can
 * work out of it. So the paper proves who made a backup, and the box can still open none.
 */
export function authorOf(identity: string): string {
  return Buffer.from(hkdfSync('sha256', identity, '', 'pbxd: who made a backup', 32)).toString('hex')
}

/** Next to the configuration: for root alone, so that the service cannot make backups in root's name. */
const authorFile = (configFile: string): string => join(dirname(configFile), 'backup.seal')

/** `recipient`: the public half that it belongs to. */
export function keepAuthor(configFile: string, { identity, recipient }: KeyPair): void {
  writeFresh(authorFile(configFile), `${recipient} ${authorOf(identity)}\n`, 0o600)
}

/** Where the configuration names the public half of one of these keys, root of this box can seal its backups from now on. */
export async function adoptAuthor(configFile: string, recoveryKey: unknown, identities: readonly string[]): Promise<void> {
  for (const identity of identities) {
    const recipient = await identityToRecipient(identity)
    if (recipient === recoveryKey) keepAuthor(configFile, { identity, recipient })
  }
}

/** Null where there is none for this key, or one that others could have read or written. */
export function readAuthor(configFile: string, recipient: string): string | null {
  const file = authorFile(configFile)
  if (!existsSync(file)) return null
  const handle = openNamed(file)
  try {
    const { uid, mode } = fstatSync(handle)
    const [of, author] = readFileSync(handle, 'utf8').trim().split(' ')
    return uid === process.getuid?.() && (mode & 0o077) === 0 && of === recipient && author !== undefined ? author : null
  } finally {
    closeSync(handle)
  }
}
