/** The store as it was before a version that has been taken back changed its shape. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../base/log.ts'

/**
 * Replaces the store in `dir`, which no process has open, by the copy that the first migration since then left (milliseconds since the
 * epoch); the replaced store stays next to it. Where nothing was migrated since, and where this has been done, nothing happens. A power cut
 * at any moment leaves one of the two stores whole, and the next start goes on.
 */
export function putBack(dir: string, since: number, log: Log): void {
  const copies = readdirSync(dir)
    .filter((name) => name.startsWith('before-migration-'))
    .map((name) => ({ name, file: join(dir, name, 'store.mdb') }))
    .flatMap(({ name, file }) => (existsSync(file) ? [{ name, file, at: statSync(file).mtimeMs }] : []))
    .filter(({ at }) => at >= since)
    .toSorted((a, b) => a.at - b.at)
  const [copy] = copies
  if (copy === undefined) return
  const done = join(dir, copy.name, 'put-back')
  if (existsSync(done)) return
  const store = join(dir, 'store.mdb')
  const aside = join(dir, copy.name, 'newer.mdb')
  if (existsSync(store) && !existsSync(aside)) linkSync(store, aside)
  copyFileSync(copy.file, `${store}.part`)
  sync(`${store}.part`)
  renameSync(`${store}.part`, store)
  sync(dir)
  writeFileSync(done, `${new Date().toISOString()}\n`, { mode: 0o600, flush: true })
  log.warn({ copy: copy.file, newer: aside }, 'the store is the one from before the upgrade that did not come up')
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
