/** How words sound: the bundled dictionary (CMU's), kept as the file's bytes and searched; for other words Debian's `t2p`. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { modelFolder, phoneSet } from './engine.ts'

/** One way to say a word: phones in capitals with spaces between. */
export type Sounds = string

const mostKept = 2000
const guessLimitMs = 2000
/** t2p reads ASCII; a word begins with a letter, so that it is never taken for an option. */
const guessable = /^[a-z][a-z']{0,30}$/

/** The Debian package has it compressed (scripts/deb/slim.mjs). */
function bundled(): Buffer {
  const file = join(modelFolder, 'dict.txt')
  return existsSync(file) ? readFileSync(file) : gunzipSync(readFileSync(`${file}.gz`))
}

export class Dictionary {
  readonly #file = bundled()
  readonly #command: string
  readonly #guessed = new Map<string, Promise<readonly Sounds[]>>()

  constructor(command = 't2p') {
    this.#command = command
  }

  /** All ways to say a word in lower case; none when nobody knows. */
  async look(word: string): Promise<readonly Sounds[]> {
    const found = this.#find(word)
    return found.length > 0 || !guessable.test(word) ? found : this.#guess(word)
  }

  #find(word: string): Sounds[] {
    const found: Sounds[] = []
    for (let variant = 1; ; variant += 1) {
      const start = `\n${word}${variant === 1 ? '' : `(${variant})`} `
      const at = this.#file.indexOf(start)
      if (at < 0) return found
      const end = this.#file.indexOf('\n', at + start.length)
      found.push(this.#file.toString('latin1', at + start.length, end < 0 ? undefined : end).trim())
    }
  }

  #guess(word: string): Promise<readonly Sounds[]> {
    const known = this.#guessed.get(word)
    if (known !== undefined) return known
    if (this.#guessed.size >= mostKept) this.#guessed.clear()
    const guess = new Promise<readonly Sounds[]>((resolve) => {
      // A limit of the kernel's, since a confined process may not be allowed to end another.
      execFile(
        'prlimit',
        [`--cpu=${guessLimitMs / 1000}`, this.#command, word],
        { timeout: guessLimitMs, killSignal: 'SIGKILL', maxBuffer: 10_000 },
        (error, printed) => {
          resolve(error === null ? fromFlite(printed) : [])
        },
      )
    })
    this.#guessed.set(word, guess)
    return guess
  }
}

/** `pau r aa d r iy1 g eh z pau` -> `R AA D R IY G EH Z`. */
function fromFlite(printed: string): Sounds[] {
  const phones = printed
    .trim()
    .split(/\s+/)
    .filter((phone) => phone !== 'pau')
    .map((phone) => phone.replace(/\d$/, '').toUpperCase())
    .map((phone) => (phone === 'AX' ? 'AH' : phone))
  return phones.length > 0 && phones.every((phone) => phoneSet.has(phone)) ? [phones.join(' ')] : []
}
