/** How a speech process is started: which program, at what priority, and what of the daemon's environment it sees. */
import { spawnSync } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SpeechRole } from './protocol.ts'

/** The program beside the daemon's own, compiled or not as this file is. */
export const speechProgram = fileURLToPath(new URL(`../../speech-process${extname(import.meta.filename)}`, import.meta.url))

/** Calls' speech yields to the calls' audio; recordings are transcribed in time that nobody else wants. */
const prefixes: Readonly<Record<SpeechRole, readonly (readonly string[])[]>> = {
  call: [['nice', '-n', '5'], []],
  recording: [['chrt', '-i', '0', 'nice', '-n', '19'], ['nice', '-n', '19'], []],
}

const working = new Map<SpeechRole, readonly string[]>()

/** The first of a role's prefixes that this machine knows and allows. */
export function priorityPrefix(role: SpeechRole): readonly string[] {
  const known = working.get(role)
  if (known !== undefined) return known
  const found = prefixes[role].find(([command, ...args]) => {
    return command === undefined || spawnSync(command, [...args, 'true'], { stdio: 'ignore', timeout: 5000 }).status === 0
  })
  working.set(role, found ?? [])
  return found ?? []
}

/** Variables that a speech process may see: what the loader, the locale and our own paths need, none of the daemon's secrets. */
const passedVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'PBXD_ROOT', 'LD_LIBRARY_PATH']

export function speechEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const name of passedVariables) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}

export function speechCommand(role: SpeechRole, program: string): readonly [string, ...string[]] {
  const [command, ...args] = [...priorityPrefix(role), process.execPath, '--max-semi-space-size=2', program]
  return [command ?? process.execPath, ...args]
}
