/** Folders below storage.dir. */
import { mkdirSync } from 'node:fs'

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
