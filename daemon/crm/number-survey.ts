/** What is known of the numbers of the directory as a whole, as it was when they were looked through last. */
import type { Log } from '../log.ts'
import type { Directory, SharedNumbers } from './directory.ts'

export class NumberSurvey {
  readonly #directory: Pick<Directory, 'shared'>
  readonly #log: Log
  #seen: SharedNumbers = { ambiguous: 0, crowded: [] }
  #looking: Promise<void> | null = null

  constructor(directory: Pick<Directory, 'shared'>, log: Log) {
    this.#directory = directory
    this.#log = log
  }

  get seen(): SharedNumbers {
    return this.#seen
  }

  /** Resolves when nothing is looked through. */
  async idle(): Promise<void> {
    await this.#looking
  }

  /** Looks through them, once at a time. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#directory
      .shared()
      .then((seen) => void (this.#seen = seen))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the numbers of the directory could not be looked through'))
      .finally(() => (this.#looking = null))
    return this.#looking
  }
}
