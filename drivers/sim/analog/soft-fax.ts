/** The fax half of a simulated modem, for one call: the program pbx-sim-fax (ITU-T T.31, class 1) between the terminal and the line. */
import { spawn, type ChildProcess } from 'node:child_process'
import { silence } from './exchange.ts'

export interface SoftFaxHandlers {
  /** For the terminal. */
  output(bytes: Buffer): void
  /** It wants this number, or is off hook for a call that rings. */
  dial(digits: string): void
  answer(): void
  /** The call has ended; it says nothing more. */
  ended(): void
  /** Whether it takes bytes. */
  flow(takes: boolean): void
}

/** A program that hangs is silence. */
const patienceMs = 2000

export class SoftFax {
  readonly #child: ChildProcess
  readonly #handlers: SoftFaxHandlers
  readonly #said: Int16Array[] = []
  #asked = 0
  #rest: Buffer = Buffer.alloc(0)
  #over = false

  constructor(program: string, handlers: SoftFaxHandlers) {
    this.#handlers = handlers
    this.#child = spawn(program, [], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.on('error', () => this.#end())
    this.#child.on('close', () => this.#end())
    this.#child.stdin!.on('error', () => undefined)
    this.#child.stdout!.on('data', (bytes: Buffer) => this.#take(bytes))
  }

  input(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 1024) this.#send('B', bytes.subarray(at, at + 1024))
  }

  connected(): void {
    this.#send('C')
  }

  /** @param words of the result. */
  failed(words: string): void {
    this.#send('X', Buffer.from(words))
  }

  loopOpened(): void {
    this.#send('H')
  }

  frame(heard: Int16Array): Int16Array {
    this.#asked = performance.now()
    this.#send('S', Buffer.from(heard.buffer, heard.byteOffset, heard.byteLength))
    return this.#said.shift() ?? silence()
  }

  isReady(): boolean {
    return this.#over || this.#asked === 0 || this.#said.length > 0 || performance.now() - this.#asked > patienceMs
  }

  close(): void {
    this.#over = true
    this.#child.stdin!.end()
    this.#child.kill()
  }

  #send(letter: string, bytes: Uint8Array = new Uint8Array()): void {
    if (this.#over) return
    this.#child.stdin!.write(Buffer.concat([Buffer.from([letter.charCodeAt(0), bytes.length & 0xff, bytes.length >> 8]), bytes]))
  }

  #end(): void {
    if (this.#over) return
    this.close()
    this.#handlers.ended()
  }

  #take(bytes: Buffer): void {
    let rest = Buffer.concat([this.#rest, bytes])
    while (rest.length >= 3 && !this.#over) {
      const end = 3 + rest.readUInt16LE(1)
      if (rest.length < end) break
      this.#message(String.fromCharCode(rest[0]!), rest.subarray(3, end))
      rest = rest.subarray(end)
    }
    this.#rest = rest
  }

  #message(letter: string, bytes: Buffer): void {
    const { output, dial, answer, flow } = this.#handlers
    switch (letter) {
      case 'S':
        return void this.#said.push(Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i)))
      case 'B':
        return output(bytes)
      case 'D':
        return dial(bytes.toString('latin1'))
      case 'A':
        return answer()
      case 'H':
        return this.#end()
      case 'P':
      case 'R':
        return flow(letter === 'R')
    }
  }
}
