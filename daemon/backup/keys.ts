/** Recovery keys: pairs of age. The public half (age1...) makes backups, the private one (AGE-SECRET-KEY-1...) opens them. */
import { readFileSync } from 'node:fs'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
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
  return found.map((key) => key.toUpperCase())
}

export function readIdentities(file: string): string[] {
  try {
    return identitiesIn(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    if (error instanceof BackupError) throw new BackupError(`${file}: ${error.message}`)
    throw new BackupError(`the key cannot be read: ${inWords(error)}`, { cause: error })
  }
}
