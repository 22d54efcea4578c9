/**
 * What a backup would write elsewhere than in the folders of the box. Anyone with the public half of a recovery key can make a backup that
 * opens: without a seal of root of a box, its author is unknown.
 */
import { dirname, isAbsolute, normalize, sep } from 'node:path'
import type { BackupHead } from './archive.ts'
import { BackupError } from './error.ts'
import { under } from './places.ts'

/** Whether the person who restores agrees to these, a line each. */
export type Agree = (outside: readonly string[]) => Promise<boolean>

const installedStorage = '/var/lib/pbxd'

/** The box as the person who restores knows it. */
export interface Here {
  readonly configFile: string
  readonly storageDir: string | null
}

/** Files outside the folder of the configuration, and a folder for the data that neither the configuration nor the installation names. */
export function outsideOf(head: BackupHead, root: string, here: Here | undefined): string[] {
  const { configFile, storageDir } = here ?? head
  const isOurs = (path: string): boolean => path === configFile || within(dirname(configFile), path)
  const files = head.outer.map(({ path }) => path).filter((path) => !isOurs(path))
  const named = [storageDir, installedStorage].includes(head.storageDir) || isOurs(head.storageDir)
  return [...files, ...(named ? [] : [`${head.storageDir} (the data)`])].map((path) => under(root, path))
}

/** A folder directly below is shared: what lies in /etc next to the configuration file is not the box's. */
function within(folder: string, path: string): boolean {
  return folder.split(sep).length > 2 && path.startsWith(`${folder}/`)
}

/** @throws BackupError for a head that no program of ours writes */
export function refuseStrange(head: BackupHead): void {
  const paths = [head.configFile, head.storageDir, ...head.outer.map(({ path }) => path)]
  const names = head.outer.map(({ name }) => name)
  const good =
    paths.every((path) => typeof path === 'string' && isAbsolute(path) && normalize(path) === path && !path.includes('\0')) &&
    names.every((name) => /^(outer|credentials)\/[A-Za-z0-9_.-]+$/.test(name) && !/\/\.{1,2}$/.test(name)) &&
    head.storageDir !== '/'
  if (!good) throw new BackupError('the backup names places in a form that pbxd never writes')
}
