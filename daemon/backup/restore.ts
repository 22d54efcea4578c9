/**
 * Puts the box of a backup in the place of what is here. All of it is unpacked and looked at next to what is there; then a marker says that
 * it is decided, and from there on it is only moved, step by step, so that it can be finished after a power cut. Before the marker is
 * written the old box is whole, and after it the new one.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  createWriteStream,
  existsSync,
  fchmodSync,
  fchownSync,
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
import type { Log } from '../base/log.ts'
import { asOwner, asOwnerOf, isRoot, ownerOf, type Owner } from '../base/owner.ts'
import { freeBytes } from '../store/disk.ts'
import { lockDirectory, openStore, StoreError } from '../store/store.ts'
import { readArchive, type BackupHead, type OuterFile, type Read } from './archive.ts'
import { BackupError, inWords } from './error.ts'
import { prepareNotes, readMarker, removeOwned, syncFolder, writeMarker } from './marker.ts'
import { outsideOf, refuseStrange, type Agree } from './outside.ts'
import {
  dataOwner,
  hasBox,
  isLeftOut,
  notesOf,
  placesOf,
  replacedFolder,
  restoredNote,
  restoreFolder,
  staysAt,
  under,
  unfinishedRestore,
} from './places.ts'

export interface RestoreOptions {
  readonly file: string
  readonly identities: readonly string[]
  /** The file system of the box: `/`, or where its disk is mounted. */
  readonly root: string
  /** Whether a box that is there may be replaced. */
  readonly force: boolean
  readonly log: Log
  /**
   * The box as the person who restores knows it; by default as the backup names it. `storageDir`: null where there is no configuration yet.
   */
  readonly here?: { readonly configFile: string; readonly storageDir: string | null }
  /** Asked about what a backup of unknown origin would write elsewhere than in the folders of the box; by default that is refused. */
  readonly agree?: Agree
  /** Opens the store in `dir` as `owner`, in a process that has no other rights. */
  readonly prove?: (dir: string, owner: Owner) => Promise<void>
}

export interface Restored extends Read {
  readonly configFile: string
  readonly storageDir: string
  /** Where lies what was there; null where nothing was. */
  readonly replaced: string | null
}

const pending = '.restoring'
const spareBytes = 64 * 1024 * 1024

/** @throws BackupError, and then nothing is otherwise than before */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, identities, root } = options
  const site = new Site(options)
  try {
    const read = await readArchive(file, identities, {
      begin: (head, sealed) => site.begin(head, sealed, statSync(file).size),
      take: (name, mode, body) => site.take(name, mode, body),
    })
    await site.judgeConfig(read)
    await site.proveStore()
    site.layOut(read.head)
    finishRestore(site.storageDir, root)
    return { ...read, configFile: under(root, read.head.configFile), storageDir: site.storageDir, replaced: site.replaced() }
  } catch (error) {
    site.giveUp()
    if (error instanceof BackupError) throw error
    const { fix } = error as { fix?: string }
    throw new BackupError(`nothing was restored: ${inWords(error)}`, { cause: error, ...(fix === undefined ? {} : { fix }) })
  } finally {
    site.unlock()
  }
}

class Site {
  readonly #options: RestoreOptions
  #storageDir = ''
  /** The user that writes below `storage.dir`, and to whom the data belongs. */
  #owner: Owner = { uid: 0, gid: 0 }
  /** Files for outside `storage.dir`, and credentials, which that owner must not touch. */
  #private = ''
  #decided = false
  #made: string[] = []
  #unlock: () => void = () => undefined

  constructor(options: RestoreOptions) {
    this.#options = options
  }

  get storageDir(): string {
    return this.#storageDir
  }

  get #work(): string {
    return join(this.#storageDir, restoreFolder)
  }

  async begin(head: BackupHead, sealed: boolean, bytes: number): Promise<void> {
    const { root, force, here, agree } = this.#options
    refuseStrange(head)
    const storageDir = under(root, head.storageDir)
    if (existsSync(storageDir) && unfinishedRestore(storageDir, root))
      throw new BackupError('a restore was interrupted', { fix: 'pbx restore --finish' })
    this.#unlock = lock(storageDir)
    if (hasBox(storageDir) && !force)
      throw new BackupError(`${storageDir} already holds a box`, { fix: 'to replace it, run the same command with --force' })
    if (!hasBox(storageDir) && holdsOther(storageDir))
      throw new BackupError(`the backup restores to ${storageDir}, which holds other files and no box`, {
        fix: `if that is the right folder, move its content away: ${storageDir}`,
      })
    if (!sealed) await consent(outsideOf(head, root, here), agree)
    this.#prepare(storageDir)
    const free = freeBytes(storageDir)
    if (free < bytes + spareBytes)
      throw new BackupError(`${mega(bytes + spareBytes)} are needed on the disk of ${storageDir}, but only ${mega(free)} are free`)
  }

  #prepare(storageDir: string): void {
    const { root } = this.#options
    if (!existsSync(storageDir)) {
      asOwnerOf(storageDir, () => mkdirSync(storageDir, { recursive: true, mode: 0o700 }))
      this.#made.push(storageDir)
    }
    const service = serviceOf(root)
    // An empty folder of root's is made the service's, as systemd does it at a start.
    if (isRoot() && service !== null && ownerOf(storageDir).uid === 0 && readdirSync(storageDir).length === 0)
      chownSync(storageDir, service.uid, service.gid)
    this.#storageDir = storageDir
    this.#owner = dataOwner(storageDir)
    removeOwned(this.#work, this.#owner)
    asOwner(this.#owner, () => mkdirSync(join(this.#work, 'new'), { recursive: true, mode: 0o700 }))
    this.#private = prepareNotes(storageDir, root).folder
  }

  async take(name: string, mode: number, body: Readable): Promise<void> {
    const [kind = '', ...rest] = name.split('/')
    if (kind === 'data' || kind === 'store') {
      if (rest.length === 0 || (kind === 'data' && isLeftOut(rest[0]!))) throw strange(name)
      const to = join(this.#work, 'new', ...(kind === 'store' ? ['store', ...rest] : rest))
      const handle = asOwner(this.#owner, () => {
        mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
        return openSync(to, 'wx', mode & 0o666)
      })
      return pipeline(body, createWriteStream(to, { fd: handle }))
    }
    if (kind !== 'outer' && kind !== 'credentials') throw strange(name)
    const to = join(this.#private, kind, ...rest)
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    return pipeline(body, createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  }

  /** A configuration of unknown origin may name what root runs. */
  async judgeConfig({ head, sealed }: Read): Promise<void> {
    const own = head.outer.find(({ path }) => path === head.configFile)
    if (sealed || own === undefined || this.#options.here === undefined) return
    const { backup } = placesOf(readFileSync(join(this.#private, own.name), 'utf8'), head.configFile)
    if (backup['sshConfig'] !== undefined) await consent(['backup.sshConfig: the file that ssh uses as root'], this.#options.agree)
  }

  /** The store opens with this version, in its shape. Root does not open it under its own rights: its author is unknown. */
  async proveStore(): Promise<void> {
    const { log, prove } = this.#options
    const dir = join(this.#work, 'new', 'store')
    try {
      if (prove !== undefined) return await prove(dir, this.#owner)
      if (this.#owner.uid !== 0) throw new Error('the program that checks it is missing')
      await (await openStore(dir, log, { reserveBytes: 0 })).close()
    } catch (error) {
      throw new BackupError(`the store of the backup cannot be opened: ${(error as Error).message}`, { cause: error })
    }
  }

  layOut(head: BackupHead): void {
    const next = join(this.#work, 'new')
    const note = JSON.stringify({ madeAt: head.madeAt, host: head.host, version: head.version })
    asOwner(this.#owner, () => writeFileSync(join(next, restoredNote), note, { mode: 0o600 }))
    const outer = head.outer.map((file) => this.#placeOuter(file))
    // Each file by itself would take as long again; what is decided must be on the disk whole.
    const synced = spawnSync('sync', ['--file-system', this.#storageDir])
    if (synced.status !== 0) throw new BackupError('the files could not be written to the disk')
    removeOwned(join(this.#storageDir, replacedFolder), this.#owner)
    const [old, moved] = asOwner(this.#owner, () => [readdirSync(this.#storageDir).filter((name) => !staysAt(name)), readdirSync(next)])
    writeMarker(notesOf(this.#storageDir, this.#options.root).marker, { old, next: moved, outer })
    this.#decided = true
  }

  /** Next to where it belongs, with the mode and the owner it is to have; a copy of what is there stays. In a folder of somebody else as that one. */
  #placeOuter({ name, path, mode, owner, group }: OuterFile): { from: string; to: string } {
    const to = under(this.#options.root, path)
    const from = `${to}${pending}`
    const content = readFileSync(join(this.#private, name))
    this.#makeFolder(dirname(to))
    const ids = { uid: owner === 'service' ? this.#owner.uid : 0, gid: group === 'service' ? this.#owner.gid : 0 }
    asOwnerOf(dirname(to), () => {
      rmSync(from, { force: true })
      this.#made.push(from)
      const handle = openSync(from, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
      try {
        writeFileSync(handle, content)
        if (process.geteuid?.() === 0) fchownSync(handle, ids.uid, ids.gid)
        // Nothing that a backup brings is a program.
        fchmodSync(handle, mode & 0o666)
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
      if (existsSync(to)) {
        const kept = `${to}.${replacedFolder}`
        rmSync(kept, { force: true })
        copyFileSync(to, kept, constants.COPYFILE_EXCL)
        chmodSync(kept, 0o600)
      }
    })
    return { from, to }
  }

  #makeFolder(dir: string): void {
    if (existsSync(dir)) return
    this.#makeFolder(dirname(dir))
    asOwnerOf(dirname(dir), () => {
      mkdirSync(dir)
      if (isRoot() && process.geteuid?.() === 0) chownSync(dir, 0, this.#owner.gid)
      chmodSync(dir, 0o750)
    })
  }

  replaced(): string | null {
    const dir = join(this.#storageDir, replacedFolder)
    return existsSync(dir) ? dir : null
  }

  /** Where it is not decided, nothing of it stays. */
  giveUp(): void {
    if (this.#decided || this.#storageDir === '') return
    removeOwned(this.#work, this.#owner)
    rmSync(this.#private, { recursive: true, force: true })
    for (const file of this.#made.toReversed()) asOwnerOf(dirname(file), () => rmSync(file, { recursive: true, force: true }))
  }

  unlock(): void {
    this.#unlock()
  }
}

function strange(name: string): BackupError {
  return new BackupError(`the backup holds an unexpected file: ${name}`)
}

async function consent(outside: readonly string[], agree: Agree = async () => false): Promise<void> {
  if (outside.length === 0 || (await agree(outside))) return
  throw new BackupError(
    `the origin of this backup cannot be verified, and it would write outside the folders of the box:\n  ${outside.join('\n  ')}`,
    {
      fix: 'if all of that is right, run the same command with --yes',
    },
  )
}

function holdsOther(storageDir: string): boolean {
  return existsSync(storageDir) && asOwnerOf(storageDir, () => readdirSync(storageDir)).some((name) => !isLeftOut(name))
}

/** Against a daemon that runs, or starts meanwhile. */
function lock(storageDir: string): () => void {
  const dir = join(storageDir, 'store')
  if (!existsSync(join(dir, 'store.lock'))) return () => undefined
  try {
    return asOwnerOf(storageDir, () => lockDirectory(dir))
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'in-use') throw error
    throw new BackupError('pbxd is running: stop it first', { fix: 'systemctl stop pbxd', cause: error })
  }
}

/** The service's user of that system; null where it has none. */
function serviceOf(root: string): Owner | null {
  const users = under(root, '/etc/passwd')
  const lines = existsSync(users) ? readFileSync(users, 'utf8').split('\n') : []
  for (const name of ['pbxd', 'pbx']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  return null
}

function mega(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}

/** Moves what is still to be moved; may be called again after it was cut short anywhere. */
export function finishRestore(storageDir: string, root = '/'): void {
  const notes = notesOf(storageDir, root)
  const { old, next, outer } = readMarker(notes.marker)
  const owner = dataOwner(storageDir)
  const work = join(storageDir, restoreFolder)
  const aside = join(storageDir, replacedFolder)
  for (const { from, to } of outer) {
    asOwnerOf(dirname(to), () => existsSync(from) && renameSync(from, to))
    syncFolder(dirname(to))
  }
  asOwner(owner, () => {
    if (old.length > 0) mkdirSync(aside, { recursive: true, mode: 0o700 })
    for (const name of old)
      if (!existsSync(join(aside, name)) && existsSync(join(storageDir, name))) renameSync(join(storageDir, name), join(aside, name))
    for (const name of next) if (existsSync(join(work, 'new', name))) renameSync(join(work, 'new', name), join(storageDir, name))
  })
  if (old.length > 0) syncFolder(aside)
  syncFolder(storageDir)
  rmSync(notes.marker)
  removeOwned(work, owner)
  rmSync(notes.folder, { recursive: true, force: true })
  syncFolder(storageDir)
}
