/** What makes a box: its configuration, the files that this names, and what lies below `storage.dir`. */
import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { storagePlace } from '../config/load.ts'
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
    throw new BackupError(`${configFile} is not valid YAML, so that nobody can say which files belong to it`, {
      fix: `pbx config check ${configFile}`,
      cause: error,
    })
  }
  const tree = treeOf(data)
  const found: Found = { files: new Set(), credentials: new Set() }
  look(tree, base, found)
  const music = treeOf(tree['site'])['music']
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
 * Regular files below `storage.dir`, without the store, what is made again, and what is being written. Links are left out: root reads
 * here what the service wrote.
 */
export function* storedFiles(storageDir: string, below = ''): Generator<StoredFile> {
  for (const entry of readdirSync(join(storageDir, below), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(below, entry.name)
    if (below === '' && left.has(entry.name)) continue
    if (entry.isDirectory()) yield* storedFiles(storageDir, name)
    else if (entry.isFile() && !entry.name.endsWith('.part')) {
      const stats = lstatSync(join(storageDir, name), { throwIfNoEntry: false })
      if (stats !== undefined) yield { name, stats }
    }
  }
}

/** Whether there is something of a box that a restore would replace. */
export function hasBox(storageDir: string): boolean {
  return lstatSync(join(storageDir, 'store', 'store.mdb'), { throwIfNoEntry: false }) !== undefined
}

/** Whether a restore is decided and not finished: the box is then neither the old nor the new one. */
export function unfinishedRestore(storageDir: string): boolean {
  return existsSync(join(storageDir, restoreMarker))
}

/** Below `root`, such as the mounted disk of another machine. */
export function under(root: string, path: string): string {
  return join(root, relative('/', path))
}
