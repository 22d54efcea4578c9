/** Makes a backup in a folder, and keeps the newest of them. Nothing is called a backup before it was opened again. */
import { closeSync, fstatSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { readArchive, writeArchive, type BackupHead, type Content, type OuterFile } from './archive.ts'
import { asOwner, asOwnerOf, openToRead, writeFresh } from '../base/owner.ts'
import { BackupError, inWords } from './error.ts'
import { makeKeys, readAuthor } from './keys.ts'
import { syncFolder } from './marker.ts'
import { dataOwner, storedFiles, type Places } from './places.ts'

export interface MakeOptions {
  readonly places: Places
  readonly version: string
  /** A store that nobody writes: the daemon's copy. */
  readonly storeFile: string
  /** Where the credentials lie that the configuration names, a file each. */
  readonly credentialsDir: string
  readonly recipient: string
  readonly dir: string
  /** How many backups of this box stay in `dir`. */
  readonly keep: number
}

export interface MadeBackup {
  readonly file: string
  readonly bytes: number
  readonly files: number
  readonly sha256: string
  /** Whether a restore can verify that root of this box made it. */
  readonly sealed: boolean
  /** What belongs to it and could not be read. */
  readonly missing: readonly string[]
}

const ending = '.tar.age'

export async function makeBackup(options: MakeOptions): Promise<MadeBackup> {
  const { dir, keep } = options
  const place = prepared(dir)
  const folders: string[] = []
  const { head, contents } = whatToKeep(options, (name) => folders.push(join(options.places.storageDir, name)))
  const name = `${place.prefix}${head.madeAt.replaceAll(/[-:]|\.\d+/g, '')}${ending}`
  const part = join(dir, `.${name}.part`)
  const file = join(dir, name)
  try {
    // The second key opens this one file, now, and is forgotten: the private half of the recovery key is not on the box.
    const proof = await makeKeys()
    const author = readAuthor(options.places.configFile, options.recipient)
    const written = await writeArchive(part, head, contents, [options.recipient, proof.recipient], author)
    const read = await readArchive(part, [proof.identity], undefined, author === null ? [] : [author])
    if (read.files !== written.files) throw new BackupError(`only ${read.files} of ${written.files} files could be verified`)
    asOwnerOf(dir, () => renameSync(part, file))
    writeFresh(`${file}.sha256`, `${written.sha256}  ${name}\n`, 0o600)
    syncFolder(dir)
    asOwnerOf(dir, () => {
      for (const old of backupsIn(dir, place.prefix).slice(keep)) removeBackup(join(dir, old))
    })
    const { unread, ...facts } = written
    return { file, ...facts, sealed: author !== null, missing: [...head.missing, ...folders, ...unread] }
  } catch (error) {
    asOwnerOf(dir, () => rmSync(part, { force: true }))
    if (error instanceof BackupError) throw error
    throw new BackupError(`the backup in ${dir} failed: ${inWords(error)}`, { fix: `check the disk: df -h ${dir}`, cause: error })
  }
}

/** The folder, without what a run left that did not come to its end. */
function prepared(dir: string): { prefix: string } {
  const prefix = `pbxd-${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-')}-`
  try {
    asOwnerOf(dir, () => {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      for (const name of readdirSync(dir)) if (name.startsWith(`.${prefix}`) && name.endsWith('.part')) rmSync(join(dir, name))
    })
  } catch (error) {
    throw new BackupError(`${dir} cannot be written: ${inWords(error)}`, {
      fix: 'choose another folder: pbx backup --to DIR',
      cause: error,
    })
  }
  return { prefix }
}

/** Newest first. */
function backupsIn(dir: string, prefix: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.startsWith(prefix) && /^\d{8}T\d{6}Z\.tar\.age$/.test(name.slice(prefix.length)))
    .toSorted()
    .toReversed()
}

function removeBackup(file: string): void {
  rmSync(file)
  rmSync(`${file}.sha256`, { force: true })
}

function whatToKeep(
  { places, version, storeFile, credentialsDir }: MakeOptions,
  unread: (name: string) => void,
): { head: BackupHead; contents: Iterable<Content> } {
  const { configFile, storageDir } = places
  const service = statSync(storageDir)
  const data = dataOwner(storageDir)
  const missing: string[] = []
  const outer: OuterFile[] = []
  const outerContents: Content[] = []
  const keep = (path: string): void => {
    try {
      // Through links, as the service reads it.
      const handle = openToRead(path)
      const { mode, uid, gid } = fstatSync(handle)
      closeSync(handle)
      const whose = (id: number, of: number): 'root' | 'service' => (id === of && id !== 0 ? 'service' : 'root')
      const name = `outer/${outer.length}`
      outer.push({ name, path, mode: mode & 0o777, owner: whose(uid, service.uid), group: whose(gid, service.gid) })
      outerContents.push({ name, path })
    } catch {
      missing.push(path)
    }
  }
  keep(configFile)
  for (const file of places.files) if (!file.startsWith(`${storageDir}/`)) keep(file)
  const credentials: OuterFile[] = places.credentials.flatMap((credential) => {
    const from = join(credentialsDir, credential)
    if (asOwner(data, () => lstatSync(from, { throwIfNoEntry: false }))?.isFile() !== true)
      return (missing.push(`credential ${credential}`), [])
    const name = `credentials/${credential}`
    outerContents.push({ name, path: from })
    return [{ name, path: join(configFile, '..', 'credentials', credential), mode: 0o600, owner: 'root', group: 'root' } as const]
  })
  const head: BackupHead = {
    format: 1,
    version,
    madeAt: new Date().toISOString(),
    host: hostname(),
    configFile,
    storageDir,
    outer: [...outer, ...credentials],
    credentials: places.credentials,
    missing,
  }
  return { head, contents: all(storeFile, outerContents, storageDir, unread) }
}

function* all(storeFile: string, outer: readonly Content[], storageDir: string, unread: (name: string) => void): Generator<Content> {
  yield { name: 'store/store.mdb', path: storeFile, mode: 0o600 }
  yield* outer
  for (const { name } of storedFiles(storageDir, unread)) yield { name: `data/${name}`, path: join(storageDir, name), mayGo: true }
}
