/**
 * TypeScript with its types taken out, kept for the tests: each of them would do that for a hundred files by itself. What is kept has the time of
 * its source; where they differ the source is read, as Node does it.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const folders = ['daemon', 'drivers', 'scripts', 'test']
const strippedOf = (file) => join(root, '.cache', 'test-modules', 'stripped', `${file.slice(root.length + 1)}.mjs`)
/** In milliseconds, as `utimes` sets it; NaN, which equals nothing, where there is none. */
const changedMs = (file) => Math.round(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? NaN)

/** Brings what is kept up to date. */
export function stripTypes() {
  const files = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)))
  for (const file of files) {
    if (!file.endsWith('.ts') || file.includes(`${sep}node_modules${sep}`) || changedMs(strippedOf(file)) === changedMs(file)) continue
    mkdirSync(dirname(strippedOf(file)), { recursive: true })
    const { atime, mtime } = statSync(file)
    writeFileSync(strippedOf(file), stripTypeScriptTypes(readFileSync(file, 'utf8')))
    utimesSync(strippedOf(file), atime, mtime)
  }
}

/** Undefined where it is not kept, or the source is another by now. */
export function stripped(file) {
  if (!file.startsWith(root + sep) || !file.endsWith('.ts')) return undefined
  const kept = strippedOf(file)
  return changedMs(kept) === changedMs(file) ? readFileSync(kept, 'utf8') : undefined
}
