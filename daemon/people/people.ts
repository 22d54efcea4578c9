/** People of the console: who there is, what they may, and the invitations by which they set a password. */
import { ApiError } from '../base/errors.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import type { NewPerson, PersonChange, PersonView } from '../schema/people.ts'
import type { PersonRow, Role } from '../store/people-rows.ts'
import type { Store } from '../store/store.ts'
import type { Sessions } from './sessions.ts'
import { hash, randomInt } from 'node:crypto'

/** Codes that people type: invitations and recovery codes. Letters and digits that are hard to confuse, in groups of four. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** `length`: a multiple of four, of five bits each. */
export function newCode(length: number): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
  return (code.match(/.{4}/g) ?? []).join('-')
}

/** SHA-256, hexadecimal; spaces, hyphens and case do not count. */
export function codeHash(text: string): string {
  return hash('sha256', text.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
}

export interface PeopleOptions {
  readonly store: Store
  readonly clock: Clock
  readonly sessions: Sessions
}

/** Of an invitation that a person writes down or scans: seven days. Of one that a technician asks for at the box: half an hour. */
const slipMs = 7 * 86_400_000
const codeMs = 30 * 60_000
const codeLength = 16
/** Wrong codes that make the invitations of half an hour void. */
const mostWrongCodes = 5

/** Whom a manager may invite and change. */
const ofManagers: readonly Role[] = ['desk', 'manager']

export class People {
  readonly #options: PeopleOptions
  #wrongCodes = 0

  constructor(options: PeopleOptions) {
    this.#options = options
  }

  list(): PersonView[] {
    return [...this.#table.range()].map(({ key, value }) => personView(key, value)).toSorted((a, b) => a.login.localeCompare(b.login))
  }

  /** Throws ApiError `person_unknown`. */
  get(personId: string): PersonRow {
    const row = this.#table.get(personId)
    if (row === undefined) throw new ApiError('person_unknown', 'There is no person with that id.')
    return row
  }

  byLogin(login: string): { personId: string; row: PersonRow } | undefined {
    for (const { key, value } of this.#table.range()) if (value.login === login) return { personId: key, row: value }
    return undefined
  }

  /** `by`: roles of the person who asks, null for a technician at the box and for a token. Throws ApiError `validation_failed` or `role_denied`. */
  async create(wanted: NewPerson, by: readonly Role[] | null, alongside: (personId: string) => void): Promise<PersonView> {
    mayChange(by, wanted.roles)
    const { store, clock } = this.#options
    const personId = newId()
    const { login, name, roles, extension = null, mailboxes = [], queues = [], language = '' } = wanted
    const row: PersonRow = {
      ...{ login, name, roles: [...roles], extension, mailboxes: [...mailboxes], queues: [...queues], language },
      ...{ disabled: false, password: null, totp: null, recovery: [], createdAt: clock.now() },
    }
    await store.transaction(() => {
      if (this.byLogin(login) !== undefined) throw new ApiError('validation_failed', `there is a person with the login "${login}" already`)
      this.#table.put(personId, row)
      alongside(personId)
    })
    return personView(personId, row)
  }

  async change(personId: string, wanted: PersonChange, by: readonly Role[] | null, alongside: () => void): Promise<PersonView> {
    const { store, sessions } = this.#options
    return store.transaction(() => {
      const before = this.get(personId)
      mayChange(by, before.roles)
      mayChange(by, wanted.roles ?? [])
      const row: PersonRow = { ...before, ...defined(wanted) }
      if (isTechnician(before) && !isTechnician(row)) this.#keepATechnician(personId)
      this.#table.put(personId, row)
      if (row.disabled || wanted.password === null) sessions.endAllOf(personId)
      alongside()
      return personView(personId, row)
    })
  }

  async remove(personId: string, by: readonly Role[] | null, alongside: () => void): Promise<void> {
    const { store, sessions } = this.#options
    await store.transaction(() => {
      const row = this.get(personId)
      mayChange(by, row.roles)
      if (isTechnician(row)) this.#keepATechnician(personId)
      this.#table.remove(personId)
      this.#forgetInvitations(personId)
      sessions.endAllOf(personId)
      alongside()
    })
  }

  /** A new invitation replaces the one before it. `slip`: seven days, to be handed over; otherwise half an hour. */
  async invite(
    personId: string,
    slip: boolean,
    by: readonly Role[] | null,
    alongside: () => void,
  ): Promise<{ code: string; until: number }> {
    const { store, clock } = this.#options
    const code = newCode(codeLength)
    const now = clock.now()
    const until = now + (slip ? slipMs : codeMs)
    await store.transaction(() => {
      mayChange(by, this.get(personId).roles)
      this.#forgetInvitations(personId)
      store.tables.invitations.put(codeHash(code), { personId, createdAt: now, until })
      alongside()
    })
    this.#wrongCodes = 0
    return { code, until }
  }

  /** The person whom a code invites. Throws ApiError `invitation_void`, alike whatever is wrong with it. */
  async invited(code: string): Promise<string> {
    const { store, clock } = this.#options
    const row = store.tables.invitations.get(codeHash(code))
    const person = row === undefined ? undefined : this.#table.get(row.personId)
    if (row !== undefined && person !== undefined && !person.disabled && row.until > clock.now()) return row.personId
    this.#wrongCodes += 1
    if (this.#wrongCodes >= mostWrongCodes) await this.#endShortInvitations()
    throw new ApiError('invitation_void', 'This invitation is not valid: it was used, replaced, or has expired. Ask for a new one.')
  }

  /** Inside of a transaction: the invitation was used. */
  accept(personId: string, code: string, password: PersonRow['password']): PersonRow {
    const { store, sessions } = this.#options
    // Of two at the same moment one is first.
    if (!store.tables.invitations.remove(codeHash(code))) throw new ApiError('invitation_void', 'This invitation was used already.')
    const row = { ...this.get(personId), password }
    this.#table.put(personId, row)
    sessions.endAllOf(personId)
    return row
  }

  /** Changes a row of a person inside a transaction of its own. */
  async update(personId: string, change: (row: PersonRow) => PersonRow, alongside: () => void): Promise<void> {
    await this.#options.store.transaction(() => {
      this.#table.put(personId, change(this.get(personId)))
      alongside()
    })
  }

  /** Removes invitations that have expired; how many. */
  async sweep(): Promise<number> {
    const { store, clock } = this.#options
    const old = [...store.tables.invitations.range()].filter(({ value }) => value.until <= clock.now())
    if (old.length > 0) await store.transaction(() => old.forEach(({ key }) => store.tables.invitations.remove(key)))
    return old.length
  }

  get #table() {
    return this.#options.store.tables.people
  }

  #forgetInvitations(personId: string): void {
    const { invitations } = this.#options.store.tables
    for (const { key, value } of [...invitations.range()]) if (value.personId === personId) invitations.remove(key)
  }

  /** What may be guessed at leisure is ended; a slip of seven days is left, or a stranger could end those of everybody. */
  async #endShortInvitations(): Promise<void> {
    const { store } = this.#options
    this.#wrongCodes = 0
    await store.transaction(() => {
      const { invitations } = store.tables
      for (const { key, value } of [...invitations.range()]) if (value.until - value.createdAt <= codeMs) invitations.remove(key)
    })
  }

  #keepATechnician(personId: string): void {
    const others = [...this.#table.range()].some(({ key, value }) => key !== personId && isTechnician(value))
    if (!others) throw new ApiError('validation_failed', 'this is the last technician: the box would have none')
  }
}

export function personView(
  personId: string,
  { login, name, roles, extension, mailboxes, queues, language, ...row }: PersonRow,
): PersonView {
  return {
    ...{ personId, login, name, roles, extension, mailboxes, queues, language },
    state: row.disabled ? 'disabled' : row.password === null ? 'invited' : 'active',
    secondStep: row.totp !== null,
    keysOff: [...(row.keysOff ?? [])],
    alerts: [...(row.alerts ?? [])],
    createdAt: isoTime(row.createdAt),
  }
}

const isTechnician = ({ roles, disabled }: PersonRow): boolean => !disabled && roles.includes('technician')

/** A manager invites and changes people of the desk and managers, a technician anybody. */
function mayChange(by: readonly Role[] | null, roles: readonly Role[]): void {
  if (by === null || by.includes('technician')) return
  const strange = roles.filter((role) => !ofManagers.includes(role))
  if (strange.length > 0) throw new ApiError('role_denied', `A manager does not invite or change a ${strange.join(', ')}.`)
}

function defined({ roles, mailboxes, queues, secondStep, ...rest }: PersonChange): Partial<PersonRow> {
  return {
    ...rest,
    ...(secondStep === false ? { totp: null, recovery: [] } : {}),
    ...(roles === undefined ? {} : { roles: [...roles] }),
    ...(mailboxes === undefined ? {} : { mailboxes: [...mailboxes] }),
    ...(queues === undefined ? {} : { queues: [...queues] }),
  }
}
