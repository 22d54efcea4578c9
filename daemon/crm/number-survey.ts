/** What is known of the numbers of the directory as a whole, as it was when they were looked through last. */
import type { Log } from '../base/log.ts'
import type { Directory, SharedNumbers } from './directory.ts'

const mostTimes = 2

export class NumberSurvey {
  readonly #directory: Pick<Directory, 'shared' | 'version'>
  readonly #log: Log
  #seen: SharedNumbers = { ambiguous: 0, crowded: [] }
  /** Of the directory, when they were looked through. */
  #version = -1
  #looking: Promise<void> | null = null

  constructor(directory: Pick<Directory, 'shared' | 'version'>, log: Log) {
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

  /** As the directory is now. Never rejects; while it keeps changing, as it was a moment ago. */
  async now(): Promise<SharedNumbers> {
    for (let times = 0; times < mostTimes && this.#version !== this.#directory.version; times++) await this.look()
    return this.#seen
  }

  /** Looks through them, once at a time. Never rejects. */
  look(): Promise<void> {
    if (this.#looking !== null) return this.#looking
    const { version } = this.#directory
    this.#looking = this.#directory
      .shared()
      .then((seen) => {
        this.#seen = seen
        this.#version = version
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the numbers of the directory could not be looked through'))
      .finally(() => (this.#looking = null))
    return this.#looking
  }
}
