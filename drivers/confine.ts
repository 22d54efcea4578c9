/**
 * Starts programs that read what strangers made through pbx-confine (systemd/confine.c): no network, no change to the file system, no
 * hand on other programs, reading only what is named. Says, too, how far this machine can do that.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { code } from './code.ts'

export interface Confinement {
  /** Files and folders that may be read. */
  readonly read?: readonly string[]
  /** Files and folders whose programs may be run, and read. The system's libraries are among them always. */
  readonly run?: readonly string[]
  /** Descriptor of an open file that may be opened again for writing. */
  readonly writeFd?: number
  /** Descriptors that stay open: 0 to this, less one. */
  readonly keepFds: number
  /** RLIMIT_DATA: bytes of data, not of addresses. */
  readonly dataBytes?: number
  readonly cpuSeconds?: number
  readonly fileBytes?: number
  /** It may start programs; with them the user may have so many tasks more than at the start. */
  readonly moreTasks?: number
  /** Below the daemon's priority. */
  readonly nice?: number
  /** Only the time that nobody else wants. */
  readonly idle?: boolean
  /** When memory is short: 1000 goes first. */
  readonly oomScore?: number
  /** It is killed when the daemon ends. */
  readonly withParent?: boolean
}

export interface ConfinementState {
  /** pbx-confine runs, and the kernel filters system calls: no network, no writing. Else nothing is confined. */
  readonly filtered: boolean
  /** ABI of the kernel's Landlock; 0: reading is not limited. */
  readonly landlock: number
  /** What is missing, in a sentence; '' when nothing is. */
  readonly reason: string
  /** The action that repairs it. */
  readonly fix: string
}

/** Where the loader, the C library, the locale, the clock and Node look at their start. */
const systemFiles = [
  ...['/etc/ld.so.cache', '/etc/ld.so.preload', '/etc/localtime', '/etc/ssl/openssl.cnf', '/usr/share/zoneinfo', '/usr/lib/ssl'],
  ...['/proc/self', '/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/sys/devices/system/cpu', '/sys/fs/cgroup'],
  ...['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'],
]
const libraries = ['/usr/lib', '/lib', '/lib64']

/** pbx-confine's own statuses. */
export const notConfined = 125
export const notThere = 127

export const confineProgram = (): string => process.env['PBXD_CONFINE'] ?? join(process.env['PBXD_ROOT'] ?? code, '.cache/pbx-confine')

let known: { readonly program: string; readonly state: ConfinementState } | undefined

/** Asked of the machine once. */
export function confinementState(): ConfinementState {
  const program = confineProgram()
  if (known?.program !== program) known = { program, state: look(program) }
  return known.state
}

function look(program: string): ConfinementState {
  const { error, stdout } = spawnSync(program, ['--check'], { encoding: 'utf8', timeout: 5000 })
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stdout ?? '')?.[1] ?? 0)
  const state = { filtered: figure('seccomp') === 1, landlock: figure('landlock') }
  if (error !== undefined) return { ...state, reason: `${program} cannot be run: ${error.message}`, fix: 'scripts/setup' }
  if (!state.filtered) return { ...state, reason: 'the kernel does not support seccomp', fix: 'use the kernel of Debian 12' }
  if (state.landlock === 0)
    return {
      ...state,
      reason: 'the kernel does not support Landlock',
      fix: 'use the kernel of Debian 12, with landlock in its parameter lsm= if it has one',
    }
  return { ...state, reason: '', fix: '' }
}

/** The command that runs `program` confined; as it is where nothing can be confined, of which the daemon warns. */
export function confined(limits: Confinement, program: string, args: readonly string[]): [string, ...string[]] {
  const { filtered, landlock } = confinementState()
  if (!filtered) return [program, ...args]
  const value = (name: string, given: number | undefined): string[] => (given === undefined ? [] : [`--${name}=${given}`])
  return [
    confineProgram(),
    ...[...libraries, ...(limits.run ?? [])].map((path) => `--run=${path}`),
    ...[...systemFiles, ...(limits.read ?? [])].map((path) => `--read=${path}`),
    ...value('write-fd', limits.writeFd),
    ...value('keep-fds', limits.keepFds),
    ...value('data', limits.dataBytes),
    ...value('cpu', limits.cpuSeconds),
    ...value('file-bytes', limits.fileBytes),
    ...value('fork', limits.moreTasks),
    ...value('nice', limits.nice),
    ...(limits.idle ? ['--idle'] : []),
    ...value('oom-score', limits.oomScore),
    ...(limits.withParent ? ['--with-parent'] : []),
    ...(landlock === 0 ? ['--without-landlock'] : []),
    '--',
    program,
    ...args,
  ]
}
