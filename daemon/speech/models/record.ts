/** INSTALLED.json: what was put into a model's folder, with the hash of each file as it was verified. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

export const recordName = 'INSTALLED.json'

export interface RecordedFile {
  readonly role: string
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** Whole milliseconds since the epoch. */
  readonly mtimeMs: number
}

export interface InstallRecord {
  readonly id: string
  /** Version of the catalogue's form. */
  readonly manifest: number
  /** RFC 3339. */
  readonly installedAt: string
  /** Where it came from: addresses, or the file it was imported from. */
  readonly source: readonly string[]
  /** sha256 of what was fetched, by name. */
  readonly fetched: Readonly<Record<string, string>>
  /** Whether those hashes were known beforehand; otherwise the first download was trusted. */
  readonly pinned: boolean
  readonly files: readonly RecordedFile[]
}

/** Undefined when there is none; `damaged` when it cannot be read. */
export function readRecord(folder: string): InstallRecord | 'damaged' | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, recordName), 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'damaged'
  }
  try {
    const record = JSON.parse(text) as Partial<InstallRecord>
    const whole =
      typeof record.id === 'string' &&
      Array.isArray(record.files) &&
      record.files.every(
        (file: Partial<RecordedFile>) => typeof file.name === 'string' && !file.name.includes('/') && typeof file.role === 'string',
      )
    return whole ? (record as InstallRecord) : 'damaged'
  } catch {
    return 'damaged'
  }
}

export async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  await writeDurably(join(folder, recordName), `${JSON.stringify(record, null, 2)}\n`)
}

/** In a file of its own first: a reader sees the old content or the new one, and another link to the old keeps it. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o644)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** `seen` is called for each piece, so that a long file shows progress. */
export async function hashOf(
  path: string,
  options: { into?: Hash; seen?: (bytes: number) => void; signal?: AbortSignal } = {},
): Promise<string> {
  const hash = options.into ?? createHash('sha256')
  const reading = createReadStream(path, { highWaterMark: 1 << 20, ...(options.signal === undefined ? {} : { signal: options.signal }) })
  for await (const piece of reading) {
    hash.update(piece as Buffer)
    options.seen?.((piece as Buffer).length)
  }
  return options.into === undefined ? hash.digest('hex') : ''
}

/** Hashes a file that is in its place, for the record. */
export async function recordOf(folder: string, role: string, name: string, known?: string): Promise<RecordedFile> {
  const path = join(folder, name)
  const { size, mtimeMs } = await stat(path)
  return { role, name, bytes: size, sha256: known ?? (await hashOf(path)), mtimeMs: Math.trunc(mtimeMs) }
}
