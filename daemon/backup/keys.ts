/** Recovery keys: pairs of age. The public half (age1...) makes backups, the private one (AGE-SECRET-KEY-1...) opens them. */
import { readFileSync } from 'node:fs'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
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
    throw new BackupError('this is no recovery key: it begins with AGE-SECRET-KEY-1, and was printed by "pbx backup key"')
  const keys = found.map((key) => key.toUpperCase())
  for (const key of keys) refuseMistyped(key)
  return keys
}

/** The library's own sentence would have the key in it, which is not for a screen. */
function refuseMistyped(key: string): void {
  try {
    new Decrypter().addIdentity(key)
  } catch {
    throw new BackupError('a letter of the recovery key is mistyped: compare it with the paper, group by group')
  }
}

export function readIdentities(file: string): string[] {
  try {
    return identitiesIn(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    if (error instanceof BackupError) throw new BackupError(`${file}: ${error.message}`)
    throw new BackupError(`the key cannot be read: ${inWords(error)}`, { cause: error })
  }
}
