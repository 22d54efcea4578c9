/** What took long to make, on disk by the hash of what it was made from: a repeat makes only what is new. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'

const folder = join(import.meta.dirname, '../../../.cache/fax-corpus')

export const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

export async function kept(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const place = join(folder, key.slice(0, 2))
  const file = join(place, key.slice(2))
  try {
    return inflateSync(readFileSync(file))
  } catch {
    // It was not made before.
  }
  const made = await make()
  mkdirSync(place, { recursive: true })
  writeFileSync(`${file}.${process.pid}`, deflateSync(made, { level: 1 }))
  renameSync(`${file}.${process.pid}`, file)
  return made
}
