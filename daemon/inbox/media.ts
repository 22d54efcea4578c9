/** Media of the inbox as files: moved to where they stay, on the disk before anything names them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Moves a complete file, which is on the same file system, to `to`; what is there and how it is called is on the disk when this
 * resolves. Where a crash came after the move there is nothing left to do. Rejects where neither file exists.
 */
export async function placeMedia(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (await exists(from)) {
    await syncPath(from)
    await rename(from, to)
  } else await syncPath(to)
  await syncPath(folder)
}

export async function digestOf(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
