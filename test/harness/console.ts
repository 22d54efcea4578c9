/** A whole box with its console, people of it, and their browsers. */
import type { BrowserContext, Page } from 'playwright-core'
import type { Test } from 'tap'
import { Chromium, type CaseOptions } from './browser.ts'
import { Daemon, type DaemonOptions } from './daemon.ts'
import { password } from './signed-in.ts'

export { password }

export interface PersonSpec {
  readonly login: string
  readonly name?: string
  readonly roles: readonly ('desk' | 'manager' | 'technician')[]
  readonly extension?: string
  readonly mailboxes?: readonly string[]
  readonly queues?: readonly string[]
  readonly language?: string
}

export interface BoxPerson extends PersonSpec {
  readonly personId: string
  /** Value of the session's cookie. */
  readonly cookie: string
}

export interface VisitOptions extends CaseOptions {
  /** Whose session the browser has; nobody's without it. */
  readonly as?: BoxPerson
}

export class ConsoleBox {
  readonly daemon: Daemon
  readonly #chromium: Chromium

  private constructor(daemon: Daemon, chromium: Chromium) {
    this.daemon = daemon
    this.#chromium = chromium
  }

  /** Ends the file where there is no browser. No second step, unless the settings have one. */
  static async open(t: Test, options: Partial<DaemonOptions> = {}): Promise<ConsoleBox> {
    const chromium = await Chromium.open(t)
    const settings: DaemonOptions['settings'] = (base) => {
      base['console'] = { secondStep: 'off', help: 'Ridge IT, 555 010 0190' }
      base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
      options.settings?.(base)
    }
    const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9, ...options, settings })
    t.teardown(() => daemon.close())
    await daemon.start()
    return new ConsoleBox(daemon, chromium)
  }

  /** Invites somebody, who sets the password. */
  async person(spec: PersonSpec): Promise<BoxPerson> {
    const made = await this.daemon.api('POST', '/api/people', { name: spec.login, ...spec })
    const code = (await this.invite(made.body.personId as string)).slice(-19)
    const answer = await this.#fromPage('POST', '/api/session/setup', { code, password })
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    return { ...spec, personId: made.body.personId as string, cookie: cookieOf(answer) }
  }

  /** The address of an invitation. */
  async invite(personId: string): Promise<string> {
    const { status, body } = await this.daemon.api('POST', `/api/people/${personId}/invite`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.url as string
  }

  /** Another session of the same person. */
  async signIn(person: BoxPerson): Promise<BoxPerson> {
    const answer = await this.#fromPage('POST', '/api/session', { login: person.login, password })
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    return { ...person, cookie: cookieOf(answer) }
  }

  /** A request with the session of a person, as a page sends it. */
  async ask(person: BoxPerson, method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
    const answer = await this.#fromPage(method, path, body, { cookie: `pbx=${person.cookie}` })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  /** Runs the case in a browser profile of its own. */
  visit(t: Test, { as, ...options }: VisitOptions, one: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
    return this.#chromium.run(t, this.daemon.http, options, async (page, context) => {
      if (as !== undefined)
        await context.addCookies([{ name: 'pbx', value: as.cookie, url: this.daemon.http, httpOnly: true, sameSite: 'Strict' }])
      await one(page, context)
    })
  }

  #fromPage(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.daemon.http + path, {
      method,
      headers: { origin: this.daemon.http, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}

function cookieOf(answer: Response): string {
  for (const line of answer.headers.getSetCookie()) {
    const value = /^pbx=([^;]+)/.exec(line)?.[1]
    if (value !== undefined) return value
  }
  throw new Error('no session was begun')
}

/**
 * The network is cut for all tabs of a browser, until the returned function is called. The switch of Chromium alone leaves answers that have begun,
 * such as the live stream, as they are.
 */
export async function cutOff(context: BrowserContext): Promise<() => Promise<void>> {
  await context.setOffline(true)
  await Promise.all(context.pages().map((page) => page.evaluate('stop()')))
  return () => context.setOffline(false)
}
