/**
 * Users of the CRM and the phones of the house: who sits at which. The CRM knows best, and is asked once an hour; the configuration says it
 * where there is no CRM, or it does not know.
 */
import type { Clock } from '../base/clock.ts'
import type { Config, ExtensionConfig } from '../schema/config.ts'
import type { AskCrm } from './client/client.ts'
import { printable } from './numbers.ts'

export interface UsersOptions {
  readonly config: Pick<Config, 'extensions'>
  readonly clock: Clock
  readonly client: AskCrm
}

export interface ExtensionUser {
  readonly userId: string
  readonly name: string
  readonly source: 'crm' | 'local'
}

const keptMs = 3_600_000
const askedAtOnce = 4
const mostAskedMs = 3000

export class Users {
  readonly #options: UsersOptions
  readonly #extensions: readonly ExtensionConfig[]
  /** What the CRM said, by extension; `at` by the clock that nobody can set. */
  readonly #told = new Map<string, { readonly user: ExtensionUser; readonly at: number }>()

  constructor(options: UsersOptions) {
    this.#options = options
    this.#extensions = options.config.extensions
  }

  /**
   * Within 3 s; null where there is no such extension. Where nothing else is said, the user has the number of the extension as id. `ask`:
   * whether the CRM may be asked; it is not where it is the CRM that asks.
   */
  async userAt(extension: string, ask: boolean): Promise<ExtensionUser | null> {
    const found = this.#extensions.find(({ number }) => number === extension)
    if (found === undefined) return null
    const { clock, client } = this.#options
    const told = this.#told.get(extension)
    if (told !== undefined && clock.elapsed() - told.at < keptMs) return told.user
    const local: ExtensionUser = { userId: userIdOf(found), name: found.name, source: 'local' }
    if (!ask) return told?.user ?? local
    const outcome = await client.request({ ask: { route: 'extension', params: { extension } } })
    if (outcome.kind !== 'answered') return told?.user ?? local
    const { userId, name } = outcome.body as { readonly userId: string; readonly name: string }
    const user: ExtensionUser = { userId: printable(userId), name: printable(name), source: 'crm' }
    this.#told.set(extension, { user, at: clock.elapsed() })
    return user
  }

  /**
   * The first extension of the user; null where there is none. For a user without a known extension, asks the CRM, extension by extension,
   * within 3 s.
   */
  async extensionOf(userId: string): Promise<string | null> {
    const known = this.#known(userId)
    if (known !== null || !this.#options.client.configured) return known
    const fresh = ({ number }: ExtensionConfig): boolean =>
      this.#options.clock.elapsed() - (this.#told.get(number)?.at ?? -Infinity) < keptMs
    const unknown = this.#extensions.filter((extension) => !fresh(extension)).map(({ number }) => number)
    const until = this.#options.clock.elapsed() + mostAskedMs
    const askOn = async (): Promise<void> => {
      while (unknown.length > 0 && this.#known(userId) === null && this.#options.clock.elapsed() < until)
        await this.userAt(unknown.shift()!, true)
    }
    await Promise.all(Array.from({ length: askedAtOnce }, askOn))
    return this.#known(userId)
  }

  #known(userId: string): string | null {
    const told = [...this.#told].find(([, { user }]) => user.userId === userId)?.[0]
    return told ?? this.#extensions.find((extension) => userIdOf(extension) === userId)?.number ?? null
  }
}

function userIdOf({ userId, number }: ExtensionConfig): string {
  return userId ?? number
}
