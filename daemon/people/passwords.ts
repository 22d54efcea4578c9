/** What a password must be, and how it is kept and compared. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../base/errors.ts'
import { root } from '../base/root.ts'
import { hashesWaiting, hashOfSecret, type HashCost } from '../base/secret-hash.ts'
import type { KeptSecret } from '../store/people-rows.ts'

const leastLength = 12
const mostLength = 128
/** Those who wait for a hash beyond this are refused: each takes most of a second of a thread. */
const mostWaiting = 8

let common: ReadonlySet<string> | undefined

/** The 10,000 most common passwords in lower case, and longer ones that are common among those of twelve characters and more. */
function commonPasswords(): ReadonlySet<string> {
  return (common ??= new Set(readFileSync(join(root, 'daemon/people/common-passwords.txt'), 'utf8').split('\n')))
}

/** Throws ApiError `validation_failed` with the reason. `names`: what must not be part of it, such as the login and the site. */
export function checkPassword(password: string, names: readonly string[]): void {
  const refuse = (message: string): never => {
    throw new ApiError('validation_failed', message, { details: [{ path: '/password', message }] })
  }
  const length = Array.from(password).length
  if (length < leastLength || length > mostLength)
    refuse(`a password has ${leastLength} to ${mostLength} characters; this one has ${length}`)
  const lower = password.toLowerCase()
  const found = names.map((name) => name.toLowerCase()).find((name) => name.length >= 3 && lower.includes(name))
  if (found !== undefined) refuse(`a password must not contain "${found}"`)
  if (isCommon(lower)) refuse('this password is one of the most common ones: take several words that belong to no phrase')
}

/** Also with figures or signs at its end, and where one part is repeated. */
function isCommon(lower: string): boolean {
  const core = lower.replace(/[^\p{L}]+$/u, '')
  const part = /^(.+?)\1+$/u.exec(lower)?.[1]
  return (
    [lower, core].some((text) => text !== '' && commonPasswords().has(text)) || (part !== undefined && (part.length < 4 || isCommon(part)))
  )
}

export async function keepSecret(text: string, cost: HashCost): Promise<KeptSecret> {
  const salt = randomBytes(16)
  return { salt: salt.toString('hex'), hash: (await bounded(text, salt, cost)).toString('hex'), cost }
}

/** Of a login that nobody has: it is compared all the same. */
const nobodys = { salt: randomBytes(16).toString('hex'), hash: randomBytes(32).toString('hex') }

/** Takes as long where nothing is kept: `cost` is that of what would be. Throws ApiError `busy` where too many wait already. */
export async function isSecret(kept: KeptSecret | null, text: string, cost: HashCost): Promise<boolean> {
  const compared = kept ?? { ...nobodys, cost }
  const given = await bounded(text, Buffer.from(compared.salt, 'hex'), compared.cost)
  return timingSafeEqual(Buffer.from(compared.hash, 'hex'), given) && kept !== null
}

async function bounded(text: string, salt: Buffer, cost: HashCost): Promise<Buffer> {
  if (hashesWaiting() >= mostWaiting)
    throw new ApiError('sign_in_busy', 'Too many people sign in at this moment; try again in a few seconds.', { retryAfterSeconds: 5 })
  return hashOfSecret(text, salt, cost)
}
