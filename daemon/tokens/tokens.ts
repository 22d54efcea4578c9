/**
 * Access tokens: those of the configuration and those made at run time, what they reach, how long they hold and when they were last
 * used. Only hashes are kept. The first token of a box is made once in the life of its store.
 */
import { hash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { derived } from '../base/derived.ts'
import type { Trail } from '../audit/trail.ts'
import { bySystem } from '../audit/audit.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import type { NewToken, TokenView } from '../schema/tokens.ts'
import { ApiError } from '../base/errors.ts'
import { accessTokens, type AccessToken } from '../http/auth.ts'
import { mailboxNumbers, type Config } from '../schema/config.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'

export interface TokenOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly trail: Trail
}

/** Set by the start that made the first access token of the box: the token, to be shown this once, or the file that has it. */
export type FirstToken = { readonly token: string } | { readonly file: string }

const everyScope = ['send', 'inbox', 'voice', 'crm', 'admin']
/** How exact the last use is: no more writes than this. */
const useMs = 60_000
const initialised = 'initialised'

export class Tokens {
  readonly #options: TokenOptions
  readonly #configured: () => readonly AccessToken[]
  /** Asked on every request. */
  readonly all: () => Iterable<AccessToken>
  readonly #used = new Map<string, number>()

  constructor(options: TokenOptions) {
    this.#options = options
    const { config } = options
    this.#configured = derived(config, () =>
      config.auth.tokens.map(({ expires, ...token }) => ({
        ...token,
        ...(expires === undefined ? {} : { expiresAt: endOf(expires) }),
      })),
    )
    this.all = accessTokens({ [Symbol.iterator]: () => this.#configured()[Symbol.iterator]() }, options.store.tables.tokens)
  }

  /** Remembers when and from where; a loss of the last minute in a crash is borne. */
  readonly used = (name: string, address: string): void => {
    const { store, clock, log } = this.#options
    const at = clock.now()
    if (at - (this.#used.get(name) ?? -Infinity) < useMs) return
    this.#used.set(name, at)
    store
      .transaction(() => store.tables.tokenUse.put(name, { at, address }))
      .catch((error: unknown) => log.warn({ err: error, token: name }, 'the use of a token could not be stored'))
  }

  /** 256 random bits. `alongside` runs in the transaction. Throws ApiError `validation_failed`. */
  async create(wanted: NewToken, alongside: () => void): Promise<{ token: string; view: TokenView }> {
    const { store, clock, config } = this.#options
    const { name, scopes, expiresInDays, endpoints, mailboxes } = wanted
    if (store.tables.tokens.get(name) !== undefined || this.#configured().some((token) => token.name === name)) {
      throw new ApiError('validation_failed', `the token "${name}" already exists`)
    }
    checkReach(config, wanted)
    const token = `pbx_${randomBytes(32).toString('base64url')}`
    const createdAt = clock.now()
    const row = {
      name,
      sha256: hash('sha256', token),
      scopes: [...scopes],
      createdAt,
      ...(expiresInDays === undefined ? {} : { expiresAt: createdAt + expiresInDays * 86_400_000 }),
      ...(endpoints === undefined ? {} : { endpoints: [...endpoints] }),
      ...(mailboxes === undefined ? {} : { mailboxes: [...mailboxes] }),
    }
    await store.transaction(() => {
      store.tables.tokens.put(name, row)
      alongside()
    })
    return { token, view: this.#view(row, createdAt, 'store') }
  }

  list(): TokenView[] {
    const stored = [...this.#options.store.tables.tokens.range()]
    return [
      ...this.#configured().map((token) => this.#view(token, null, 'config')),
      ...stored.map(({ value }) => this.#view(value, value.createdAt, 'store')),
    ]
  }

  /** False when the store holds no token of that name. */
  async revoke(name: string, alongside: () => void): Promise<boolean> {
    const { store, config } = this.#options
    const done = await store.transaction(() => {
      if (!store.tables.tokens.remove(name)) return false
      store.tables.tokenUse.remove(name)
      alongside()
      return true
    })
    this.#used.delete(name)
    if (done && name === 'first') rmSync(firstTokenFile(config), { force: true })
    return done
  }

  /**
   * A box that never had a token gets one with every right, so that the first request can be made; once in the life of its store,
   * also when that token is revoked. Returned to be shown once at a terminal, otherwise written to a file before it counts.
   */
  async first(terminal: boolean): Promise<FirstToken | null> {
    const { store, config, trail, log } = this.#options
    const { meta, tokens } = store.tables
    if (meta.get(initialised) === true) return null
    if (this.#configured().length > 0 || tokens.count() > 0) {
      // A box that has a token need not wait until the disk has this: the next start comes to the same.
      store
        .transaction(() => meta.put(initialised, true))
        .catch((error: unknown) => log.warn({ err: error }, 'that there are tokens could not be stored'))
      return null
    }
    const { createdAt, sha256, token } = { createdAt: this.#options.clock.now(), ...fresh() }
    const made = terminal ? { token } : { file: writeFirstToken(config, token) }
    await store.transaction(() => {
      meta.put(initialised, true)
      tokens.put('first', { name: 'first', sha256, scopes: everyScope, createdAt })
      trail.audit.record(bySystem('token.create', 'first'))
    })
    if ('file' in made) log.info(made, 'the first access token of this box is in a file')
    return made
  }

  #view(token: Omit<AccessToken, 'sha256'>, createdAt: number | null, source: TokenView['source']): TokenView {
    const use = this.#options.store.tables.tokenUse.get(token.name)
    return {
      name: token.name,
      scopes: token.scopes,
      createdAt: isoTime(createdAt),
      source,
      endpoints: token.endpoints ?? null,
      mailboxes: token.mailboxes ?? null,
      expiresAt: isoTime(token.expiresAt ?? null),
      lastUsedAt: isoTime(use?.at ?? null),
      lastAddress: use?.address ?? '',
    }
  }
}

function firstTokenFile(config: Config): string {
  return join(config.storage.dir, 'first-token')
}

/** Readable by the daemon's own user alone. What stands there, such as what a start left that did not come to its end, is not written through. */
function writeFirstToken(config: Config, token: string): string {
  const file = firstTokenFile(config)
  rmSync(file, { force: true })
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' })
  return file
}

function fresh(): { token: string; sha256: string } {
  const token = `pbx_${randomBytes(32).toString('base64url')}`
  return { token, sha256: hash('sha256', token) }
}

function checkReach(config: Config, { scopes, endpoints, mailboxes }: NewToken): void {
  if (endpoints === undefined && mailboxes === undefined) return
  const wide = scopes.filter((scope) => scope === 'admin' || scope === 'crm')
  if (wide.length > 0) {
    throw new ApiError(
      'validation_failed',
      `a token with the scope ${wide.join(' and ')} cannot be restricted: the scope allows everything`,
    )
  }
  const known = config.voice.endpoints.map(({ id }) => id)
  const strange = (endpoints ?? []).filter((id) => !known.includes(id))
  if (strange.length > 0)
    throw new ApiError('validation_failed', `there is no voice endpoint ${strange.join(', ')}; known are ${known.join(', ')}`)
  const boxes = mailboxNumbers(config)
  const unknown = (mailboxes ?? []).filter((ext) => !boxes.includes(ext))
  if (unknown.length > 0)
    throw new ApiError('validation_failed', `there is no mailbox ${unknown.join(', ')}; known are ${boxes.join(', ')}`)
}

/** Of a day in UTC, or the moment itself. */
export function endOf(expires: string): number {
  return Date.parse(expires.length === 10 ? `${expires}T23:59:59.999Z` : expires)
}
