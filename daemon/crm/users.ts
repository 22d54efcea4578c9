/** Users of the CRM and the phones of the house: who sits at which. */
import type { Config, ExtensionConfig } from '../schema/config.ts'

export class Users {
  readonly #extensions: readonly ExtensionConfig[]

  constructor({ extensions }: Pick<Config, 'extensions'>) {
    this.#extensions = extensions
  }

  /** Where nothing else is said, the user has the number of the extension as id. */
  userAt(extension: string): { readonly userId: string; readonly name: string } | null {
    const found = this.#extensions.find(({ number }) => number === extension)
    return found === undefined ? null : { userId: userIdOf(found), name: found.name }
  }

  /** The first extension of the user; null where there is none. */
  extensionOf(userId: string): string | null {
    return this.#extensions.find((extension) => userIdOf(extension) === userId)?.number ?? null
  }
}

function userIdOf({ userId, number }: ExtensionConfig): string {
  return userId ?? number
}
