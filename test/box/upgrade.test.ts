/**
 * scripts/upgrade over versions that are a few files, with a systemd that is a file: the power is cut before each command that it runs, and each
 * of them fails as on a full disk. In the end one whole version runs, and the notes say which. The whole package is tried by
 * test/proofs/box/upgrade.sh.
 */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { readUpgrade } from '../../daemon/upgrade-notes.ts'
import { root } from '../harness/daemon.ts'

const script = join(root, 'scripts', 'upgrade')
const commands = ['chmod', 'cp', 'ln', 'mkdir', 'mv', 'rm', 'sync', 'systemctl']

/** What the new version does: it runs, it does not start, it refuses the configuration, systemd cannot read the unit of its engine. */
type Nature = 'good' | 'broken' | 'refuses' | 'illegible'
type Fault = { readonly how: 'cut' | 'fails'; readonly at: number }

class Box {
  readonly dir: string
  readonly #env: NodeJS.ProcessEnv

  constructor(dir: string) {
    this.dir = dir
    const bin = join(dir, 'bin')
    for (const name of ['bin', 'units', 'lib', 'lib/package/scripts']) mkdirSync(join(dir, name), { recursive: true })
    const file = (name: string, text: string): void => writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    for (const name of commands)
      file(
        `bin/${name}`,
        `read -r n <${dir}/count; n=$((n + 1)); echo $n >${dir}/count
if [ "$n" = "$FAULT_AT" ]; then [ "$FAULT_HOW" = fails ] && exit 1; kill -9 0; fi
exec ${name === 'systemctl' ? `${dir}/systemd` : `/usr/bin/${name}`} "$@"`,
      )
    file('bin/sleep', 'exit 0')
    // One service, which starts what "current" is.
    file(
      'systemd',
      `case "$*" in
  restart*) at=$(readlink ${dir}/lib/current); if [ -e ${dir}/lib/$at/broken ]; then echo none >${dir}/daemon; else basename $at >${dir}/daemon; fi ;;
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
    const checks = nature === 'refuses' ? 'echo pbxd.yaml:3:1: no; exit 1' : 'exit 0'
    writeFileSync(
      join(place, 'scripts/pbx'),
      `#!/bin/sh
mine=$(basename $(dirname $(dirname $0)))
case "$1" in
  config) ${checks} ;;
  status) echo '{}' ;;
  upgrade-gate) [ "$(cat $PBXD_UPGRADE_BASE/../daemon)" = "$mine" ] || { echo "store: down"; exit 1; } ;;
esac`,
    )
    chmodSync(join(place, 'scripts/pbx'), 0o755)
    for (const name of ['engine/pbx-engine', 'fax/pbx-fax']) {
      mkdirSync(join(place, '.cache', name, '..'), { recursive: true })
      writeFileSync(join(place, '.cache', name), '#!/bin/sh\nexit 2\n', { mode: 0o755 })
    }
  }

  async run(words: readonly string[], fault?: Fault): Promise<{ code: number | null; said: string }> {
    writeFileSync(join(this.dir, 'count'), '0\n')
    const env = { ...this.#env, FAULT_AT: String(fault?.at ?? 0), FAULT_HOW: fault?.how ?? '' }
    // A group of its own: a power cut ends all of it.
    const child = spawn('/bin/sh', [script, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let said = ''
    child.stderr.on('data', (data: Buffer) => (said += data.toString()))
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })))
  }

  /** The service is started at boot, before what ends an upgrade. */
  async boot(): Promise<void> {
    await this.run(['none'])
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
  copy(to: string): Box {
    rmSync(to, { recursive: true, force: true })
    cpSync(this.dir, to, { recursive: true, verbatimSymlinks: true })
    return new Box(to)
  }
}

/** A box on which 1.0 runs. */
async function running(dir: string): Promise<Box> {
  const box = new Box(dir)
  box.unpack('good')
  await box.run(['install', '1.0'])
  writeFileSync(join(dir, 'daemon'), '1.0\n')
  return box
}

t.test('a version that comes up stays, and the one before is kept', async (t) => {
  const box = await running(t.testdir())
  box.unpack('good')
  const { code, said } = await box.run(['install', '2.0'])
  t.same([code, box.current, box.daemon, box.versions], [0, '2.0', '2.0', ['1.0', '2.0']])
  t.match(said, /pbxd 2\.0 runs in place of 1\.0, which is kept/)
  t.match(box.notes, { phase: 'done', from: '1.0', to: '2.0', reason: '' })
  box.unpack('good')
  await box.run(['install', '3.0'])
  t.same(box.versions, ['2.0', '3.0'], 'no more than one')
  t.equal((await box.run(['rollback'])).code, 0)
  t.same([box.current, box.daemon, box.versions], ['2.0', '2.0', ['2.0', '3.0']])
  t.equal((await box.run(['rollback'])).code, 0)
  t.same([box.current, box.daemon], ['3.0', '3.0'], 'and forth')
})

t.test('one that does not come up is taken back; one that refuses the configuration is not started', async (t) => {
  const box = await running(t.testdir())
  box.unpack('broken')
  const broken = await box.run(['install', '2.0'])
  t.same([broken.code, box.current, box.daemon, box.notes?.phase], [1, '1.0', '1.0', 'returned'])
  t.match(broken.said, /pbxd 2\.0 did not come up: store: down\. pbxd 1\.0 runs again\./)
  box.unpack('refuses')
  const refused = await box.run(['install', '3.0'])
  t.same([refused.code, box.current, box.daemon, box.notes?.phase], [1, '1.0', '1.0', 'refused'])
  t.match(refused.said, /pbxd 3\.0 was not started: it does not accept .*: pbxd\.yaml:3:1: no\. pbxd 1\.0 goes on as it was\./)
  box.unpack('illegible')
  const illegible = await box.run(['install', '4.0'])
  t.same(
    [illegible.code, box.current, box.daemon, box.notes?.phase],
    [1, '1.0', '1.0', 'returned'],
    'though it runs, by the engine from before',
  )
  t.match(illegible.said, /pbxd 4\.0 did not come up: systemd cannot read pbxd-engine\.service/)
  box.unpack('good')
  t.equal((await box.run(['install', '3.0'])).code, 0, 'and again, mended')
  t.equal(box.daemon, '3.0')
})

t.test('the same version again, and one over a service that somebody stopped', async (t) => {
  const box = await running(t.testdir())
  box.unpack('good')
  await box.run(['install', '1.0'])
  t.same([box.current, box.daemon, box.versions], ['1.0~2', '1.0~2', ['1.0', '1.0~2']])
  rmSync(join(box.dir, 'daemon'))
  box.unpack('broken')
  t.equal((await box.run(['install', '2.0'])).code, 0)
  t.same([box.current, existsSync(join(box.dir, 'daemon'))], ['2.0', false], 'it is not started')
  t.match(box.notes, { phase: 'done', reason: /stopped/ })
})

for (const how of ['cut', 'fails'] as const) {
  for (const nature of ['good', 'broken', 'refuses'] as const) {
    t.test(`${how === 'cut' ? 'power is cut' : 'a command fails'} anywhere in an upgrade to a version that is: ${nature}`, async (t) => {
      const dir = t.testdir()
      const first = await running(join(dir, 'first'))
      first.unpack(nature)
      const whole = first.copy(join(dir, 'whole'))
      await whole.run(['install', '2.0'])
      const { commands: many } = whole
      t.ok(many > 8, `${many} commands`)
      for (let at = 1; at <= many; at++) {
        const box = first.copy(join(dir, 'box'))
        const { code } = await box.run(['install', '2.0'], { how, at })
        if (how === 'cut') {
          await box.boot()
          await box.boot()
        }
        const what = `${how} at command ${at} of ${many}`
        const { current, notes } = box
        t.ok(existsSync(join(box.dir, 'lib/versions', current, 'scripts/pbx')), `${what}: ${current} is whole`)
        t.ok(nature === 'good' || current === '1.0', `${what}: ${current}`)
        t.equal(box.daemon, current, `${what}: it runs`)
        t.ok(existsSync(join(box.dir, 'lib/versions/1.0/scripts/pbx')), `${what}: the one before is there`)
        if (notes?.phase === 'done') t.equal(current, notes.to, what)
        else if (how === 'cut') t.match(notes ?? { phase: 'refused' }, { phase: /^(refused|returned)$/ }, what)
        if (how === 'fails' && current === '1.0') t.equal(code, 1, `${what} is told`)
      }
    })
  }
}
