/** Questions at the terminal, with what most would answer. */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandError, exitCode, type CommandErrorOptions } from '../client.ts'
import { dim, print, yellow } from '../output.ts'

/** The technician stopped the questions. */
export class GivenUp extends CommandError {
  constructor(options: CommandErrorOptions = {}) {
    super('stopped: nothing was changed', { exit: exitCode.failed, code: 'given-up', ...options })
  }
}

/** An answer, or why it does not fit. */
export type Fits = RegExp | ((answer: string) => string | null)

export class Questions {
  readonly #terminal: Interface
  #hidden = false

  constructor() {
    const screen = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#hidden) process.stdout.write(chunk)
        done()
      },
    })
    const output = Object.assign(screen, { columns: process.stdout.columns })
    // Without a history: an arrow key would bring the last password back.
    this.#terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
  }

  close(): void {
    this.#terminal.close()
  }

  async text(question: string, usual = '', fits: Fits = /\S/): Promise<string> {
    return this.#asked(fits, async () => (await this.#answer(`${question}${usual === '' ? '' : dim(` [${usual}]`)} `)) || usual)
  }

  /** Is not shown while it is typed. `usual` is kept by Enter, and not shown either. */
  async password(question: string, usual = ''): Promise<string> {
    const hint = dim(usual === '' ? '(not shown)' : '(not shown; Enter keeps the current one)')
    return this.#asked(/\S/, async () => {
      process.stdout.write(`${question} ${hint} `)
      this.#hidden = true
      try {
        return (await this.#answer('')) || usual
      } finally {
        this.#hidden = false
        print()
      }
    })
  }

  async yes(question: string, usual: boolean): Promise<boolean> {
    const fits: Fits = (answer) => (/^(y|yes|n|no)$/i.test(answer) ? null : 'answer y or n')
    return /^y/i.test(await this.text(`${question} (y/n)`, usual ? 'y' : 'n', fits))
  }

  /** "" for none. */
  async optional(question: string, fits: Fits = /^/): Promise<string> {
    return this.text(`${question} ${dim('(Enter for none)')}`, '', (answer) => (answer === '' ? null : fault(fits, answer)))
  }

  /** Waits until something was done outside; false where it will not be. */
  async ready(question: string): Promise<boolean> {
    const fits: Fits = (answer) => (/^s?$/i.test(answer) ? null : 'press Enter when done, or type s to skip')
    return (await this.text(`${question} ${dim('(s: skip)')}`, '', fits)) === ''
  }

  async #asked(fits: Fits, ask: () => Promise<string>): Promise<string> {
    for (;;) {
      const answer = await ask()
      const reason = fault(fits, answer)
      if (reason === null) return answer
      print(yellow(`  ${reason}`))
    }
  }

  /** @throws GivenUp at Ctrl-C, and at Ctrl-D, which ends what is typed. */
  async #answer(question: string): Promise<string> {
    try {
      return (await this.#terminal.question(question)).trim()
    } catch {
      print()
      throw new GivenUp()
    }
  }
}

/** The terminal is as it was before, whatever comes of it. */
export async function asked<T>(talk: (questions: Questions) => Promise<T>): Promise<T> {
  const questions = new Questions()
  try {
    return await talk(questions)
  } finally {
    questions.close()
  }
}

function fault(fits: Fits, answer: string): string | null {
  if (typeof fits === 'function') return fits(answer)
  return fits.test(answer) ? null : 'not a valid answer'
}
