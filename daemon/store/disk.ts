import { statfsSync } from 'node:fs'

/** Bytes of a file system. */
export interface DiskRoom {
  /** That this user can still write. */
  readonly free: number
  readonly disk: number
}

/** Nothing of a disk that is not there. */
export function roomOn(dir: string): DiskRoom {
  try {
    const { bavail, blocks, bsize } = statfsSync(dir)
    return { free: bavail * bsize, disk: blocks * bsize }
  } catch {
    return { free: 0, disk: 0 }
  }
}

/** Bytes that this user can still write on the file system of `dir`. */
export function freeBytes(dir: string): number {
  return roomOn(dir).free
}
