/**
 * The package's own scripts, which dpkg runs as root, over folders in which the service's user has laid links, pipes and second names of
 * files of root: they change nothing that is not the package's. The places of a machine are those of a tree of the test.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../harness/daemon.ts'
import { HostileService, plants, serviceUser } from '../harness/hostile-service.ts'
import { skipFile } from '../harness/skip-file.ts'

if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/systemd-tmpfiles'))
  skipFile('only root installs packages, on a machine with systemd-tmpfiles')
t.setTimeout(120_000)
const box = await HostileService.open(t.testdir({}))
t.teardown(() => box.end())
const tree = join(box.dir, 'tree')
const at = (name: string): string => join(tree, name)

/** The longest first. */
const places: readonly [installed: string, here: string][] = [
  ['/var/lib/pbxd-upgrade', at('notes')],
  ['/var/lib/systemd/timers', at('timers')],
  ['/var/lib/pbxd', box.storage],
  ['/var/backups/pbxd', at('backups')],
  ['/usr/share/debconf', at('debconf')],
  ['/usr/share/pbxd', at('share')],
  ['/usr/lib/pbxd', at('lib')],
  ['/run/systemd/system', at('none')],
  ['/etc/systemd/system', at('units')],
  ['/etc/pbxd', at('etc')],
]
const placed = (text: string): string =>
  places
    .reduce((said, [installed, here]) => said.replaceAll(installed, here), text)
    .replaceAll('@VERSION@', '1')
    .replaceAll('-g pbx ', `-g ${serviceUser} `)
const script = (name: string): string => placed(fs.readFileSync(join(root, 'scripts/deb', name), 'utf8'))

/** What a machine has of the package before its scripts run. */
function unpack(): void {
  fs.rmSync(tree, { recursive: true, force: true })
  for (const name of ['bin', 'debconf', 'share', 'units', 'timers', 'notes', 'lib/package/scripts', 'lib/package/bin'])
    fs.mkdirSync(at(name), { recursive: true })
  const program = (name: string, text: string): void => fs.writeFileSync(at(name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  for (const name of ['systemctl', 'deb-systemd-helper', 'deb-systemd-invoke', 'systemd-sysusers', 'udevadm'])
    program(`bin/${name}`, 'exit 0')
  program('bin/systemd-tmpfiles', `exec /usr/bin/systemd-tmpfiles --create ${at('pbxd.conf')}`)
  fs.copyFileSync(join(root, 'scripts/upgrade'), at('lib/package/scripts/upgrade'))
  fs.writeFileSync(at('share/pbxd.yaml'), 'site: { name: Clinic }\n')
  fs.writeFileSync(
    at('debconf/confmodule'),
    'db_fset() { :; }; db_input() { :; }; db_go() { :; }; db_purge() { :; }; db_get() { RET=true; }\n',
  )
  const rules = placed(fs.readFileSync(join(root, 'systemd/tmpfiles.d/pbxd.conf'), 'utf8'))
  fs.writeFileSync(at('pbxd.conf'), rules.replaceAll(/\bpbx(-engine)?(?=\s)/g, String(serviceUser)))
}

function run(name: string, ...words: string[]): { code: number | null; text: string } {
  const env = {
    PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
    PBXD_UPGRADE_BASE: at('lib'),
    PBXD_UPGRADE_NOTES: at('notes'),
    PBXD_UPGRADE_UNITS: at('units'),
    PBXD_UPGRADE_SYSTEMD: at('none'),
  }
  const { status, stdout, stderr } = spawnSync('sh', ['-s', '--', ...words], { input: script(name), env, encoding: 'utf8' })
  return { code: status, text: stdout + stderr }
}

const runs: readonly (readonly [name: string, ...words: string[]])[] = [
  ['preinst', 'upgrade', '0'],
  ['postinst', 'configure'],
  ['prerm', 'remove'],
  ['postrm', 'remove'],
  ['postrm', 'purge'],
]

t.test('nothing in the way: the package comes, and goes with its data', (t) => {
  unpack()
  box.reset()
  for (const [name, ...words] of runs) {
    t.match(run(name, ...words), { code: 0 }, `${name} ${words[0]}`)
    if (name !== 'postinst') continue
    t.match(fs.statSync(join(box.storage, 'spool')), { uid: serviceUser, mode: 0o42770 }, 'with the folder that two share')
    t.match(fs.statSync(at('etc/pbxd.yaml')), { uid: 0, gid: serviceUser, mode: 0o100640 })
  }
  t.notOk(fs.existsSync(box.storage), 'the data is gone, since somebody said so')
  t.notOk(fs.existsSync(at('etc')))
  fs.mkdirSync(box.storage)
  t.end()
})

for (const kind of Object.keys(plants))
  t.test(`${kind} in the service's folder`, (t) => {
    unpack()
    box.reset()
    for (const name of ['spool', 'store', 'recordings']) box.plant(join(box.storage, name), kind)
    const before = box.outside([tree])
    for (const [script, ...words] of runs) {
      const { code, text } = run(script, ...words)
      t.equal(code, 0, `${script} ${words[0]}: ${text}`)
      t.equal(box.outside([tree]), before, `${script} ${words[0]} changes nothing of others`)
    }
    t.notOk(fs.existsSync(box.storage), 'and the folder is gone')
    fs.mkdirSync(box.storage)
    t.end()
  })

t.test('somebody who changes folder and link all the time', async (t) => {
  for (let n = 0; n < 5; n++) {
    unpack()
    box.reset()
    const before = box.outside([tree])
    const stop = box.flip(['spool', 'recordings'])
    for (let m = 0; m < 5; m++) run('postinst', 'configure')
    run('postrm', 'purge')
    await stop()
    t.equal(box.outside([tree]), before)
    execFileSync('rm', ['-rf', box.storage])
    fs.mkdirSync(box.storage)
  }
})
