/**
 * Room in the data file ahead of what is used. A commit that makes the file longer waits for the journal of the file system too; one
 * into blocks that were written before does not. And a disk that is full is found out here: LMDB, whose own write fails for that, writes
 * what it says of it beyond the end of its buffer, and the process dies.
 */
import { open, type FileHandle } from 'node:fs/promises'

const stepBytes = 2 * 1024 * 1024
/** More than the commits between two looks write. */
const leastBytes = 1024 * 1024
const commitsBetweenLooks = 8

export class Room {
  readonly #file: FileHandle
  readonly #usedBytes: () => number
  #commits = 0
  #short = false

  private constructor(file: FileHandle, usedBytes: () => number) {
    this.#file = file
    this.#usedBytes = usedBytes
  }

  /** `usedBytes`: up to the end of the last page that holds anything. */
  static async open(path: string, usedBytes: () => number): Promise<Room> {
    return new Room(await open(path, 'r+'), usedBytes)
  }

  /** Before a commit, while nobody writes; undefined where there is nothing to wait for. Rejects where the disk has no room for it. */
  ahead(): Promise<void> | undefined {
    return this.#commits++ % commitsBetweenLooks === 0 || this.#short ? this.#grow() : undefined
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #grow(): Promise<void> {
    const { size } = await this.#file.stat()
    if (size - this.#usedBytes() >= leastBytes) return void (this.#short = false)
    this.#short = true
    // It may write a part of them, and say why not all when it is asked for the rest.
    for (let written = 0; written < stepBytes;) {
      const left = Buffer.alloc(stepBytes - written)
      written += (await this.#file.write(left, 0, left.length, size + written)).bytesWritten
    }
    this.#short = false
  }
}
