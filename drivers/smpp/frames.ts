/** Cuts a stream of bytes into PDUs by their length (SMPP 3.4, 3.2). Holds one unfinished PDU at most, whatever its length says. */
import { headLength, largestPdu } from './codec.ts'

export class FrameReader {
  readonly #length = Buffer.alloc(4)
  #frame: Buffer | null = null
  #filled = 0

  /**
   * The PDUs that are whole now.
   * @throws Error where a length cannot be: nothing after it can be read either
   */
  push(chunk: Buffer): Buffer[] {
    const whole: Buffer[] = []
    let rest = chunk
    while (rest.length > 0) {
      const target = this.#frame ?? this.#length
      const taken = rest.copy(target, this.#filled)
      this.#filled += taken
      rest = rest.subarray(taken)
      if (this.#filled < target.length) break
      if (this.#frame === null) {
        this.#frame = this.#begin()
      } else {
        whole.push(this.#frame)
        this.#frame = null
        this.#filled = 0
      }
    }
    return whole
  }

  #begin(): Buffer {
    const length = this.#length.readUInt32BE(0)
    if (length < headLength || length > largestPdu) throw new Error(`a PDU of ${length} bytes`)
    const frame = Buffer.alloc(length)
    this.#length.copy(frame)
    return frame
  }
}
