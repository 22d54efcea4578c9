/** One daemon a directory: the kernel's flock, which ends with the process however it ends. */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export class StoreError extends Error {
  readonly code: 'in-use' | 'newer' | 'not-migrated' | 'not-writable' | 'closed'

  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}

/**
 * Returns the function that lets go. Node has no flock call, so the flock program of util-linux takes the lock on our
 * open file, which it inherits: such a lock belongs to the open file, and stays ours when the program has ended.
 */
export function lockDirectory(dir: string): () => void {
  const file = join(dir, 'store.lock')
  let fd: number
  try {
    fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
    if (!fstatSync(fd).isFile()) throw new Error(`${file} is no file`)
  } catch (error) {
    throw new StoreError('not-writable', `The directory ${dir} cannot be written: ${(error as Error).message}`, { cause: error })
  }
  const run = spawnSync('flock', ['--nonblock', '--exclusive', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  if (run.status !== 0) {
    const text = Buffer.alloc(20)
    const pid = text.toString('latin1', 0, readSync(fd, text, 0, text.length, 0)).trim()
    closeSync(fd)
    if (run.error !== undefined)
      throw new StoreError('not-writable', `The program flock (package util-linux) is needed: ${run.error.message}`)
    throw new StoreError(
      'in-use',
      `Another pbxd${pid === '' ? '' : ` (process ${pid})`} uses ${dir}. Stop it first, or give this one its own storage.dir.`,
    )
  }
  try {
    ftruncateSync(fd)
    writeSync(fd, `${process.pid}\n`, 0)
  } catch {
    // The holder's name is for people only; a full disk keeps no process from starting.
  }
  return () => closeSync(fd)
}
