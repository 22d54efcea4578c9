/**
 * TypeScript with its types taken out, kept for the tests: each of them would do that for a hundred files by itself. What was changed since is
 * taken from its source, as Node does it.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const folders = ['daemon', 'drivers', 'scripts', 'test']
const strippedOf = (file) => join(root, '.cache', 'test-modules', 'stripped', `${file.slice(root.length + 1)}.mjs`)
const changedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Brings what is kept up to date. */
export function stripTypes() {
  const files = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)))
  for (const file of files) {
    if (!file.endsWith('.ts') || file.includes(`${sep}node_modules${sep}`) || changedMs(strippedOf(file)) > changedMs(file)) continue
    mkdirSync(dirname(strippedOf(file)), { recursive: true })
    writeFileSync(strippedOf(file), stripTypeScriptTypes(readFileSync(file, 'utf8')))
  }
}

/** Undefined where it is not kept, or the source is newer. */
export function stripped(file) {
  if (!file.startsWith(root + sep) || !file.endsWith('.ts')) return undefined
  const kept = strippedOf(file)
  return changedMs(kept) > changedMs(file) ? readFileSync(kept, 'utf8') : undefined
}
