/** Questions at the terminal, with what most would answer. */
import type { Interface } from 'node:readline/promises'
import { dim, print, yellow } from '../output.ts'

export class Questions {
  readonly #terminal: Interface
  constructor(terminal: Interface) {
    this.#terminal = terminal
  }
  async text(question: string, usual = '', fits = /\S/): Promise<string> {
    for (;;) {
      const answer = (await this.#terminal.question(`${question}${usual === '' ? '' : dim(` [${usual}]`)} `)).trim() || usual
      if (fits.test(answer)) return answer
      print(yellow('  that does not fit'))
    }
  }
  async yes(question: string, usual: boolean): Promise<boolean> {
    return /^y/i.test(await this.text(`${question} (y/n)`, usual ? 'y' : 'n', /^[yn]/i))
  }
  /** "" for none. */
  optional(question: string): Promise<string> {
    return this.text(`${question} ${dim('(Enter for none)')}`, '', /^/)
  }
}
