/**
 * The configurations that were in use, as their files said them, one file each (mode 0600: there may be secrets in them), named by their
 * number. The newest are kept.
 */
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Revision {
  readonly revision: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `start` where it was found in the file. */
  readonly by: string
  readonly note: string
  readonly outcome: 'applied' | 'reverted'
  /** Why it was taken back. */
  readonly reason: string
  /** How many keys it changed, and the first of them in words. */
  readonly changes: number
  readonly summary: readonly string[]
  /** The whole file. */
  readonly text: string
  /** Where the file could not be written: the SHA-256 of what it said instead. A file that says that still is older than this revision. */
  readonly over?: string
}

export const stampOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const kept = 50

export class Revisions {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  /** Newest first. What cannot be read is left out. */
  list(): Revision[] {
    return this.#numbers()
      .toReversed()
      .flatMap((number) => this.get(number) ?? [])
  }

  get(number: number): Revision | null {
    try {
      return JSON.parse(readFileSync(this.#file(number), 'utf8')) as Revision
    } catch {
      return null
    }
  }

  /** Kept when this returns, under the next number. */
  add(revision: Omit<Revision, 'revision'>): Revision {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
    const numbers = this.#numbers()
    const added: Revision = { revision: (numbers.at(-1) ?? 0) + 1, ...revision }
    const file = this.#file(added.revision)
    writeFileSync(`${file}.part`, JSON.stringify(added), { mode: 0o600, flush: true })
    chmodSync(`${file}.part`, 0o600)
    renameSync(`${file}.part`, file)
    for (const number of numbers.slice(0, Math.max(0, numbers.length + 1 - kept))) rmSync(this.#file(number), { force: true })
    return added
  }

  /** What was applied last where the file says still what it said before, because it could not be written; null: the file counts. */
  laterThan(fileText: string): Revision | null {
    const last = this.list().find(({ outcome }) => outcome === 'applied')
    return last?.over !== undefined && last.text !== fileText && last.over === stampOf(fileText) ? last : null
  }

  /** Random, of this box: by it secrets are named where they are not shown. */
  maskKey(): Uint8Array {
    const file = join(this.#dir, 'mask.key')
    try {
      return readFileSync(file)
    } catch {
      const key = randomBytes(32)
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      writeFileSync(file, key, { mode: 0o600, flush: true })
      return key
    }
  }

  #file(number: number): string {
    return join(this.#dir, `${number}.json`)
  }

  /** Oldest first. */
  #numbers(): number[] {
    try {
      const found = readdirSync(this.#dir).flatMap((name) => /^([1-9]\d{0,9})\.json$/.exec(name)?.[1] ?? [])
      return found.map(Number).sort((one, other) => one - other)
    } catch {
      return []
    }
  }
}
