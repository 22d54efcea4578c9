/** Work of root in places of others, whose faults are shown as those of a command; see daemon/base/owner.ts. */
import { spawnSync } from 'node:child_process'
import { closeSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { codeFile } from '../../drivers/code.ts'
import { isRoot, openToRead, UnsafePath, type Owner } from '../../daemon/base/owner.ts'
import { CommandError, exitCode, installedConfig, root, type SocketChoice } from './client.ts'
import { runningConfig } from './running.ts'
import { systemWords } from '../../daemon/base/errors.ts'

/** A file that a person named, whose content goes to the daemon; `-`: standard input. */
export function readGiven(file: string): Buffer {
  if (file === '-') return readFileSync(0)
  const handle = openGiven(file)
  try {
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** @throws CommandError */
export function openGiven(file: string): number {
  try {
    return openToRead(file)
  } catch (error) {
    const fix = error instanceof UnsafePath ? error.fix : ''
    throw new CommandError(`${file} cannot be read: ${systemWords(error)}`, { exit: exitCode.usage, code: 'usage', fix })
  }
}

/** A file that the daemon names: read with the rights of the owner of its socket, because the daemon could name any file. @throws CommandError */
export function readOfDaemon(socket: string, file: string): Buffer {
  const { uid, gid } = statSync(socket)
  let handle
  try {
    handle = openToRead(file, { uid, gid })
    return readFileSync(handle)
  } catch (error) {
    throw new CommandError(`the daemon's user cannot read ${file}, which the daemon named: ${(error as Error).message}`, {
      code: 'unsafe-path',
    })
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** The configuration that the daemon says it runs on; root believes it only where it is the file that root knows. @throws CommandError */
export function configNamed(choice: SocketChoice, configFile: string): string {
  const known = resolve(choice.config ?? runningConfig(root) ?? installedConfig)
  if (!isRoot() || known === configFile) return configFile
  throw new CommandError(`the daemon reports ${configFile} as its configuration, but root expects ${known}`, {
    code: 'unsafe-path',
    fix: `if the daemon is right, give the file: --config ${configFile}`,
  })
}

const longestProofMs = 600_000

/** Opens the store in `dir` in a process that has the owner's rights alone. @throws Error with the reason */
export async function proveStore(dir: string, { uid, gid }: Owner): Promise<void> {
  const rights = isRoot() && uid !== 0 ? { uid, gid } : {}
  const run = spawnSync(process.execPath, [codeFile('daemon/programs/store-proof')], {
    ...{ cwd: dir, encoding: 'utf8', timeout: longestProofMs, killSignal: 'SIGKILL', stdio: ['ignore', 'ignore', 'pipe'] },
    ...rights,
    env: { PATH: process.env['PATH'], PBXD_ROOT: process.env['PBXD_ROOT'] },
  })
  if (run.error !== undefined) throw new Error(`the copy cannot be opened: ${run.error.message}`)
  // LMDB reads what it finds as its own memory: what was changed can end the process.
  const said = run.signal === null ? run.stderr.trim().split('\n').at(-1) : ''
  if (run.status !== 0) throw new Error(`the copy cannot be opened: ${said || 'it is not a store of this version, or it was changed'}`)
}
