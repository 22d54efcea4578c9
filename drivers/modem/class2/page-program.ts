/** The pages of one call, converted by a pbx-fax process of their own (serve.h): the data of strangers are read there. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { programEnvironment, type ModemLog } from '../fax-program.ts'
import type { PageCoding } from './effects.ts'

export interface PageProgram {
  /** Code 0, or spandsp's: 11 no such resolution, 42 no such page, 40 the program failed. */
  encode(page: number, fine: boolean): Promise<{ readonly code: number; readonly data: Uint8Array }>
  /** Null: the program failed. */
  read(
    data: Uint8Array,
    coding: PageCoding,
    fine: boolean,
    reversed: boolean,
  ): Promise<{ readonly rows: number; readonly badRows: number } | null>
  keep(): Promise<boolean>
  /** Resolves when the file is closed. */
  close(): Promise<void>
}

/** A page takes 0.1 s. */
const answerMs = 30_000
const programFailed = 40

export function runPageProgram(path: string, order: object, log: ModemLog): PageProgram {
  return new Program(path, order, log)
}

class Program implements PageProgram {
  readonly #child: ChildProcess
  readonly #data: Duplex
  readonly #over: Promise<void>
  #last: Promise<unknown> = Promise.resolve()
  #answer: ((line: Record<string, unknown> | null) => void) | null = null
  #gone = false

  constructor(path: string, order: object, log: ModemLog) {
    const child = spawn(path, [], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], env: programEnvironment(), cwd: '/' })
    this.#child = child
    this.#data = child.stdio[3] as Duplex
    this.#data.pause()
    this.#data.on('error', () => undefined)
    child.stdin!.on('error', () => undefined)
    createInterface({ input: child.stderr! }).on('line', (line) => log.warn({ source: 'pbx-fax' }, line))
    createInterface({ input: child.stdout! }).on('line', (line) => this.#answer?.(parse(line)))
    this.#over = new Promise((resolve) => {
      const end = (): void => {
        this.#gone = true
        this.#answer?.(null)
        resolve()
      }
      child.on('error', end)
      child.on('close', end)
    })
    this.#say(order)
  }

  encode(page: number, fine: boolean): Promise<{ code: number; data: Uint8Array }> {
    return this.#inTurn(async () => {
      const answer = await this.#ask({ t: 'encode', page, fine })
      const code = answer === null ? programFailed : number(answer['code'])
      if (code !== 0) return { code, data: new Uint8Array() }
      const data = await this.#take(number(answer?.['bytes']))
      return data === null ? { code: programFailed, data: new Uint8Array() } : { code, data }
    })
  }

  read(data: Uint8Array, coding: PageCoding, fine: boolean, reversed: boolean): Promise<{ rows: number; badRows: number } | null> {
    return this.#inTurn(async () => {
      if (!this.#gone) this.#data.write(data)
      const answer = await this.#ask({ t: 'read', bytes: data.length, coding, fine, reversed })
      return answer === null ? null : { rows: number(answer['rows']), badRows: number(answer['badRows']) }
    })
  }

  keep(): Promise<boolean> {
    return this.#inTurn(async () => (await this.#ask({ t: 'keep' }))?.['kept'] === true)
  }

  async close(): Promise<void> {
    await this.#last
    this.#child.stdin!.end()
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), answerMs)
    await this.#over
    clearTimeout(impatience)
    this.#data.destroy()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done
    return done
  }

  #say(order: object): void {
    if (this.#child.pid !== undefined) this.#child.stdin!.write(`${JSON.stringify(order)}\n`)
  }

  #ask(order: object): Promise<Record<string, unknown> | null> {
    return new Promise((resolve) => {
      if (this.#gone) return resolve(null)
      const impatience = setTimeout(() => this.#child.kill('SIGKILL'), answerMs)
      this.#answer = (line) => {
        clearTimeout(impatience)
        this.#answer = null
        resolve(line)
      }
      this.#say(order)
    })
  }

  async #take(bytes: number): Promise<Uint8Array | null> {
    const chunks: Buffer[] = []
    for (let left = bytes; left > 0;) {
      const chunk = (this.#data.read(Math.min(left, this.#data.readableLength || left)) ?? null) as Buffer | null
      if (chunk !== null) {
        chunks.push(chunk)
        left -= chunk.length
        continue
      }
      if (this.#gone || this.#data.readableEnded || this.#data.destroyed) return null
      await new Promise<void>((resolve) => {
        const go = (): void => {
          for (const event of ['readable', 'end', 'close']) this.#data.off(event, go)
          resolve()
        }
        for (const event of ['readable', 'end', 'close']) this.#data.on(event, go)
      })
    }
    return Buffer.concat(chunks)
  }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
