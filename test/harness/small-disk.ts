/** A small file system of its own, which a test fills and empties, or closes. Needs root. */
import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, pause } from './waiting.ts'

const block = 4096
/** One for all: a new one each time would be new pages of memory each time. */
const filling = Buffer.alloc(1024 * 1024)

export class SmallDisk {
  readonly dir: string
  readonly #filler: string

  private constructor(dir: string) {
    this.dir = dir
    this.#filler = join(dir, 'filler')
  }

  /** null: this machine does not let it be mounted. `options`: such as `size=100m`. */
  static mount(options: string): SmallDisk | null {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-small-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir], { stdio: 'ignore' })
      return new SmallDisk(dir)
    } catch {
      rmSync(dir, { recursive: true })
      return null
    }
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.dir)
    return bavail * bsize
  }

  /** The same, and waits until a store knows: what it measures of the disk is a quarter of a second old at most. */
  async filledTo(bytes: number): Promise<void> {
    this.fillTo(bytes)
    await pause(260)
  }

  /** Fills it until so many bytes are free, or frees as many: what fills it already stays. */
  fillTo(bytes: number): void {
    const file = openSync(this.#filler, 'a')
    try {
      const over = Math.ceil((bytes - this.free) / block) * block
      if (over > 0) ftruncateSync(file, Math.max(0, fstatSync(file).size - over))
      while (this.free > bytes) writeSync(file, filling, 0, Math.max(block, Math.min(filling.length, this.free - bytes)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      closeSync(file)
    }
  }

  empty(): void {
    closeSync(openSync(this.#filler, 'a'))
    truncateSync(this.#filler)
  }

  /** Of a program that was just killed a child may still have a file open: tried until it is done. */
  async remount(option: 'ro' | 'rw'): Promise<void> {
    await eventually(`the disk is ${option}`, () => {
      try {
        execFileSync('mount', ['-o', `remount,${option}`, this.dir], { stdio: 'ignore' })
        return true
      } catch {
        return false
      }
    })
  }

  close(): void {
    execFileSync('umount', ['--lazy', this.dir])
    rmSync(this.dir, { recursive: true, force: true })
  }
}
