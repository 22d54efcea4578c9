import { statfsSync } from 'node:fs'

/** Bytes that this user can still write on the file system of `dir`. */
export function freeBytes(dir: string): number {
  const status = statfsSync(dir)
  return status.bavail * status.bsize
}
