/** Packages that the box is compared or tried with, and does not have itself. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../harness/daemon.ts'

const lockOf = (source: string): string =>
  createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex')

/** Whether the folder has what the lock file in `source` names. */
export function isInstalled(source: string, folder: string): boolean {
  const stamp = join(folder, 'installed')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockOf(source)
}

/** Copies `source` into the folder and installs the packages of its lock file there; nothing of theirs runs at installation. */
export function installLocked(source: string, folder: string, ...options: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  cpSync(source, folder, { recursive: true })
  if (isInstalled(source, folder)) return
  const PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...options], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, PATH },
  })
  writeFileSync(join(folder, 'installed'), lockOf(source))
}

/** Into the cache; the native part of its packages comes prebuilt. The folder. */
export function installPeer(): string {
  const folder = join(root, '.cache', 'bench-peer')
  installLocked(join(root, 'test', 'proofs', 'bench', 'peer'), folder)
  return folder
}
