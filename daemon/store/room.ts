/**
 * Room in the data file ahead of what is used. A commit that makes the file longer waits for the journal of the file system too; one
 * into blocks that were written before does not. And a disk that is full is found out here: LMDB, whose own write fails for that, writes
 * what it says of it beyond the end of its buffer, and the process dies. On a full disk the room that is there is what calls are written
 * into.
 */
import { open, type FileHandle } from 'node:fs/promises'
import type { Writes } from './table.ts'

const pageBytes = 4096
const stepBytes = 2 * 1024 * 1024
const leastBytes = 1024 * 1024
/** The root and a branch of a table, and of the list of free pages. */
const pagesOfTable = 3

export class Room {
  readonly #file: FileHandle
  readonly #usedBytes: () => number
  /** Of the file when it was looked at last; it never becomes shorter. */
  #size = 0
  /** Of the file behind what is used, at least. */
  #left = 0

  private constructor(file: FileHandle, usedBytes: () => number) {
    this.#file = file
    this.#usedBytes = usedBytes
  }

  /** `usedBytes`: up to the end of the last page that holds anything. */
  static async open(path: string, usedBytes: () => number): Promise<Room> {
    return new Room(await open(path, 'r+'), usedBytes)
  }

  /** Before a commit, while nobody writes; undefined where there is nothing to wait for. Rejects where the disk has no room for it. */
  ahead(writes: Writes): Promise<void> | undefined {
    const need = mostBytesOf(writes)
    this.#left -= need
    // Commits need far less than they may at most.
    if (this.#left < leastBytes) this.#left = this.#size - this.#usedBytes() - need
    return this.#left >= leastBytes ? undefined : this.#grow(need)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #grow(need: number): Promise<void> {
    const { size } = await this.#file.stat()
    let room = size - this.#usedBytes()
    try {
      const wanted = room >= need + leastBytes ? 0 : need + stepBytes - room
      // It may write a part of them, and say why not all when it is asked for the rest.
      for (let written = 0; written < wanted;) {
        const piece = Buffer.alloc(Math.min(stepBytes, wanted - written))
        const { bytesWritten } = await this.#file.write(piece, 0, piece.length, size + written)
        written += bytesWritten
        room += bytesWritten
      }
    } catch (error) {
      if (room < need) throw error
    } finally {
      this.#left = room - need
      this.#size = room + this.#usedBytes()
    }
  }
}

/** Pages that a commit copies or adds, in bytes, at most: one for each row and those above it, and long rows besides. */
function mostBytesOf(writes: Writes): number {
  let pages = 2 * pagesOfTable
  for (const rows of writes.values()) {
    pages += pagesOfTable
    for (const text of rows.values()) pages += 1 + (text === null ? 0 : Math.ceil((3 * text.length) / pageBytes))
  }
  return pages * pageBytes
}
