/**
 * Room in the data file ahead of what is used. A commit that makes the file longer waits for the journal of the file system too; one
 * into blocks that were written before does not.
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

  private constructor(file: FileHandle, usedBytes: () => number) {
    this.#file = file
    this.#usedBytes = usedBytes
  }

  /** `usedBytes`: up to the end of the last page that holds anything. */
  static async open(path: string, usedBytes: () => number): Promise<Room> {
    return new Room(await open(path, 'r+'), usedBytes)
  }

  /** Before a commit, while nobody writes; undefined where there is nothing to wait for. */
  ahead(): Promise<void> | undefined {
    return this.#commits++ % commitsBetweenLooks === 0 ? this.#grow() : undefined
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  /** A disk that has no room for this may still have room for the rows: they are tried, and tell. */
  async #grow(): Promise<void> {
    try {
      const { size } = await this.#file.stat()
      if (size - this.#usedBytes() >= leastBytes) return
      await this.#file.write(Buffer.alloc(stepBytes), 0, stepBytes, size)
    } catch {
      return
    }
  }
}
