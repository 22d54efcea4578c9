/** How a person comes in: password and second step, an invitation, and back from the lock. */
import { hash, randomBytes, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { HashCost } from '../base/secret-hash.ts'
import type { PersonRow, Role, SessionRow } from '../store/people-rows.ts'
import type { Store } from '../store/store.ts'
import type { Guessing } from './guessing.ts'
import { checkPassword, isSecret, keepSecret } from './passwords.ts'
import { type People, codeHash, newCode } from './people.ts'
import type { OpenSession, Sessions } from './sessions.ts'

/** Codes of an authenticator app: TOTP (RFC 6238) with SHA-1, 30 seconds and six digits, which every app speaks, and recovery codes. */
const stepSeconds = 30
/** A clock may be one step off, either way. */
const drift = 1
const secretBytes = 20
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 (RFC 4648), without padding. */
function newTotpSecret(): string {
  return toBase32(randomBytes(secretBytes))
}

export function toBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** `step`: which of the 30-second steps since 1970. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = (mac.readUInt32BE(mac[19]! & 0xf) & 0x7fff_ffff) % 1_000_000
  return String(number).padStart(6, '0')
}

/** The step that the code is of, where it is later than `lastStep`: each code counts once. `now`: milliseconds since the epoch. */
export function totpStep(secret: string, code: string, now: number, lastStep: number): number | undefined {
  const current = Math.floor(now / 1000 / stepSeconds)
  const steps = Array.from({ length: 2 * drift + 1 }, (_, n) => current - drift + n)
  return steps.findLast(
    (step) => step > lastStep && code.length === 6 && timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)),
  )
}

/** As an app reads it from a QR code. */
function totpUri(secret: string, site: string, login: string): string {
  const label = `${encodeURIComponent(site)}:${encodeURIComponent(login)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(site)}`
}

export type SecondStep = 'technician' | 'everybody' | 'off'

export interface SignInOptions {
  readonly store: Store
  readonly clock: Clock
  readonly people: People
  readonly sessions: Sessions
  readonly guessing: Guessing
  readonly site: () => string
  readonly secondStep: () => SecondStep
  /** Of what is kept from here on. */
  readonly cost: HashCost
}

/** Where a request to sign in comes from. `browser`: the value of the cookie of a browser in which somebody signed in; null without one. */
export interface Browser {
  /** The value of the cookie of the session that it had; null for none. */
  readonly session: string | null
  readonly address: string
  readonly userAgent: string
  readonly browser: string | null
}

export interface SignedIn {
  readonly personId: string
  readonly person: PersonRow
  readonly cookie: string
  readonly session: SessionRow
  /** The value of the browser's own cookie from here on. */
  readonly browser: string
}

const browserMs = 365 * 86_400_000
const recoveryCodes = 10
const recoveryLength = 8

export class SignIn {
  readonly #options: SignInOptions
  /** Secrets that wait for their first code, by person. */
  readonly #totp = new Map<string, string>()

  constructor(options: SignInOptions) {
    this.#options = options
  }

  /** Throws ApiError `sign_in_failed`, alike for whatever is wrong, `code_needed`, `rate_limited` or `sign_in_busy`. `alongside` runs in the transaction. */
  async signIn(login: string, password: string, code: string | undefined, from: Browser, alongside: () => void): Promise<SignedIn> {
    const { people, guessing } = this.#options
    const found = people.byLogin(login.toLowerCase())
    const browser = found === undefined ? null : this.#known(from.browser, found.personId)
    guessing.mayTry(login, browser)
    const right = await isSecret(found?.row.password ?? null, password, this.#options.cost)
    if (!right || found === undefined || found.row.disabled) throw this.#failed(login, browser)
    const taken = found.row.totp === null ? undefined : this.#checkCode(found.row, code, () => this.#failed(login, browser))
    guessing.signedIn(login, browser)
    return this.#begin(found.personId, from, () => {
      const now = people.get(found.personId)
      // Between the check and here the same code may have been taken, or the password changed.
      if (now.password?.hash !== found.row.password?.hash) throw failed()
      if (taken !== undefined) this.#options.store.tables.people.put(found.personId, taken(now))
      alongside()
    })
  }

  /** By an invitation. Throws ApiError `invitation_void`, or `validation_failed` for a password that will not do. */
  async setUp(code: string, password: string, from: Browser, alongside: (personId: string) => void): Promise<SignedIn> {
    const { people, site } = this.#options
    const personId = await people.invited(code)
    checkPassword(password, [people.get(personId).login, site()])
    const kept = await keepSecret(password, this.#options.cost)
    return this.#begin(personId, from, () => {
      people.accept(personId, code, kept)
      alongside(personId)
    })
  }

  /** Opens a locked session. Throws ApiError `sign_in_failed`, or `session_ended` with the last wrong try. */
  async unlock(session: OpenSession, secret: { readonly password?: string; readonly pin?: string }, alongside: () => void): Promise<void> {
    const { sessions } = this.#options
    const kept = secret.pin === undefined ? session.person.password : session.row.pin
    if (await isSecret(kept, secret.pin ?? secret.password ?? '', this.#options.cost)) return sessions.unlock(session)
    if (await sessions.wrongUnlock(session, alongside)) throw endedByTries()
    throw failed()
  }

  /** Throws ApiError `sign_in_failed` where it is not the person's password, or `session_ended` with the last wrong try. */
  async confirm(session: OpenSession, password: string): Promise<void> {
    if (await isSecret(session.person.password, password, this.#options.cost)) return
    if (await this.#options.sessions.wrongConfirmation(session)) throw endedByTries()
    throw failed()
  }

  /** Other sessions of the person end. */
  async changePassword(session: OpenSession, password: string, wanted: string, alongside: () => void): Promise<void> {
    const { people, sessions, site } = this.#options
    await this.confirm(session, password)
    checkPassword(wanted, [session.person.login, site()])
    const kept = await keepSecret(wanted, this.#options.cost)
    const { personId } = session.row
    await people.update(
      personId,
      (row) => ({ ...row, password: kept }),
      () => {
        sessions.endAllOf(personId, session.key)
        alongside()
      },
    )
  }

  async setPin(session: OpenSession, password: string, pin: string | null): Promise<void> {
    await this.confirm(session, password)
    await this.#options.sessions.setPin(session, pin === null ? null : await keepSecret(pin, this.#options.cost))
  }

  /** Throws ApiError `sign_in_failed`: an open page of somebody else must not become the way around the second step. A step that is due begins without the password. */
  async beginTotp(session: OpenSession, password: string): Promise<{ secret: string; uri: string }> {
    const { row, person } = session
    if (!this.needsTotp(person)) await this.confirm(session, password)
    const secret = newTotpSecret()
    this.#totp.set(row.personId, secret)
    return { secret, uri: totpUri(secret, this.#options.site(), person.login) }
  }

  /** The app shows the right code: the second step takes effect. Throws ApiError `validation_failed`. */
  async finishTotp({ row }: OpenSession, code: string, alongside: () => void): Promise<string[]> {
    const { people, clock } = this.#options
    const secret = this.#totp.get(row.personId)
    const step = secret === undefined ? undefined : totpStep(secret, code, clock.now(), 0)
    if (secret === undefined || step === undefined)
      throw new ApiError('validation_failed', 'this is not the code that the app shows now; look at the clock of the telephone')
    const codes = Array.from({ length: recoveryCodes }, () => newCode(recoveryLength))
    const change = (person: PersonRow): PersonRow => ({ ...person, totp: { secret, lastStep: step }, recovery: codes.map(codeHash) })
    await people.update(row.personId, change, alongside)
    this.#totp.delete(row.personId)
    return codes
  }

  /** Whether the person has to set up a second step before anything else. */
  needsTotp({ totp, roles }: PersonRow): boolean {
    const wanted = this.#options.secondStep()
    return totp === null && (wanted === 'everybody' || (wanted === 'technician' && roles.includes('technician')))
  }

  /** Removes browsers that nobody used for a year; how many. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    const old = [...store.tables.knownBrowsers.range()].filter(({ value }) => value.until <= clock.now())
    if (old.length > 0) await store.transaction(() => old.forEach(({ key }) => store.tables.knownBrowsers.remove(key)))
    return old.length
  }

  /** The change of the row that takes the code. Each code counts once. */
  #checkCode(row: PersonRow, code: string | undefined, wrong: () => ApiError): (now: PersonRow) => PersonRow {
    if (code === undefined) throw new ApiError('code_needed', 'Enter the code that your authenticator app shows.')
    const { secret, lastStep } = row.totp!
    const step = totpStep(secret, code, this.#options.clock.now(), lastStep)
    if (step !== undefined)
      return (now) => {
        if (now.totp === null || now.totp.lastStep >= step) throw failed()
        return { ...now, totp: { ...now.totp, lastStep: step } }
      }
    const recovery = codeHash(code)
    if (!row.recovery.includes(recovery)) throw wrong()
    return (now) => {
      if (!now.recovery.includes(recovery)) throw failed()
      return { ...now, recovery: now.recovery.filter((one) => one !== recovery) }
    }
  }

  async #begin(personId: string, from: Browser, alongside: () => void): Promise<SignedIn> {
    const { store, clock, people, sessions } = this.#options
    const browser = from.browser ?? randomBytes(32).toString('base64url')
    const key = hash('sha256', browser)
    return store.transaction(() => {
      alongside()
      const { knownBrowsers } = store.tables
      const before = knownBrowsers.get(key)?.personIds ?? []
      knownBrowsers.put(key, { personIds: [...new Set([...before, personId])].slice(-50), until: clock.now() + browserMs })
      if (from.session !== null) sessions.end(hash('sha256', from.session))
      const { cookie, row } = sessions.begin(personId, from)
      return { personId, person: people.get(personId), cookie, session: row, browser }
    })
  }

  /** Its hash, where this person has signed in there. */
  #known(browser: string | null, personId: string): string | null {
    if (browser === null) return null
    const key = hash('sha256', browser)
    const row = this.#options.store.tables.knownBrowsers.get(key)
    return row !== undefined && row.until > this.#options.clock.now() && row.personIds.includes(personId) ? key : null
  }

  #failed(login: string, browser: string | null): ApiError {
    this.#options.guessing.failed(login, browser)
    return failed()
  }
}

const endedByTries = (): ApiError => new ApiError('session_ended', 'Too many wrong tries: the session has ended; sign in again.')
const failed = (): ApiError => new ApiError('sign_in_failed', 'The login, the password or the code is wrong.')

/** The roles that count at this moment: a technician who broke the glass reads as a manager too. */
export function rolesNow(person: PersonRow, session: SessionRow, now: number): readonly Role[] {
  const asManager = session.glass !== null && session.glass.until > now && !person.roles.includes('manager')
  return asManager ? [...person.roles, 'manager'] : person.roles
}
