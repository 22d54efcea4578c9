/**
 * The file of a backup: a tar archive within age (age-encryption.org/v1), written as it is read, so that its size needs no memory. First
 * `backup.json` (what box it was), then the files, last `end.json` with the length and SHA-256 of each: an archive without it is not whole.
 * age controls who may read it, and does not prove who wrote it: anyone with the public half of the key can. So both carry a seal (format
 * 2): HMAC-SHA-256 (RFC 2104) with a secret that root of the box has, and that the holder of the recovery key can compute again.
 */
import { createHash, createHmac, timingSafeEqual, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter } from 'age-encryption'
import { extract, pack, type Pack } from 'tar-stream'
import { asHandle, openNamed, openNew, openToRead, UnsafePath } from '../base/owner.ts'
import { BackupError } from './error.ts'
import { authorOf } from './keys.ts'

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
  /** 1: without a seal. */
  readonly format: 1 | 2
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
  /** Of all the rest of the head, hexadecimal. */
  readonly seal?: string
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
  /** What is there and may not be read by the owner of its place. */
  readonly unread: readonly string[]
}

/** Writes and syncs `file`, which must not be there yet. `author`: the secret of the seal; null for none. */
export async function writeArchive(
  file: string,
  head: BackupHead,
  contents: Iterable<Content>,
  recipients: readonly string[],
  author: string | null = null,
): Promise<Written> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  const tar = pack()
  const packer = new Packer(tar, author)
  const packing = packer.pack(head, contents).catch((error: unknown) => void tar.destroy(error as Error))
  const encrypted = await encrypter.encrypt(ReadableStream.from<Uint8Array>(tar as AsyncIterable<Uint8Array>))
  const handle = await asHandle(openNew(file), constants.O_WRONLY)
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
  return { files: packer.end.length, bytes, sha256: hash.digest('hex'), unread: packer.unread }
}

async function writeWhole(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length;) from += (await handle.write(chunk, from)).bytesWritten
}

class Packer {
  readonly end: EndEntry[] = []
  readonly unread: string[] = []
  readonly #tar: Pack
  readonly #author: string | null

  constructor(tar: Pack, author: string | null) {
    this.#tar = tar
    this.#author = author
  }

  async pack(head: BackupHead, contents: Iterable<Content>): Promise<void> {
    const sealed = this.#author === null ? head : { ...head, format: 2, seal: sealOf(this.#author, head) }
    this.#tar.entry({ name: headName, mode: 0o600 }, JSON.stringify(sealed))
    for (const content of contents) {
      const packed = await this.#file(content)
      if (packed !== undefined) this.end.push(packed)
    }
    const end = this.#author === null ? this.end : { files: this.end, seal: sealOf(this.#author, head, this.end) }
    this.#tar.entry({ name: endName, mode: 0o600 }, JSON.stringify(end))
    this.#tar.finalize()
  }

  async #file({ name, path, mode, mayGo }: Content): Promise<EndEntry | undefined> {
    let handle
    try {
      handle = await asHandle(openToRead(path))
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (mayGo !== true || !(error instanceof UnsafePath || ['ENOENT', 'ELOOP', 'EACCES', 'ENXIO'].includes(code))) throw error
      if (code !== 'ENOENT') this.unread.push(path)
      return undefined
    }
    try {
      return await this.#packed({ name, path, handle, mode })
    } finally {
      await handle.close()
    }
  }

  async #packed(of: { name: string; path: string; handle: FileHandle; mode: number | undefined }): Promise<EndEntry> {
    const { name, path, handle, mode } = of
    const stats = await handle.stat()
    // What grows is taken as long as it is now.
    const { size } = stats
    const written = Promise.withResolvers<void>()
    const entry = this.#tar.entry({ name, size, mode: mode ?? stats.mode & 0o777, mtime: stats.mtime }, (error) =>
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
  }
}

/** Of the head, and of the files where they are named. */
function sealOf(author: string, { seal: _, ...head }: BackupHead, files: readonly EndEntry[] | null = null): string {
  return createHmac('sha256', author)
    .update(JSON.stringify([{ ...head, format: 2 }, files]))
    .digest('hex')
}

function isSealed(authors: readonly string[], seal: unknown, head: BackupHead, files: readonly EndEntry[] | null): boolean {
  if (typeof seal !== 'string' || !/^[0-9a-f]{64}$/.test(seal)) return false
  return authors.some((author) => timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(author, head, files))))
}

/** Where an archive goes that is read. */
export interface Taker {
  /** Before any file. `sealed`: root of a box with this recovery key wrote this head. */
  begin?(head: BackupHead, sealed: boolean): void | Promise<void>
  /** Takes a file, and resolves when it needs nothing more of it. */
  take(name: string, mode: number, body: Readable): Promise<void>
}

export interface Read {
  readonly head: BackupHead
  /** True: root of a box with this recovery key made it. False: anyone who knows the public half of the key may have made it. */
  readonly sealed: boolean
  readonly files: number
  /** Of the files within. */
  readonly bytes: number
}

const damaged = 'the backup is damaged or incomplete'

/**
 * Reads all of it, holds it against its end, and hands each file to `taker`. What that did counts only when this resolves.
 * `authors`: whose seals are good; by default those that the identities can work out.
 * @throws BackupError for a wrong key, and for a file that is not a whole backup
 */
export async function readArchive(
  file: string,
  identities: readonly string[],
  taker: Taker = { take: (_name, _mode, body) => drain(body) },
  authors: readonly string[] = identities.map(authorOf),
): Promise<Read> {
  const handle = await asHandle(openNamed(file))
  try {
    const decrypter = new Decrypter()
    for (const identity of identities) decrypter.addIdentity(identity)
    const source = handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })
    const plain = await decrypter.decrypt(ReadableStream.from<Uint8Array>(source)).catch((error: unknown) => {
      throw headerFault(file, error)
    })
    const entries = extract()
    const reading = new Reading(taker, authors)
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
    return new BackupError(`${file} cannot be opened with this key: it needs another recovery key`, { cause: error })
  return new BackupError(`${file} is not a backup, or ${damaged}`, { cause: error })
}

class Reading {
  readonly #taker: Taker
  readonly #authors: readonly string[]
  readonly #found: EndEntry[] = []
  #head: BackupHead | undefined
  #end: unknown

  constructor(taker: Taker, authors: readonly string[]) {
    this.#taker = taker
    this.#authors = authors
  }

  async entry(name: string, mode: number, body: Readable): Promise<void> {
    if (name === headName || name === endName) {
      const read: unknown = JSON.parse(await textOf(body))
      if (name === endName) this.#end = read
      else {
        this.#head = checkedHead(read as BackupHead)
        await this.#taker.begin?.(this.#head, this.#sealed(this.#head.seal))
      }
      return
    }
    if (name.startsWith('/') || name.split('/').includes('..')) throw new BackupError(`the backup names a file outside itself: ${name}`)
    const hash = createHash('sha256')
    const counted = { bytes: 0 }
    await this.#taker.take(name, mode, Readable.from(hashed(body, hash, counted)))
    this.#found.push({ name, bytes: counted.bytes, sha256: hash.digest('hex') })
  }

  /** @throws BackupError for a seal that is not one of this key: nobody makes such but to deceive. */
  #sealed(seal: unknown, files: readonly EndEntry[] | null = null): boolean {
    if (this.#head?.format !== 2) return false
    if (isSealed(this.#authors, seal, this.#head, files)) return true
    throw new BackupError('the seal of the backup does not match the box that it names: the backup was changed or forged')
  }

  end(file: string): Read {
    const head = this.#head
    if (head === undefined || this.#end === undefined) throw new BackupError(`${file}: ${damaged}`)
    const { files = this.#end, seal } = this.#end as { files?: unknown; seal?: unknown }
    const end = files as readonly EndEntry[]
    const same = end.length === this.#found.length && this.#found.every((found, at) => JSON.stringify(found) === JSON.stringify(end[at]))
    if (!same) throw new BackupError(`${file}: ${damaged}: its files do not match its list`)
    const sealed = this.#sealed(seal, end)
    return { head, sealed, files: end.length, bytes: end.reduce((sum, { bytes }) => sum + bytes, 0) }
  }
}

function checkedHead(head: BackupHead): BackupHead {
  if (head.format === 1 || head.format === 2) return head
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
