/** A person at a terminal: types into a program that has a pseudo terminal, and reads what it shows (`script` of bsdutils, which every Debian has). */
import { spawn } from 'node:child_process'
import { endWithUs } from './processes.ts'
import { found } from './waiting.ts'

const keys = { enter: '\r', backspace: '\u007f', ctrlC: '\u0003', ctrlD: '\u0004' } as const
type Key = keyof typeof keys

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
/** What follows the program shows how it left the terminal. */
const after = 'code=$?; echo; stty -a | grep -o -E -e "-?(echo|icanon|isig)\\b" | xargs echo LEFT $code'

export class Typist {
  /** All that was on the screen, without colours and movements of the cursor. */
  screen = ''
  #seen = 0
  readonly #child
  readonly #ended: Promise<void>

  constructor(program: string, words: readonly string[], { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }) {
    const line = `${[program, ...words].map(quoted).join(' ')}; ${after}`
    // A person's Ctrl-C at the terminal reaches the shell too, which has to outlive the program.
    this.#child = spawn('script', ['-qfec', `stty cols 80 echo icanon isig; trap : INT; ${line}`, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    endWithUs(this.#child)
    // oxlint-disable-next-line no-control-regex
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.screen += text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '')))
    this.#ended = new Promise((done) => this.#child.once('close', () => done()))
  }

  /** Waits until it is on the screen, after what was waited for last. */
  async sees(what: RegExp | string, ms = 30_000): Promise<void> {
    const missing = () => `${what} is not on the screen:\n${this.screen}`
    const seen = () => {
      const rest = this.screen.slice(this.#seen)
      const at = typeof what === 'string' ? rest.indexOf(what) : rest.search(what)
      if (at < 0 && this.#child.exitCode !== null) throw new Error(missing())
      if (at < 0) return false
      this.#seen += at + (typeof what === 'string' ? what.length : (what.exec(rest)?.[0].length ?? 0))
      return true
    }
    await found(missing, seen, ms)
  }

  type(text: string): void {
    this.#child.stdin.write(text)
  }

  press(...pressed: Key[]): void {
    this.type(pressed.map((key) => keys[key]).join(''))
  }

  async answers(question: RegExp | string, text = ''): Promise<void> {
    await this.sees(question)
    this.type(text)
    this.press('enter')
  }

  /** Waits for the program's end: its exit code, and whether the terminal is as it was. */
  async left(ms = 60_000): Promise<{ code: number; sane: boolean }> {
    await this.sees(/LEFT [^\n]*\n/, ms)
    const [, code, modes = ''] = /LEFT (\d+) (.*?)\r?\n/.exec(this.screen) ?? []
    this.#child.stdin.end()
    await this.#ended
    return { code: Number(code), sane: ['echo', 'icanon', 'isig'].every((mode) => modes.split(' ').includes(mode)) }
  }

  close(): void {
    this.#child.kill()
  }
}
