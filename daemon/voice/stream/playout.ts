/**
 * What a server has said and the caller has not heard yet. The line gets a few seconds of it ahead, joined to the sample; what it
 * says of each piece, in the tick that takes its last sample, is what echoes the marks.
 */
import type { Played } from '../../calls/course.ts'
import type { StreamFormat } from './format.ts'

/** What a stream may keep whatever others keep: half a minute at 8 kHz. Servers that fill all there is take nothing from those that speak as they are heard. */
const ownBytes = 240_000

/** Bytes of audio that all streams may keep together. */
export class AudioBudget {
  readonly #most: number
  #used = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many of `bytes` are granted to a stream that keeps `kept` already. */
  take(bytes: number, kept: number): number {
    const granted = Math.min(bytes, Math.max(0, this.#most - this.#used, ownBytes - kept))
    this.#used += granted
    return granted
  }

  giveBack(bytes: number): void {
    this.#used -= bytes
  }

  get used(): number {
    return this.#used
  }
}

export interface PlayoutOptions {
  readonly play: (samples: Int16Array) => Promise<Played>
  /** Empties the line's own queue. */
  readonly clear: () => void
  /** The last sample before the mark has left. */
  readonly passed: (mark: string) => void
  readonly budget: AudioBudget
  readonly format: StreamFormat
}

interface Piece {
  readonly bytes: number
  readonly marks: string[]
}

/** Ten minutes, as the model for these frames has it. */
export const mostQueuedMs = 600_000
const mostMarks = 5000
/** So much is with the line, ahead of what is heard: a busy moment of this process is not heard. */
const aheadMs = 4000
const mostJoined = 4096
const pieceMs = 1000

export class Playout {
  readonly #options: PlayoutOptions
  /** Not with the line yet, in order. */
  #waiting: (Buffer | string)[] = []
  #waitingBytes = 0
  #sent: Piece[] = []
  #sentBytes = 0
  #marks = 0
  /** Less than a frame is kept for what follows; the tick after which nothing has followed has it played. */
  #stale = false
  #closed = false
  /** Nothing follows. */
  #ends = false
  #dry: (() => void)[] = []
  droppedBytes = 0
  droppedMarks = 0

  constructor(options: PlayoutOptions) {
    this.#options = options
  }

  get #bytesPerMs(): number {
    return this.#options.format.frameBytes / 20
  }

  get droppedMs(): number {
    return Math.round(this.droppedBytes / this.#bytesPerMs)
  }

  get queuedMs(): number {
    return Math.round((this.#waitingBytes + this.#sentBytes) / this.#bytesPerMs)
  }

  /** False when not all of it could be kept. */
  add(audio: Buffer): boolean {
    if (this.#closed) return false
    const kept = this.#waitingBytes + this.#sentBytes
    const granted = this.#options.budget.take(Math.min(audio.length, mostQueuedMs * this.#bytesPerMs - kept), kept)
    this.droppedBytes += audio.length - granted
    if (granted > 0) {
      this.#append(audio.subarray(0, granted))
      this.#waitingBytes += granted
      this.#stale = false
      this.#feed(false)
    }
    return granted === audio.length
  }

  /** Small pieces become larger ones: a server may send single bytes. */
  #append(audio: Buffer): void {
    const last = this.#waiting.at(-1)
    if (last === undefined || typeof last === 'string' || last.length + audio.length > mostJoined) this.#waiting.push(audio)
    else this.#waiting[this.#waiting.length - 1] = Buffer.concat([last, audio])
  }

  mark(name: string): boolean {
    if (this.#closed) return false
    if (this.#marks >= mostMarks) {
      this.droppedMarks++
      return false
    }
    this.#marks++
    this.#waiting.push(name)
    this.#feed(false)
    return true
  }

  /** The caller hears nothing more of what was queued; all marks are reported at once, in order. */
  clear(): void {
    const marks = [...this.#sent.flatMap((piece) => piece.marks), ...this.#waiting.filter((each) => typeof each === 'string')]
    this.#options.budget.giveBack(this.#waitingBytes + this.#sentBytes)
    const playing = this.#sent.length > 0
    this.#waiting = []
    this.#sent = []
    this.#waitingBytes = this.#sentBytes = 0
    if (playing) this.#options.clear()
    for (const name of marks) this.#passed(name)
    this.#tellDry()
  }

  /** 20 ms have gone by. */
  tick(): void {
    if (this.#sent.length > 0 || this.#waitingBytes === 0) return
    if (this.#stale) this.#feed(true)
    this.#stale = true
  }

  /** Resolves when everything was heard, or cleared. */
  drained(): Promise<void> {
    this.#ends = true
    this.#feed(true)
    return new Promise((resolve) => {
      this.#dry.push(resolve)
      this.#tellDry()
    })
  }

  close(): void {
    this.#closed = true
    this.clear()
  }

  /** `whole`: also what is less than a frame. */
  #feed(whole: boolean): void {
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting
      if (typeof first === 'string') {
        this.#waiting.shift()
        const last = this.#sent.at(-1)
        if (last === undefined) this.#passed(first)
        else last.marks.push(first)
        continue
      }
      if (this.#sentBytes >= aheadMs * this.#bytesPerMs) return
      const piece = this.#take(whole)
      if (piece === null) return
      if (piece.length > 0) this.#play(piece)
    }
  }

  /** The next bytes for the line; null where there is less than a frame, and nothing says that it ends there. */
  #take(whole: boolean): Buffer | null {
    const { frameBytes, sampleBytes } = this.#options.format
    const pieceBytes = pieceMs * this.#bytesPerMs
    const parts: Buffer[] = []
    let bytes = 0
    let index = 0
    for (; index < this.#waiting.length && bytes < pieceBytes; index++) {
      const each = this.#waiting[index]!
      if (typeof each === 'string') break
      parts.push(each)
      bytes += each.length
    }
    const ends = index < this.#waiting.length && typeof this.#waiting[index] === 'string'
    const most = Math.min(bytes, pieceBytes)
    const whatIsThere = most === bytes && (whole || ends || this.#ends)
    const taken = most - (most % (whatIsThere ? sampleBytes : frameBytes))
    // Half a sample that nothing completes is none.
    const lost = whatIsThere && (ends || this.#ends) ? bytes - taken : 0
    if (taken + lost === 0) return null
    const joined = Buffer.concat(parts, bytes)
    this.#waiting.splice(0, index, ...(taken + lost < bytes ? [joined.subarray(taken)] : []))
    this.#waitingBytes -= taken + lost
    this.#options.budget.giveBack(lost)
    return joined.subarray(0, taken)
  }

  #play(audio: Buffer): void {
    const piece: Piece = { bytes: audio.length, marks: [] }
    this.#sent.push(piece)
    this.#sentBytes += piece.bytes
    void this.#options.play(this.#options.format.decode(audio)).then(() => this.#played(piece))
  }

  #played(piece: Piece): void {
    // A cleared piece has been reported already.
    if (this.#sent[0] !== piece) return
    this.#sent.shift()
    this.#sentBytes -= piece.bytes
    this.#options.budget.giveBack(piece.bytes)
    for (const name of piece.marks) this.#passed(name)
    this.#feed(false)
    this.#tellDry()
  }

  #passed(name: string): void {
    this.#marks--
    if (!this.#closed) this.#options.passed(name)
  }

  #tellDry(): void {
    if (this.#sent.length > 0 || this.#waitingBytes > 0) return
    for (const tell of this.#dry.splice(0)) tell()
  }
}
