/** The files of the console as scripts/console.mjs builds them: each as NAME.HASH.ext.br and .gz, and a list of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `built.json` says. Names are without the ending of a coding. */
export interface Built {
  /** Of the document; it loads the others. */
  readonly script: string
  readonly icon: string
  readonly files: readonly string[]
}

/** `folder`: where they lie. Undefined where they were not built. */
export function readBuilt(folder: string): Built | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as Built
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
