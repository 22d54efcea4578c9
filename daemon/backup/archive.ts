/**
 * The file of a backup: a tar archive within age (age-encryption.org/v1), written as it is read, so that its size needs no memory.
 * First `backup.json` (what box it was), then the files, last `end.json` with the length and SHA-256 of each: an archive without it is not whole.
 */
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'
import { extract, pack, type Pack } from 'tar-stream'
import { BackupError } from './error.ts'

export const headName = 'backup.json'
export const endName = 'end.json'
/** A head, or an end of 200,000 recordings, is smaller. */
const mostText = 64 * 1024 * 1024

/** A file that lies outside `storage.dir`. */
export interface OuterFile {
  /** In the archive. */
  readonly name: string
  /** On the box. */
  readonly path: string
  readonly mode: number
  /** Whose it is: the service's user and group have other numbers on another machine. */
  readonly owner: 'root' | 'service'
  readonly group: 'root' | 'service'
}

export interface BackupHead {
  readonly format: 1
  readonly version: string
  /** ISO 8601 UTC. */
  readonly madeAt: string
  readonly host: string
  readonly configFile: string
  readonly storageDir: string
  readonly outer: readonly OuterFile[]
  readonly credentials: readonly string[]
  /** What the configuration names and could not be read. */
  readonly missing: readonly string[]
}

export interface EndEntry {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** What goes into the archive; `path` is read when its turn comes. */
export interface Content {
  readonly name: string
  readonly path: string
  readonly mode?: number
  /** Deleted meanwhile is no fault of it. */
  readonly mayGo?: boolean
}

export interface Written {
  readonly files: number
  /** Of the encrypted file. */
  readonly bytes: number
  /** Of the encrypted file, hexadecimal. */
  readonly sha256: string
}

/** Writes and syncs `file`, which must not be there yet. */
export async function writeArchive(
  file: string,
  head: BackupHead,
  contents: Iterable<Content>,
  recipients: readonly string[],
): Promise<Written> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  const tar = pack()
  const end: EndEntry[] = []
  const packing = packAll(tar, head, contents, end).catch((error: unknown) => void tar.destroy(error as Error))
  const encrypted = await encrypter.encrypt(ReadableStream.from<Uint8Array>(tar as AsyncIterable<Uint8Array>))
  const handle = await open(file, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of encrypted as unknown as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      bytes += chunk.length
      await writeWhole(handle, chunk)
    }
    await packing
    await handle.sync()
  } finally {
    tar.destroy()
    await handle.close()
  }
  return { files: end.length, bytes, sha256: hash.digest('hex') }
}

async function writeWhole(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length;) from += (await handle.write(chunk, from)).bytesWritten
}

async function packAll(tar: Pack, head: BackupHead, contents: Iterable<Content>, end: EndEntry[]): Promise<void> {
  tar.entry({ name: headName, mode: 0o600 }, JSON.stringify(head))
  for (const content of contents) {
    const packed = await packFile(tar, content)
    if (packed !== undefined) end.push(packed)
  }
  tar.entry({ name: endName, mode: 0o600 }, JSON.stringify(end))
  tar.finalize()
}

async function packFile(tar: Pack, { name, path, mode, mayGo }: Content): Promise<EndEntry | undefined> {
  let handle
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (mayGo === true && ['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    const stats: Stats = await handle.stat()
    // What grows is taken as long as it is now.
    const { size } = stats
    const written = Promise.withResolvers<void>()
    const entry = tar.entry({ name, size, mode: mode ?? stats.mode & 0o777, mtime: stats.mtime }, (error) =>
      error ? written.reject(error) : written.resolve(),
    )
    written.promise.catch(() => undefined)
    const hash = createHash('sha256')
    let bytes = 0
    if (size > 0)
      for await (const chunk of handle.createReadStream({ end: size - 1, autoClose: false, highWaterMark: 256 * 1024 })) {
        const part = chunk as Buffer
        hash.update(part)
        bytes += part.length
        if (!entry.write(part)) await once(entry, 'drain')
      }
    if (bytes < size) throw new BackupError(`${path} became shorter while it was read`, { fix: 'make the backup again' })
    entry.end()
    await written.promise
    return { name, bytes, sha256: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}

/** Where an archive goes that is read. */
export interface Taker {
  /** Before any file. */
  begin?(head: BackupHead): void | Promise<void>
  /** Takes a file, and resolves when it needs nothing more of it. */
  take(name: string, mode: number, body: Readable): Promise<void>
}

export interface Read {
  readonly head: BackupHead
  readonly files: number
  /** Of the files within. */
  readonly bytes: number
}

const damaged = 'the backup is damaged, or was cut short'

/**
 * Reads all of it, holds it against its end, and hands each file to `taker`. What that did counts only when this resolves.
 * @throws BackupError for a wrong key, and for a file that is not a whole backup
 */
export async function readArchive(
  file: string,
  identities: readonly string[],
  taker: Taker = { take: (_name, _mode, body) => drain(body) },
): Promise<Read> {
  const handle = await open(file, 'r')
  try {
    const decrypter = new Decrypter()
    for (const identity of identities) decrypter.addIdentity(identity)
    const source = handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })
    const plain = await decrypter.decrypt(ReadableStream.from<Uint8Array>(source)).catch((error: unknown) => {
      throw headerFault(file, error)
    })
    const entries = extract()
    const reading = new Reading(taker)
    const feeding = pipeline(ReadableStream.from(plain as unknown as AsyncIterable<Uint8Array>), entries as unknown as Writable).catch(
      (error: unknown) => entries.destroy(error as Error),
    )
    try {
      for await (const entry of entries) {
        await reading.entry(entry.header.name, entry.header.mode ?? 0o600, entry as unknown as Readable)
        // The archive goes on once an entry has been read to its end.
        entry.resume()
      }
      await feeding
    } catch (error) {
      entries.destroy()
      if (error instanceof BackupError || isOfSystem(error)) throw error
      throw new BackupError(`${file}: ${damaged}`, { cause: error })
    }
    return reading.end(file)
  } finally {
    await handle.close()
  }
}

function isOfSystem(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined
}

function headerFault(file: string, error: unknown): BackupError {
  if (/no identity matched/.test((error as Error).message))
    return new BackupError(`${file} cannot be opened with this key: it was made for another recovery key`, { cause: error })
  return new BackupError(`${file} is not a backup, or ${damaged}`, { cause: error })
}

class Reading {
  readonly #taker: Taker
  readonly #found: EndEntry[] = []
  #head: BackupHead | undefined
  #end: readonly EndEntry[] | undefined

  constructor(taker: Taker) {
    this.#taker = taker
  }

  async entry(name: string, mode: number, body: Readable): Promise<void> {
    if (name === headName || name === endName) {
      const read: unknown = JSON.parse(await textOf(body))
      if (name === endName) this.#end = read as EndEntry[]
      else {
        this.#head = checkedHead(read as BackupHead)
        await this.#taker.begin?.(this.#head)
      }
      return
    }
    // Nobody but the key's owner could have written another name; it is a rule all the same.
    if (name.startsWith('/') || name.split('/').includes('..')) throw new BackupError(`the backup names a file outside itself: ${name}`)
    const hash = createHash('sha256')
    const counted = { bytes: 0 }
    await this.#taker.take(name, mode, Readable.from(hashed(body, hash, counted)))
    this.#found.push({ name, bytes: counted.bytes, sha256: hash.digest('hex') })
  }

  end(file: string): Read {
    const end = this.#end
    if (this.#head === undefined || end === undefined) throw new BackupError(`${file}: ${damaged}`)
    const same = end.length === this.#found.length && this.#found.every((found, at) => JSON.stringify(found) === JSON.stringify(end[at]))
    if (!same) throw new BackupError(`${file}: ${damaged}: its files are not those that it names`)
    return { head: this.#head, files: end.length, bytes: end.reduce((sum, { bytes }) => sum + bytes, 0) }
  }
}

function checkedHead(head: BackupHead): BackupHead {
  if (head.format === 1) return head
  throw new BackupError('the backup was made by a later version of pbxd', { fix: 'install the version that made it, or a later one' })
}

async function* hashed(body: AsyncIterable<Buffer>, hash: Hash, counted: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    hash.update(chunk)
    counted.bytes += chunk.length
    yield chunk
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostText) throw new BackupError(damaged)
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of body) void chunk
}
