/** An application for the box: verifies what the box sends, calls the function of the page and the event, and answers with its verbs. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { questionNames, type Notices, type Question, type Questions } from './generated/events.ts'
import { addresses, gather, say, type ControlDocument, type GatherOptions, type Verb } from './generated/verbs.ts'

export type Answer = Verb | ControlDocument

/** What a page does with each event that the box sends there. */
export type Page = {
  readonly [N in keyof Questions]?: (event: Questions[N]) => Answer | Promise<Answer>
} & {
  readonly [N in keyof Notices]?: (event: Notices[N]) => void | Promise<void>
}

/** Pages by their paths, which begin with a slash. */
export type Pages = Readonly<Record<`/${string}`, Page>>

export interface Settings {
  /** `secret` of the voice endpoint and, for other callbacks, `callbacks.secret`. Several are accepted during a change. */
  readonly secret: string | readonly string[]
  /** Where the box reaches this application, such as `https://app.example/telephone`; without it the Host of each request. */
  readonly url?: string
  /** A function that threw; the box receives 500 and uses its fallback. By default it is written to stderr. */
  readonly onError?: (error: unknown, event: unknown) => void
}

export type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const toleranceSeconds = 300
const remembered = 1000

export function header(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : ''
}

/** Whether the box has signed this body within 300 s: raw bytes, before any parser. The body of the upgrade of a stream is empty. */
export function genuine(secret: string | readonly string[], headers: HeaderSource, body: Uint8Array | string, now = Date.now()): boolean {
  const timestamp = header(headers, 'x-service-timestamp')
  const given = Buffer.from(header(headers, 'x-service-signature').replace(/^sha256=/, ''), 'hex')
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false
  return [secret].flat().some((key) => {
    const expected = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest()
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

export interface Reply {
  readonly status: number
  readonly body: string
}

export interface Incoming {
  /** Of the page, without the mount. */
  readonly path: string
  readonly headers: HeaderSource
  readonly body: Uint8Array
  /** Address that the pages are below, such as `http://127.0.0.1:3000/telephone`. */
  readonly base: string
}

const reply = (status: number, value?: unknown): Reply => ({ status, body: value === undefined ? '' : JSON.stringify(value) })

/** A verb whose addresses are absolute: `/page` is below the base. */
function absolute(verb: Verb, base: string): object {
  const [[name, options] = ['', {}]] = Object.entries(verb) as [string, Record<string, unknown>][]
  const found = Object.entries(addresses[name] ?? {}).flatMap(([key, scheme]) => {
    const value = options[key]
    if (typeof value !== 'string' || /^\w+:\/\//.test(value)) return []
    if (!value.startsWith('/')) throw new Error(`${name}.${key}: ${value} is no address; write /page or the whole URL`)
    return [[key, (scheme === 'ws' ? base.replace(/^http/, 'ws') : base) + value]]
  })
  return found.length === 0 ? verb : { [name]: { ...options, ...Object.fromEntries(found) } }
}

export class Pbxd {
  readonly #pages: ReadonlyMap<string, Page>
  readonly #settings: Settings
  /** Replies by page and event: a repeated event gets the same, without its work being done twice. */
  readonly #replies = new Map<string, Promise<Reply>>()

  /** Throws without a secret, or when a page does not begin with a slash. */
  constructor(pages: Pages, settings: Settings) {
    const secrets = [settings.secret].flat()
    if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret === ''))
      throw new Error('secret is missing: it is `secret` of the voice endpoint in the configuration of the box')
    this.#pages = new Map(Object.entries(pages))
    for (const path of this.#pages.keys()) if (!path.startsWith('/')) throw new Error(`a page begins with a slash: /${path}`)
    this.#settings = settings
  }

  get paths(): readonly string[] {
    return [...this.#pages.keys()]
  }

  /** Base of the addresses in verbs: `url` of the settings, or what the request came to. */
  base(found: string): string {
    return (this.#settings.url ?? found).replace(/\/$/, '')
  }

  /** Answers a request of the box; adapters for frameworks are in adapters.ts. */
  async answer({ path, headers, body, base }: Incoming): Promise<Reply> {
    if (!genuine(this.#settings.secret, headers, body)) return reply(403, { error: 'The signature is wrong, missing or too old.' })
    const page = this.#pages.get(path)
    if (page === undefined) return reply(404, { error: `There is no page ${path}.` })
    let event: Question
    try {
      event = JSON.parse(Buffer.from(body).toString()) as Question
    } catch {
      return reply(400, { error: 'The body is not JSON.' })
    }
    const key = `${path} ${event.eventId}`
    const known = this.#replies.get(key)
    if (known !== undefined && typeof event.eventId === 'string') return known
    const answered = this.#run(page, event, base).catch((error: unknown) => {
      this.#replies.delete(key)
      ;(this.#settings.onError ?? console.error)(error, event)
      return reply(500, { error: 'The application failed.' })
    })
    this.#replies.set(key, answered)
    if (this.#replies.size > remembered) this.#replies.delete(this.#replies.keys().next().value!)
    return answered
  }

  async #run(page: Page, event: Question, base: string): Promise<Reply> {
    const perform = page[event.event] as ((given: Question) => Answer | void | Promise<Answer | void>) | undefined
    const asked = questionNames.has(event.event)
    const left = 'reason' in event && event.reason === 'hangup'
    if (perform === undefined && asked && !left) return reply(404, { error: `The page does not take ${event.event}.` })
    const verbs = (await perform?.(event)) ?? []
    if (!asked) return reply(204)
    // The caller has left: what was entered counts, and no verb can run any more.
    return left
      ? reply(200, [])
      : reply(
          200,
          [verbs].flat().map((verb) => absolute(verb as Verb, base)),
        )
  }
}

/** What can be chosen: the key, then words that mean the same. */
export type Choices = Readonly<Record<string, readonly [key: string, ...words: string[]]>>

/** The question of a menu: says the text and takes the keys and words of the choices. */
export function menu(text: string, choices: Choices, options: GatherOptions = {}): readonly Verb[] {
  const hints = Object.values(choices).flatMap(([, ...words]) => words)
  const keys = Math.max(...Object.values(choices).map(([key]) => key.length))
  return [
    say(text),
    gather({ input: hints.length > 0 ? 'dtmf speech' : 'dtmf', numDigits: keys, ...(hints.length > 0 ? { hints } : {}), ...options }),
  ]
}

/** Name of the choice that the caller pressed or said; undefined for anything else. */
export function chosen<C extends Choices>({ digits, speech }: Questions['gather.completed'], choices: C): keyof C | undefined {
  const said = ` ${speech.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `
  const fits = ([, [key, ...words]]: [string, readonly string[]]): boolean =>
    digits === key || (digits === '' && words.some((word) => said.includes(` ${word.toLowerCase()} `)))
  return Object.entries(choices).find(fits as (entry: [string, unknown]) => boolean)?.[0]
}
