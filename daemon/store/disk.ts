import { statfsSync, mkdirSync } from 'node:fs'

// Folders below storage.dir.

/** All that were asked for. */
const asked = new Set<string>()

/**
 * Whether the folder is there: made where it is missing, for us alone. A disk that does not let it keeps nothing else from starting; the
 * code that writes there asks again.
 */
export function madeFolder(dir: string): boolean {
  asked.add(dir)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return true
  } catch {
    return false
  }
}

/** Those in use below `dir`. */
export function foldersBelow(dir: string): string[] {
  return [...asked].filter((folder) => folder.startsWith(`${dir}/`))
}

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
