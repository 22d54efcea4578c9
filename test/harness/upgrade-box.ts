/** scripts/upgrade over versions that are a few files, with a systemd that is a file and a journal that is another. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { readFailed, readUpgrade } from '../../daemon/base/upgrade-notes.ts'
import { root } from './daemon.ts'

const script = join(root, 'scripts', 'upgrade')
const commands = ['chmod', 'cp', 'ln', 'mkdir', 'mv', 'rm', 'sync', 'systemctl']

/** What the new version does: it runs, it does not start, it refuses the configuration, systemd cannot read the unit of its engine. */
export type Nature = 'good' | 'broken' | 'refuses' | 'illegible' | 'silent'
/** killed: the script alone, as by kill -9; fails: the command, as on a full disk. `at`: before which command, from 1. */
export interface Fault {
  readonly how: 'killed' | 'fails'
  readonly at: number
}

export class UpgradeBox {
  readonly dir: string
  readonly #env: NodeJS.ProcessEnv

  constructor(dir: string) {
    this.dir = dir
    const bin = join(dir, 'bin')
    for (const name of ['bin', 'units', 'lib', 'lib/package/scripts']) mkdirSync(join(dir, name), { recursive: true })
    const file = (name: string, text: string): void => writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    // Nothing here outlives the machine: what is not on its disk is not lost.
    const doing: Partial<Record<string, string>> = { systemctl: `exec ${dir}/systemd "$@"`, sync: 'exit 0' }
    for (const name of commands)
      file(
        `bin/${name}`,
        `read -r n <${dir}/count; n=$((n + 1)); echo $n >${dir}/count
[ -z "$STATES" ] || /usr/bin/cp -a ${dir} "$STATES/$n"
if [ "$n" = "$FAULT_AT" ]; then
  case $FAULT_HOW in
    fails) exit 1 ;;
    killed) read -r _ _ _ _ group _ </proc/$$/stat; kill -9 "$group" ;;
  esac
fi
${doing[name] ?? `exec /usr/bin/${name} "$@"`}`,
      )
    file('bin/sleep', 'exit 0')
    // No package of ours is known to dpkg here.
    file('bin/dpkg-query', 'exit 1')
    file('bin/journalctl', `cat ${dir}/journal 2>/dev/null`)
    // One service, which starts what "current" is.
    file(
      'systemd',
      `case "$*" in
  restart*) at=$(readlink ${dir}/lib/current); if [ -e ${dir}/lib/$at/broken ]; then echo none >${dir}/daemon; else echo "\${at##*/}" >${dir}/daemon; fi ;;
  *LoadState*pbxd-engine.service) [ -e ${dir}/lib/$(readlink ${dir}/lib/current)/illegible ] && echo bad-setting || echo loaded ;;
  *LoadState*) echo loaded ;;
  *ActiveState*) if [ -e ${dir}/daemon ]; then echo active; else echo inactive; fi ;;
esac`,
    )
    this.#env = {
      ...process.env,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      PBXD_UPGRADE_BASE: join(dir, 'lib'),
      PBXD_UPGRADE_NOTES: join(dir, 'notes'),
      PBXD_UPGRADE_UNITS: join(dir, 'units'),
      PBXD_UPGRADE_SYSTEMD: dir,
      PBXD_UPGRADE_USER: 'nobody-of-that-name',
      PBXD_UPGRADE_SECONDS: '0',
    }
  }

  /** The files of a package are unpacked. */
  unpack(nature: Nature): void {
    const place = join(this.dir, 'lib/package')
    rmSync(place, { recursive: true })
    mkdirSync(join(place, 'scripts'), { recursive: true })
    writeFileSync(join(place, 'package.json'), `{ "of": "${nature}" }\n`)
    if (nature === 'broken' || nature === 'illegible') writeFileSync(join(place, nature), '')
    if (nature === 'silent') writeFileSync(join(place, 'broken'), '')
    const checks = nature === 'refuses' ? 'echo pbxd.yaml:3:1: no; exit 1' : 'exit 0'
    writeFileSync(
      join(place, 'scripts/pbx'),
      `#!/bin/sh
mine=\${0%/scripts/pbx} mine=\${mine##*/}
case "$1" in
  config) ${checks} ;;
  status) echo '{}' ;;
  upgrade-gate) ${nature === 'silent' ? 'echo "pbx: pbxd is not reachable"; exit 3;' : ''} read -r runs <$PBXD_UPGRADE_BASE/../daemon; [ "$runs" = "$mine" ] || { echo "store: down"; exit 1; } ;;
esac`,
    )
    chmodSync(join(place, 'scripts/pbx'), 0o755)
    for (const name of ['engine/pbx-engine', 'fax/pbx-fax']) {
      mkdirSync(join(place, '.cache', name, '..'), { recursive: true })
      writeFileSync(join(place, '.cache', name), '#!/bin/sh\nexit 2\n', { mode: 0o755 })
    }
  }

  async run(words: readonly string[], fault?: Fault, states = ''): Promise<{ code: number | null; said: string; printed: string }> {
    writeFileSync(join(this.dir, 'count'), '0\n')
    const env = { ...this.#env, FAULT_AT: String(fault?.at ?? 0), FAULT_HOW: fault?.how ?? '', STATES: states }
    // A group of its own, whose leader is the script: its end is that of the script alone.
    const child = spawn('/bin/sh', [script, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let said = ''
    let printed = ''
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    child.stderr.on('data', (data: Buffer) => (said += data.toString()))
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, said, printed })))
  }

  /** Runs it, and keeps below `states` what the disk held before each of its commands: "1", "2" and so on; the last is what is left. */
  async #kept(words: readonly string[], states: string): Promise<number> {
    mkdirSync(states)
    await this.run(words, undefined, states)
    cpSync(this.dir, join(states, String(this.commands + 1)), { recursive: true, verbatimSymlinks: true })
    return this.commands
  }

  /**
   * Runs it, and says for each of its commands in which state a power cut just before it would leave the box. Where a command left the disk as it was,
   * as `sync` does, the cut behind it is that before it. `at`: the how many of them it is, from 1.
   */
  async *cuts(words: readonly string[], to: string): AsyncGenerator<{ what: string; box: UpgradeBox; at: number }> {
    const states = `${to}-states`
    const many = await this.#kept(words, states)
    let before = ''
    let at = 0
    for (let command = 1; command <= many; command++) {
      const now = held(join(states, String(command)))
      if (now === before) continue
      before = now
      rmSync(to, { recursive: true, force: true })
      renameSync(join(states, String(command)), to)
      yield { what: `cut before command ${command} of ${many}`, box: new UpgradeBox(to), at: ++at }
    }
  }

  /**
   * Runs it. `all`: its commands; `changing`: those that leave the disk in another state. To be killed at one of the others is to be killed at the
   * one before, since a command itself goes on to its end.
   */
  async commandsOf(words: readonly string[]): Promise<{ all: number[]; changing: number[] }> {
    const states = `${this.dir}-states`
    const many = await this.#kept(words, states)
    const all = Array.from({ length: many }, (_, n) => n + 1)
    const disk = [0, ...all].map((n) => held(join(states, String(n + 1))))
    rmSync(states, { recursive: true })
    return { all, changing: all.filter((n) => n === 1 || disk[n] !== disk[n - 1]) }
  }

  /** The service is started at boot, before what ends an upgrade. */
  async boot(): Promise<void> {
    const at = this.current
    writeFileSync(join(this.dir, 'daemon'), `${existsSync(join(this.dir, 'lib/versions', at, 'broken')) ? 'none' : at}\n`)
    await this.run(['finish'])
  }

  get commands(): number {
    return Number(readFileSync(join(this.dir, 'count'), 'utf8'))
  }
  get current(): string {
    return basename(readlinkSync(join(this.dir, 'lib/current')))
  }
  get daemon(): string {
    return readFileSync(join(this.dir, 'daemon'), 'utf8').trim()
  }
  get versions(): string[] {
    return readdirSync(join(this.dir, 'lib/versions')).toSorted()
  }
  get notes() {
    return readUpgrade(join(this.dir, 'notes'))
  }
  get failed(): string[] {
    return readFailed(join(this.dir, 'notes')).map(({ version }) => version)
  }
  copy(to: string): UpgradeBox {
    rmSync(to, { recursive: true, force: true })
    cpSync(this.dir, to, { recursive: true, verbatimSymlinks: true })
    return new UpgradeBox(to)
  }
}

/** All names below a folder with what they are and hold, the counter of commands apart. */
function held(dir: string): string {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'count')
  const face = (name: string): string => {
    const path = join(dir, name)
    const found = lstatSync(path)
    const content = found.isSymbolicLink() ? readlinkSync(path) : found.isFile() ? readFileSync(path, 'utf8') : ''
    return [name, found.mode, found.isFile() ? found.nlink : '', content].join('\0')
  }
  return names.toSorted().map(face).join('\n')
}

/** A box on which 1.0 runs. */
export async function upgradeBox(dir: string): Promise<UpgradeBox> {
  const box = new UpgradeBox(dir)
  box.unpack('good')
  await box.run(['install', '1.0'])
  writeFileSync(join(dir, 'daemon'), '1.0\n')
  return box
}
