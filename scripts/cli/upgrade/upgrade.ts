/** pbx upgrade and pbx rollback: the front of scripts/upgrade, which does the work. */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DateTime } from 'luxon'
import type { StatusView } from '../../../daemon/schema/operation.ts'
import { readFailed, readUpgrade, upgradeFolder, type UpgradeNotes } from '../../../daemon/base/upgrade-notes.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { bold, dim, green, localTime, print, printJson, red, yellow } from '../output.ts'
import { openGiven } from '../owner.ts'
import { pairState } from '../pair/pacemaker.ts'
import { activeMark } from '../pair/units.ts'

const base = process.env['PBXD_UPGRADE_BASE'] ?? '/usr/lib/pbxd'
const script = join(base, 'package/scripts/upgrade')
const waiting = join(upgradeFolder, 'next')
const checked = join(upgradeFolder, 'checked')
/** An older package is refused by its own preinst; one that is installed may be tried again. As scripts/upgrade installs them. */
const apt = ['--no-install-recommends', '--allow-downgrades', '--reinstall', 'install']
const timer = '/etc/systemd/system/pbxd-upgrade-at.timer'

interface Wanted {
  readonly at?: string
  readonly status?: true
  readonly retry?: true
}

export async function upgrade(context: Context, files: readonly string[], { at, status, retry }: Wanted): Promise<number> {
  if (status === true) return show(context)
  asRoot()
  if (at === 'off') return notAtAll()
  if (retry === true) return run(script, 'install') || run(script, 'finish')
  if (files.length === 0)
    throw new CommandError('give the package to install', {
      exit: exitCode.usage,
      fix: 'pbx upgrade ./pbxd_VERSION_ARCH.deb, or pbx upgrade --status',
    })
  standbyFirst()
  rmSync(checked, { recursive: true, force: true })
  mkdirSync(checked, { recursive: true, mode: 0o755 })
  try {
    const packages = files.map((file) => packageOf(file))
    if (!packages.some(({ name }) => name === 'pbxd'))
      throw new CommandError('the package pbxd itself is missing', { exit: exitCode.usage })
    refuseRemoval(packages)
    if (at !== undefined) return await later(context, packages, at)
    layReady()
    return run(script, 'next')
  } finally {
    rmSync(checked, { recursive: true, force: true })
  }
}

export async function rollback(_: Context, version: string | undefined, { store }: { store?: true }): Promise<number> {
  asRoot()
  const words = [...(version === undefined ? [] : [version]), ...(store === true ? ['--store', sinceOfUpgrade()] : [])]
  return run(script, 'rollback', ...words)
}

/** What apt would do is asked before anything is done: it takes a package of ours away where the new one of the other does not fit it. */
function refuseRemoval(packages: readonly Package[]): void {
  const asked = spawnSync('apt-get', ['-s', ...apt, ...packages.map(({ file }) => file)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  if (asked.error !== undefined) throw new CommandError(`apt-get failed: ${asked.error.message}`)
  const gone = removedOf(asked.stdout)
  if (gone.length === 0) return
  const { given, version, architecture } = packages.find(({ name }) => name === 'pbxd') ?? packages[0]!
  const missing = gone.filter((name) => !packages.some((one) => one.name === name))
  const engine = missing.filter((name) => name === 'pbxd-speech-engine')
  const files = (engine.length > 0 ? engine : missing).map((name) => join(dirname(given), `${name}_${version}_${architecture}.deb`))
  throw new CommandError(`nothing was installed: apt would remove ${gone.join(' and ')}`, {
    fix: `give that package too: pbx upgrade ${[...packages.map((one) => one.given), ...files].join(' ')}`,
  })
}

/** The packages of this product that a plan of apt (`apt-get -s`) removes. */
export function removedOf(plan: string): string[] {
  return plan.split('\n').flatMap((line) => /^(?:Remv|Purg) (pbxd(?:-[^ ]+)?) /.exec(line)?.[1] ?? [])
}

function sinceOfUpgrade(): string {
  try {
    return readFileSync(join(upgradeFolder, 'since'), 'utf8').trim()
  } catch {
    throw new CommandError('there is no upgrade to undo')
  }
}

/** Of a pair the machine that stands by is upgraded first: the other one still has a version that reads the store. */
function standbyFirst(): void {
  if (!existsSync(activeMark)) return
  const other = pairState().machines.find(({ role }) => role === 'standby')
  if (other !== undefined)
    throw new CommandError(`this machine serves, and ${other.name} stands by: upgrade that one first`, {
      fix: `pbx upgrade on ${other.name}, pbx pair switch, then pbx upgrade here`,
    })
}

function asRoot(): void {
  if (process.getuid?.() !== 0) throw new CommandError('only root may do this', { fix: 'sudo pbx upgrade' })
  if (!existsSync(script))
    throw new CommandError(`pbxd was not installed from a package: ${script} does not exist`, {
      fix: 'systemd/install in the new checkout',
    })
}

function run(program: string, ...words: string[]): number {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  if (error !== undefined) throw new CommandError(`${program} failed: ${error.message}`)
  return status === 0 ? exitCode.done : exitCode.failed
}

interface Package {
  /** The copy that was looked at, and is installed. */
  readonly file: string
  /** As it was given. */
  readonly given: string
  readonly name: string
  readonly version: string
  readonly architecture: string
}

/** A copy in a folder of root's, so that the checked file is the one that is installed, even if another user can change the original. */
function packageOf(written: string): Package {
  const given = resolve(written)
  const file = join(checked, basename(given))
  const handle = openGiven(given)
  try {
    copyFileSync(`/proc/self/fd/${handle}`, file)
  } finally {
    closeSync(handle)
  }
  const asked = spawnSync('dpkg-deb', ['--show', '--showformat=${Package} ${Version} ${Architecture}', file], { encoding: 'utf8' })
  const [name = '', version = '', architecture = ''] = asked.stdout?.trim().split(' ') ?? []
  if (asked.status !== 0 || !name.startsWith('pbxd'))
    throw new CommandError(`${written} is not a package of pbxd`, { exit: exitCode.usage })
  return { file, given, name, version, architecture }
}

/** They are at hand when the upgrade is broken off in the middle of a file. */
function layReady(): void {
  rmSync(waiting, { recursive: true, force: true })
  renameSync(checked, waiting)
}

async function later({ json, client }: Context, packages: readonly Package[], at: string): Promise<number> {
  const { clock } = await (await client()).get<StatusView>('/api/status')
  const when = nextTime(at, clock.timeZone, DateTime.fromISO(clock.now))
  if (when?.isValid !== true) throw new CommandError(`"${at}" is not a time of day such as 02:00`, { exit: exitCode.usage })
  layReady()
  const moment = when.toUTC().toFormat('yyyy-MM-dd HH:mm:ss')
  writeFileSync(
    timer,
    `[Unit]\nDescription=Upgrade of pbxd\n\n[Timer]\nOnCalendar=${moment} UTC\nPersistent=true\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n`,
  )
  const failed = run('systemctl', 'daemon-reload') || run('systemctl', 'enable', '--quiet', '--now', basename(timer))
  if (failed !== 0) return failed
  if (json) printJson({ at: when.toUTC().toISO(), versions: packages.map(({ version }) => version) })
  else print(`${green('✓')} pbxd ${packages[0]?.version} will be installed at ${localTime(when.toISO())}; to cancel: pbx upgrade --at off`)
  return exitCode.done
}

/** The next time that a clock in that zone shows it. */
export function nextTime(text: string, zone: string, now: DateTime): DateTime | null {
  const parts = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (parts === null) return null
  const today = now.setZone(zone).set({ hour: Number(parts[1]), minute: Number(parts[2]), second: 0, millisecond: 0 })
  return today > now ? today : today.plus({ days: 1 })
}

function notAtAll(): number {
  run('systemctl', 'disable', '--quiet', '--now', basename(timer))
  rmSync(timer, { force: true })
  rmSync(waiting, { recursive: true, force: true })
  print('no upgrade is scheduled')
  return run('systemctl', 'daemon-reload')
}

function show({ json }: Context): number {
  const running = link(join(base, 'current'))
  if (running === null) throw new CommandError(`pbxd was not installed from a package: ${base}/current does not exist`)
  const last = readUpgrade()
  const target = said(script, 'target') || null
  const failed = readFailed().filter(({ version }) => version !== running)
  const kept = readdirSync(join(base, 'versions')).filter((name) => name !== running && !name.endsWith('.new'))
  const waits = existsSync(timer) ? readdirSync(waiting) : []
  const unfinished = said('dpkg-query', '-W', '-f', '${db:Status-Abbrev} ${Package} ${Version}\n', 'pbxd*').match(/^i[HFUWt].*/gm) ?? []
  if (json) {
    printJson({ running, target, kept, failed, last, waiting: waits, dpkg: unfinished })
    return exitCode.done
  }
  print(`${bold(`pbxd ${running}`)} is in use`)
  print(
    target === null
      ? 'pbx rollback has no version to go back to: this is the only good one here'
      : `pbx rollback restores ${bold(`pbxd ${target}`)}`,
  )
  for (const name of kept)
    if (name !== target && !failed.some(({ version }) => version === name)) print(`pbxd ${name} is kept ${dim(`(pbx rollback ${name})`)}`)
  for (const { version, at, reason } of failed) {
    print(red(`pbxd ${version} failed, ${localTime(at)}: ${reason}`))
    if (kept.includes(version)) print(`  ${dim('to try it anyway:')} pbx rollback ${version}`)
  }
  if (last !== null && last.from !== '') print(sentence(last))
  for (const line of unfinished)
    print(yellow(`dpkg has not finished installing ${line.slice(4)}: run pbx upgrade with its files, or dpkg --configure -a`))
  for (const name of waits) print(`${name} is scheduled ${dim('(pbx upgrade --at off cancels it)')}`)
  return last?.phase === 'returned' || last?.phase === 'refused' ? exitCode.failed : exitCode.done
}

function said(program: string, ...words: string[]): string {
  return spawnSync(program, words, { encoding: 'utf8' }).stdout?.trim() ?? ''
}

function link(path: string): string | null {
  try {
    return basename(readlinkSync(path))
  } catch {
    return null
  }
}

function sentence({ phase, from, to, began, ended, reason }: UpgradeNotes): string {
  const at = localTime(ended || began)
  if (phase === 'done') return green(`Last change: ${at} ${to} replaced ${from}${reason === '' ? '' : `: ${reason}`}`)
  if (phase === 'refused') return red(`Last change: ${at} ${to} was not started: ${reason}`)
  if (phase === 'returned')
    return `${red(`The last change: ${at} ${to} did not come up, and ${from} came back: ${reason}`)}\n  ${dim('try it again:')} ${bold('pbx upgrade --retry')}`
  return yellow(`${at} ${to} is replacing ${from} (${phase}): wait some minutes`)
}
