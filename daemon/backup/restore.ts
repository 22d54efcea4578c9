/**
 * Puts the box of a backup in the place of what is here. All of it is unpacked and looked at beside what is there; then a marker says that
 * it is decided, and from there on it is only moved, step by step, so that it can be finished after a power cut. Before the marker is
 * written the old box is whole, and after it the new one.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../log.ts'
import { freeBytes } from '../store/disk.ts'
import { lockDirectory, openStore, StoreError } from '../store/store.ts'
import { readArchive, type BackupHead, type OuterFile, type Read } from './archive.ts'
import { BackupError, inWords } from './error.ts'
import { hasBox, replacedFolder, restoredNote, restoreFolder, restoreMarker, staysAt, under, unfinishedRestore } from './places.ts'

export interface RestoreOptions {
  readonly file: string
  readonly identities: readonly string[]
  /** The file system of the box: `/`, or where its disk is mounted. */
  readonly root: string
  /** Whether a box that is there may be replaced. */
  readonly force: boolean
  readonly log: Log
}

export interface Restored extends Read {
  readonly configFile: string
  readonly storageDir: string
  /** Where lies what was there; null where nothing was. */
  readonly replaced: string | null
}

interface Marker {
  /** What is moved aside, and what is moved in, below `storage.dir`. */
  readonly old: readonly string[]
  readonly next: readonly string[]
  readonly outer: readonly { readonly from: string; readonly to: string }[]
}

interface Service {
  readonly uid: number
  readonly gid: number
}

const pending = '.restoring'
const spareBytes = 64 * 1024 * 1024

/** @throws BackupError, and then nothing is otherwise than before */
export async function restoreBackup({ file, identities, root, force, log }: RestoreOptions): Promise<Restored> {
  const site = new Site(root, force)
  try {
    const read = await readArchive(file, identities, {
      begin: (head) => site.begin(head, statSync(file).size),
      take: (name, mode, body) => site.take(name, mode, body),
    })
    await site.proveStore(log)
    site.layOut(read.head)
    finishRestore(site.storageDir)
    return { ...read, configFile: under(root, read.head.configFile), storageDir: site.storageDir, replaced: site.replaced() }
  } catch (error) {
    site.giveUp()
    if (error instanceof BackupError) throw error
    throw new BackupError(`nothing was restored: ${inWords(error)}`, { cause: error })
  } finally {
    site.unlock()
  }
}

class Site {
  readonly #root: string
  readonly #force: boolean
  #storageDir = ''
  #service: Service = { uid: 0, gid: 0 }
  #decided = false
  #made: string[] = []
  #unlock: () => void = () => undefined

  constructor(root: string, force: boolean) {
    this.#root = root
    this.#force = force
  }

  get storageDir(): string {
    return this.#storageDir
  }

  get #work(): string {
    return join(this.#storageDir, restoreFolder)
  }

  begin(head: BackupHead, bytes: number): void {
    const storageDir = under(this.#root, head.storageDir)
    if (unfinishedRestore(storageDir)) throw new BackupError('a restore was cut short', { fix: 'pbx restore --finish' })
    this.#unlock = lock(storageDir)
    if (hasBox(storageDir) && !this.#force)
      throw new BackupError(`there is a box already in ${storageDir}`, { fix: 'to replace it: pbx restore --force, with the same words' })
    this.#service = serviceOf(storageDir, this.#root)
    this.#storageDir = storageDir
    if (!existsSync(storageDir)) {
      mkdirSync(storageDir, { recursive: true, mode: 0o700 })
      this.#own(storageDir, 0o700)
    }
    rmSync(this.#work, { recursive: true, force: true })
    const free = freeBytes(storageDir)
    if (free < bytes + spareBytes)
      throw new BackupError(`${mega(bytes + spareBytes)} are needed on the disk of ${storageDir}, and ${mega(free)} are free`)
    mkdirSync(join(this.#work, 'new'), { recursive: true, mode: 0o700 })
  }

  async take(name: string, mode: number, body: Readable): Promise<void> {
    const [kind = '', ...rest] = name.split('/')
    const to = join(this.#work, ...(kind === 'data' ? ['new', ...rest] : kind === 'store' ? ['new', 'store', ...rest] : [kind, ...rest]))
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    await pipeline(body, createWriteStream(to, { flags: 'wx', mode: mode & 0o777 }))
  }

  /** The store opens with this version, in its shape. */
  async proveStore(log: Log): Promise<void> {
    try {
      const store = await openStore(join(this.#work, 'new', 'store'), log, { reserveBytes: 0 })
      await store.close()
    } catch (error) {
      throw new BackupError(`the store of the backup cannot be opened: ${(error as Error).message}`, { cause: error })
    }
  }

  layOut(head: BackupHead): void {
    const next = join(this.#work, 'new')
    writeFileSync(join(next, restoredNote), JSON.stringify({ madeAt: head.madeAt, host: head.host, version: head.version }), {
      mode: 0o600,
    })
    this.#ownAll(next)
    const outer = head.outer.map((file) => this.#placeOuter(file))
    // Each file by itself would take as long again; what is decided must be on the disk whole.
    const synced = spawnSync('sync', ['--file-system', this.#work])
    if (synced.status !== 0) throw new BackupError('the files could not be written to the disk')
    rmSync(join(this.#storageDir, replacedFolder), { recursive: true, force: true })
    const old = readdirSync(this.#storageDir).filter((name) => !staysAt(name))
    writeMarker(this.#storageDir, { old, next: readdirSync(next), outer })
    this.#decided = true
  }

  /** Beside where it belongs, with the mode and the owner it is to have; a copy of what is there stays. */
  #placeOuter({ name, path, mode, owner, group }: OuterFile): { from: string; to: string } {
    const to = under(this.#root, path)
    const from = `${to}${pending}`
    this.#makeFolder(dirname(to))
    rmSync(from, { force: true })
    this.#made.push(from)
    const handle = openSync(from, 'wx', 0o600)
    try {
      writeFileSync(handle, readFileSync(join(this.#work, name)))
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    if (process.getuid?.() === 0) chownSync(from, owner === 'service' ? this.#service.uid : 0, group === 'service' ? this.#service.gid : 0)
    chmodSync(from, mode)
    if (existsSync(to)) {
      copyFileSync(to, `${to}.${replacedFolder}`)
      chmodSync(`${to}.${replacedFolder}`, 0o600)
    }
    return { from, to }
  }

  #makeFolder(dir: string): void {
    if (existsSync(dir)) return
    this.#makeFolder(dirname(dir))
    mkdirSync(dir)
    if (process.getuid?.() === 0) chownSync(dir, 0, this.#service.gid)
    chmodSync(dir, 0o750)
  }

  #ownAll(dir: string): void {
    this.#own(dir)
    for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) this.#own(join(entry.parentPath, entry.name))
  }

  #own(path: string, mode?: number): void {
    if (process.getuid?.() === 0) chownSync(path, this.#service.uid, this.#service.gid)
    if (mode !== undefined) chmodSync(path, mode)
  }

  replaced(): string | null {
    const dir = join(this.#storageDir, replacedFolder)
    return existsSync(dir) ? dir : null
  }

  /** Where it is not decided, nothing of it stays. */
  giveUp(): void {
    if (this.#decided || this.#storageDir === '') return
    for (const file of [this.#work, ...this.#made]) rmSync(file, { recursive: true, force: true })
  }

  unlock(): void {
    this.#unlock()
  }
}

/** Against a daemon that runs, or starts meanwhile. */
function lock(storageDir: string): () => void {
  const dir = join(storageDir, 'store')
  if (!existsSync(join(dir, 'store.lock'))) return () => undefined
  try {
    return lockDirectory(dir)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'in-use') throw error
    throw new BackupError('pbxd runs: stop it first', { fix: 'systemctl stop pbxd', cause: error })
  }
}

/** Whom the data is to belong to: whose folder it is already, or the service's user. */
function serviceOf(storageDir: string, root: string): Service {
  const there = statSync(storageDir, { throwIfNoEntry: false })
  if (there !== undefined && there.uid !== 0) return there
  const users = under(root, '/etc/passwd')
  const lines = existsSync(users) ? readFileSync(users, 'utf8').split('\n') : []
  for (const name of ['pbxd', 'pbx']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  return { uid: 0, gid: 0 }
}

function mega(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}

function writeMarker(storageDir: string, marker: Marker): void {
  const file = join(storageDir, restoreMarker)
  writeFileSync(`${file}.part`, JSON.stringify(marker), { mode: 0o600, flush: true })
  renameSync(`${file}.part`, file)
  syncFolder(storageDir)
}

function syncFolder(dir: string): void {
  const handle = openSync(dir, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Moves what is still to be moved; may be called again after it was cut short anywhere. */
export function finishRestore(storageDir: string): void {
  const { old, next, outer } = JSON.parse(readFileSync(join(storageDir, restoreMarker), 'utf8')) as Marker
  const work = join(storageDir, restoreFolder)
  const aside = join(storageDir, replacedFolder)
  for (const { from, to } of outer) {
    if (existsSync(from)) renameSync(from, to)
    syncFolder(dirname(to))
  }
  if (old.length > 0) mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const name of old)
    if (!existsSync(join(aside, name)) && existsSync(join(storageDir, name))) renameSync(join(storageDir, name), join(aside, name))
  for (const name of next) if (existsSync(join(work, 'new', name))) renameSync(join(work, 'new', name), join(storageDir, name))
  if (old.length > 0) syncFolder(aside)
  syncFolder(storageDir)
  rmSync(join(storageDir, restoreMarker))
  rmSync(work, { recursive: true, force: true })
  syncFolder(storageDir)
}
