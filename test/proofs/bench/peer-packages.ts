/** Packages that the box is measured beside, and does not have itself. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../harness/daemon.ts'

/** Into the cache; its packages are those of the lock file. The folder. */
export function installPeer(): string {
  const source = join(root, 'test', 'proofs', 'bench', 'peer')
  const folder = join(root, '.cache', 'bench-peer')
  const lock = createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex')
  mkdirSync(folder, { recursive: true })
  cpSync(source, folder, { recursive: true })
  const stamp = join(folder, 'installed')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    const PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`
    // Its native part comes prebuilt.
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, PATH },
    })
    writeFileSync(stamp, lock)
  }
  return folder
}
