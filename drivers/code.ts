/**
 * Where the program's own files lie: its sources, or what was compiled of them. The compiled daemon is one file next to the compiled others
 * (scripts/bundle.mjs), so no file but this one may ask where it lies itself.
 */
import { extname, join } from 'node:path'

/** The folder that holds `daemon` and `drivers`. In the bundle, too, this is the folder above this one. */
export const code = join(import.meta.dirname, '..')

/** A file of the program that is run by itself. `name`: from `code`, without its ending. */
export function codeFile(name: string): string {
  return join(code, `${name}${extname(import.meta.filename)}`)
}
