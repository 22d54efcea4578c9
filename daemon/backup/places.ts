/** What makes a box: its configuration, the files that this names, and what lies below `storage.dir`. */
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { storagePlace } from '../config/load.ts'
import { asOwnerOf, isRoot, ownerOf, type Owner } from '../base/owner.ts'
import { upgradeFolder } from '../base/upgrade-notes.ts'
import { BackupError } from './error.ts'

export interface Places {
  readonly configFile: string
  readonly storageDir: string
  /** Files that the configuration names, as absolute paths: secrets, keys, certificates, music, greetings. */
  readonly files: readonly string[]
  /** Credentials of systemd that the configuration names. */
  readonly credentials: readonly string[]
  /** Values of the section `backup`, which may be of any form in a file that is not checked. */
  readonly backup: Readonly<Record<string, unknown>>
}

/** A file with a fault in it is a reason to keep a backup of it: the text need not be good, only YAML. */
export function placesOf(text: string, configFile: string): Places {
  const base = dirname(resolve(configFile))
  let data: unknown
  try {
    data = parse(text)
  } catch (error) {
    throw new BackupError(`${configFile} is not valid YAML, so its files are not known`, {
      fix: `pbx config check ${configFile}`,
      cause: error,
    })
  }
  const tree = treeOf(data)
  const found: Found = { files: new Set(), credentials: new Set() }
  look(tree, base, found)
  const music = treeOf(tree['site'])['music']
  // Of the box's own certificate nothing names the authority.
  for (const file of ['authority.crt', 'authority.key'].map((name) => resolve(base, name))) if (existsSync(file)) found.files.add(file)
  for (const file of Array.isArray(music) ? music : []) if (typeof file === 'string') found.files.add(resolve(base, file))
  return {
    configFile: resolve(configFile),
    storageDir: resolve(base, storagePlace(treeOf(tree['storage'])['dir'], base)),
    files: [...found.files].toSorted(),
    credentials: [...found.credentials].toSorted(),
    backup: treeOf(tree['backup']),
  }
}

type Tree = Record<string, unknown>

interface Found {
  readonly files: Set<string>
  readonly credentials: Set<string>
}

function treeOf(value: unknown): Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Tree) : {}
}

/** `{ file: PATH }`, `{ credential: NAME }`, a certificate with its key, and certificates of authorities, wherever they stand. */
function look(value: unknown, base: string, found: Found): void {
  if (Array.isArray(value)) return value.forEach((item) => look(item, base, found))
  const tree = treeOf(value)
  const { file, credential, cert, key, caFile, streamCaFile, sshConfig } = tree
  if (typeof credential === 'string' && /^[A-Za-z0-9_.-]+$/.test(credential)) found.credentials.add(credential)
  const pair = typeof cert === 'string' && typeof key === 'string' ? [cert, key] : []
  for (const path of [file, caFile, streamCaFile, sshConfig, ...pair]) if (typeof path === 'string') found.files.add(resolve(base, path))
  for (const inner of Object.values(tree)) look(inner, base, found)
}

/** Where a backup is prepared and a restored box is laid out, below `storage.dir`. */
export const workFolder = 'backup-work'
export const restoreFolder = 'restore-work'
export const replacedFolder = 'before-restore'
export const restoreMarker = 'restore.json'
/** Written once a box has been restored; the daemon records it at its first start. */
export const restoredNote = 'restored.json'

/** What the daemon and an engine of another user share while they need it; made by tmpfiles.d, for its group. */
export const spoolFolder = 'spool'

/** Made again by itself, or installed: models by `pbx models`. */
const left = new Set([
  'cache',
  'run',
  'models',
  'transcribing',
  'store',
  spoolFolder,
  workFolder,
  restoreFolder,
  replacedFolder,
  restoreMarker,
])

/** What no backup holds: a file of that name is of somebody else's making. */
export function isLeftOut(name: string): boolean {
  return left.has(name)
}

/** What stays where it is when another box takes the place of this one. */
export function staysAt(name: string): boolean {
  return [spoolFolder, restoreFolder, replacedFolder, restoreMarker, 'run', 'models'].includes(name)
}

export interface StoredFile {
  /** Below `storage.dir`. */
  readonly name: string
  readonly stats: Stats
}

/**
 * Regular files below `storage.dir`, without the store, what is made again, and what is being written. Links are left out, and root looks
 * with the rights of the folder's owner. `unread`: a folder that this owner may not read.
 */
export function* storedFiles(storageDir: string, unread: (name: string) => void = () => undefined, below = ''): Generator<StoredFile> {
  for (const entry of entriesOf(storageDir, below, unread)) {
    const name = join(below, entry.name)
    if (below === '' && left.has(entry.name)) continue
    if (entry.isDirectory()) yield* storedFiles(storageDir, unread, name)
    else if (entry.isFile() && !entry.name.endsWith('.part')) {
      const stats = asOwnerOf(storageDir, () => lstatSync(join(storageDir, name), { throwIfNoEntry: false }))
      if (stats !== undefined) yield { name, stats }
    }
  }
}

function entriesOf(storageDir: string, below: string, unread: (name: string) => void) {
  try {
    const found = asOwnerOf(storageDir, () => readdirSync(join(storageDir, below), { withFileTypes: true }))
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (below === '' || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    unread(below)
    return []
  }
}

/** Whether there is something of a box that a restore would replace. */
export function hasBox(storageDir: string): boolean {
  return lstatSync(join(storageDir, 'store', 'store.mdb'), { throwIfNoEntry: false }) !== undefined
}

/** Whose the data is, for work below `storageDir`. */
export function dataOwner(storageDir: string): Owner {
  return isRoot() ? ownerOf(storageDir) : { uid: 0, gid: 0 }
}

/** Where the marker and the files of the configuration are laid ready, which the owner of `storageDir` must not touch. */
export interface Notes {
  readonly marker: string
  readonly folder: string
}

export function notesOf(storageDir: string, root: string): Notes {
  if (dataOwner(storageDir).uid === 0) return { marker: join(storageDir, restoreMarker), folder: join(storageDir, restoreFolder) }
  const folder = under(root, rootsName(join('/', relative(root, storageDir))))
  return { marker: `${folder}.json`, folder }
}

/** One for each box of the machine. */
function rootsName(storageDir: string): string {
  return join(upgradeFolder, `restore-${createHash('sha256').update(storageDir).digest('hex').slice(0, 16)}`)
}

/** Whether a restore is decided and not finished, as far as this user can believe it. */
export function unfinishedRestore(storageDir: string, root = '/'): boolean {
  return existsSync(notesOf(storageDir, root).marker)
}

/** The same for the daemon, which does not start on a box that is neither the old nor the new one. */
export function halfRestored(storageDir: string): boolean {
  if (existsSync(join(storageDir, restoreMarker))) return true
  return lstatSync(`${rootsName(storageDir)}.json`, { throwIfNoEntry: false })?.uid === 0
}

/** Below `root`, such as the mounted disk of another machine. */
export function under(root: string, path: string): string {
  return join(root, relative('/', path))
}
