/**
 * The configuration of the one daemon of this checkout that runs, found in /proc: `npm start -- --config FILE` names the
 * file to the daemon only, and a technician should not have to name it again. Anybody can start a program that looks like the daemon: root
 * believes only what root wrote.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { ownerOf } from '../../daemon/base/owner.ts'

/** Null when none runs, when several do, when it may not be looked at, or when it runs on the embedded default. */
export function runningConfig(root: string): string | null {
  const programs = [`${root}/daemon/main.ts`, `${root}/.cache/program/daemon/main.js`]
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => configOf(pid, programs) ?? [])
  return found.length === 1 ? (found[0] ?? null) : null
}

function configOf(pid: string, programs: readonly string[]): string | null {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const cwd = readlinkSync(`/proc/${pid}/cwd`)
    const program = words.findIndex((word) => programs.includes(resolve(cwd, word)))
    if (program < 0) return null
    const given = words.slice(program + 1)
    const at = given.indexOf('--config')
    const inline = given.find((word) => word.startsWith('--config='))?.slice('--config='.length)
    const fromEnvironment = () => /(?:^|\0)PBXD_CONFIG=([^\0]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1]
    const file = (at >= 0 ? given[at + 1] : inline) ?? fromEnvironment()
    if (file === undefined || (process.getuid?.() === 0 && ownerOf(resolve(cwd, file)).uid !== 0)) return null
    return resolve(cwd, file)
  } catch {
    // The process ended meanwhile, or belongs to somebody else, or its file lies where others could change it.
    return null
  }
}
