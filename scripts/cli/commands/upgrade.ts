/** pbx upgrade and pbx rollback: the front of scripts/upgrade, which does the work. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { DateTime } from 'luxon'
import type { StatusView } from '../../../daemon/schema/operation.ts'
import { readUpgrade, upgradeFolder, type UpgradeNotes } from '../../../daemon/upgrade-notes.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { bold, dim, green, localTime, print, printJson, red, yellow } from '../output.ts'

const base = process.env['PBXD_UPGRADE_BASE'] ?? '/usr/lib/pbxd'
const script = join(base, 'package/scripts/upgrade')
const waiting = join(upgradeFolder, 'next')
/** An older package is refused by its own preinst; one that is installed may be tried again. */
const apt = ['-y', '--no-install-recommends', '--allow-downgrades', '--reinstall', '-o', 'DPkg::Lock::Timeout=60', 'install']
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
  if (retry === true) return run(script, 'install')
  if (files.length === 0)
    throw new CommandError('which package?', { exit: exitCode.usage, fix: 'pbx upgrade ./pbxd_VERSION_ARCH.deb, or pbx upgrade --status' })
  const packages = files.map((file) => packageOf(file))
  if (!packages.some(({ name }) => name === 'pbxd'))
    throw new CommandError('the package pbxd itself is not among them', { exit: exitCode.usage })
  if (at !== undefined) return later(context, packages, at)
  return run('apt-get', ...apt, ...packages.map(({ file }) => file))
}

export async function rollback(_: Context, { store }: { store?: true }): Promise<number> {
  asRoot()
  return run(script, 'rollback', ...(store === true ? [sinceOfUpgrade()] : []))
}

function sinceOfUpgrade(): string {
  try {
    return readFileSync(join(upgradeFolder, 'since'), 'utf8').trim()
  } catch {
    throw new CommandError('there is no upgrade to be undone')
  }
}

function asRoot(): void {
  if (process.getuid?.() !== 0) throw new CommandError('root alone may do this', { fix: 'sudo pbx upgrade' })
  if (!existsSync(script))
    throw new CommandError(`pbxd was not installed from a package: ${script} is not there`, { fix: 'systemd/install in the new checkout' })
}

function run(program: string, ...words: string[]): number {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  if (error !== undefined) throw new CommandError(`${program} does not run: ${error.message}`)
  return status === 0 ? exitCode.done : exitCode.failed
}

function packageOf(given: string): { file: string; name: string; version: string } {
  const file = resolve(given)
  const asked = spawnSync('dpkg-deb', ['--show', '--showformat=${Package} ${Version}', file], { encoding: 'utf8' })
  const [name = '', version = ''] = asked.stdout?.split(' ') ?? []
  if (asked.status !== 0 || !name.startsWith('pbxd')) throw new CommandError(`${given} is no package of pbxd`, { exit: exitCode.usage })
  return { file, name, version }
}

async function later({ json, client }: Context, packages: readonly { file: string; version: string }[], at: string): Promise<number> {
  const { clock } = await (await client()).get<StatusView>('/api/status')
  const when = nextTime(at, clock.timeZone, DateTime.fromISO(clock.now))
  if (when === null) throw new CommandError(`"${at}" is no time of day such as 02:00`, { exit: exitCode.usage })
  rmSync(waiting, { recursive: true, force: true })
  mkdirSync(waiting, { recursive: true, mode: 0o755 })
  for (const { file } of packages) copyFileSync(file, join(waiting, basename(file)))
  const moment = when.toUTC().toFormat('yyyy-MM-dd HH:mm:ss')
  writeFileSync(
    timer,
    `[Unit]\nDescription=Upgrade of pbxd\n\n[Timer]\nOnCalendar=${moment} UTC\nPersistent=true\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n`,
  )
  const failed = run('systemctl', 'daemon-reload') || run('systemctl', 'enable', '--quiet', '--now', basename(timer))
  if (failed !== 0) return failed
  if (json) printJson({ at: when.toUTC().toISO(), versions: packages.map(({ version }) => version) })
  else print(`${green('✓')} pbxd ${packages[0]?.version} is installed ${localTime(when.toISO())}; to take that back: pbx upgrade --at off`)
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
  print('no upgrade waits for its hour')
  return run('systemctl', 'daemon-reload')
}

function show({ json }: Context): number {
  const here = link(join(base, 'current'))
  if (here === null) throw new CommandError(`pbxd was not installed from a package: ${base}/current is not there`)
  const notes = readUpgrade()
  const kept = readdirSync(join(base, 'versions')).filter((name) => name !== here && !name.endsWith('.new'))
  const next = existsSync(waiting) ? readdirSync(waiting) : []
  if (json) {
    printJson({ running: here, kept, last: notes, waiting: next })
    return exitCode.done
  }
  print(`${bold(`pbxd ${here}`)} is the version in use`)
  for (const name of kept)
    print(
      `pbxd ${name} is kept ${dim(`(pbx rollback), since ${localTime(new Date(statSync(join(base, 'versions', name)).ctimeMs).toISOString())}`)}`,
    )
  if (notes !== null && notes.from !== '') print(sentence(notes))
  for (const name of next) print(`${name} waits for its hour ${dim('(pbx upgrade --at off takes that back)')}`)
  return notes?.phase === 'returned' || notes?.phase === 'refused' ? exitCode.failed : exitCode.done
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
  if (phase === 'done') return green(`${at} ${to} took the place of ${from}${reason === '' ? '' : `: ${reason}`}`)
  if (phase === 'refused') return red(`${at} ${to} was not started: ${reason}`)
  if (phase === 'returned')
    return `${red(`${at} ${to} did not come up, and ${from} came back: ${reason}`)}\n  ${dim('again:')} ${bold('pbx upgrade --retry')}`
  return yellow(`${at} ${to} is being put in the place of ${from} (${phase})`)
}
