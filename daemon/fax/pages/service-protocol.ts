/**
 * What is said between the daemon and the service that reads PDFs, over one connection for each PDF: the order as a line of JSON, and the
 * bytes of the PDF; back come lines of JSON, and after the last one the bytes of what was made. A client that closes the connection early wants
 * nothing more.
 */
import type { ChildReport, ChildTask, Outcome } from './child-protocol.ts'
import type { ChildLimits } from './limited-child.ts'
import type { PageErrorCode } from './page-error.ts'

export interface ServiceOrder {
  readonly task: ChildTask
  readonly limits: ChildLimits
  /** Of the PDF. */
  readonly bytes: number
  /** Files that are to be made. */
  readonly files: number
}

export type ServiceAnswer =
  | { readonly page: Extract<ChildReport, { report: 'page' }> }
  /** Sizes of the files that follow, in their order. */
  | { readonly outcome: Outcome; readonly files: readonly number[] }
  /** `code`: of a PageError; null for a StarvedError; undefined for a fault of the program. */
  | { readonly failed: { readonly code?: PageErrorCode | null; readonly message: string } }

const longestLine = 1 << 20

/** A stream of bytes as lines, and as pieces of which the length is known. */
export class Incoming {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** null: the end. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a)
      if (end >= 0) {
        const text = this.#rest.toString('utf8', 0, end)
        this.#rest = this.#rest.subarray(end + 1)
        return text
      }
      if (this.#rest.length > longestLine) throw new Error('a line without an end')
      if (!(await this.#more())) return null
    }
  }

  /** Hands so many bytes on; false where the end comes before. */
  async take(bytes: number, hand: (piece: Buffer) => Promise<unknown>): Promise<boolean> {
    for (let left = bytes; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) return false
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      await hand(piece)
    }
    return true
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done === true) return false
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }
}
