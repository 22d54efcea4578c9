/** What `pbx cluster render` writes for a pair, taken by the programs that read it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { ConfigError } from '../../daemon/config/load.ts'
import { faultLine } from '../../daemon/config/source.ts'
import { clusterFiles } from '../../scripts/cli/cluster/files.ts'
import { parseCluster } from '../../scripts/cli/cluster/read.ts'
import { listenerFaults } from '../../scripts/cli/pair/listeners.ts'

const description = `pair:
  address: 192.0.2.21/24
  interface: eth0
  machines: [{ name: a, address: 10.9.0.1 }, { name: b, address: 10.9.0.2 }]
  witness: 192.0.2.40
  disk: /dev/vg0/pbxd
  watchdog: /dev/watchdog
  fence: { agent: fence_ipmilan, options: { ip: "%n-bmc", password: "a<b&\\"c" } }
`

const faults: readonly (readonly [what: string, from: RegExp, to: string, said: RegExp])[] = [
  ['neither watchdog nor fence', / +watchdog[^]*/, '', /:2:\d+: \/pair: give a watchdog or a fence/],
  ['a witness that is a machine', /192\.0\.2\.40/, '10.9.0.2', /the witness is a third machine/],
  ['a witness at the address of the pair', /192\.0\.2\.40/, '192.0.2.21', /the witness is a third machine/],
  ['a machine with the address that moves', /10\.9\.0\.2/, '192.0.2.21', /moves between the machines/],
  ['two machines of one name', /name: b/, 'name: a', /"a" is given twice/],
  ['one machine', /, \{ name: b.*\}/, '', /machines/],
  ['a disk that is none', /\/dev\/vg0\/pbxd/, 'pbxd; }', /does not have the right form/],
  ['an unknown key', /witness/, 'wittness', /did you mean "witness"/],
]

for (const [what, from, to, said] of faults) {
  t.test(`refused: ${what}`, async (t) => {
    t.match(description, from)
    try {
      parseCluster(description.replace(from, to), 'cluster.yaml')
      t.fail('it is taken')
    } catch (error) {
      t.ok(error instanceof ConfigError)
      t.match((error as Error).message, said)
    }
  })
}

const variants = {
  both: description,
  'a watchdog alone': description.replace(/ +fence.*\n/, ''),
  'a fence alone': description.replace(/ +watchdog.*\n/, ''),
}

/** The program that reads a file, and how it is asked whether it takes it. */
const programs: readonly (readonly [program: string, path: string, words: (file: string) => string[]])[] = [
  ['/usr/sbin/corosync', '/etc/corosync/corosync.conf', (file) => ['-t', '-c', file]],
  ['/usr/sbin/crm_verify', '/etc/pbxd-pair/cib.xml', (file) => ['-V', '-x', file]],
  ['/usr/sbin/drbdadm', '/etc/drbd.d/pbxd.res', (file) => ['-c', file, 'dump', 'pbxd']],
]

for (const [program, path, words] of programs) {
  const skip = existsSync(program) && process.getuid?.() === 0 ? false : `it needs root and ${program}`
  t.test(`${program} takes what is written for it`, { skip }, async (t) => {
    for (const [what, text] of Object.entries(variants)) {
      const [place, file] = written(text, path)
      t.teardown(() => rmSync(place, { recursive: true }))
      // DRBD and Corosync look for the name of the host among the machines.
      const key = 'mount -t tmpfs none /etc/corosync && corosync-keygen -l -k /etc/corosync/authkey >/dev/null'
      const named = [
        '--uts',
        '--mount',
        'sh',
        '-c',
        `hostname a && ${program.endsWith('corosync') ? key : ':'} && exec "$0" "$@"`,
        program,
        ...words(file),
      ]
      const { status, stdout, stderr } = spawnSync('unshare', named, { encoding: 'utf8' })
      t.equal(status, 0, `${what}: ${stdout}${stderr}`)
      t.notMatch(stderr, /warning|error/i, what)
    }
  })
}

const skip = existsSync('/usr/lib/ocf/lib/heartbeat/ocf-shellfuncs') ? false : 'resource-agents is not installed'
for (const name of ['pbxd', 'machine']) {
  t.test(`the agent ${name} says what it is, and refuses what it does not know`, { skip }, async (t) => {
    const [place, file] = written(description, `/usr/lib/ocf/resource.d/pbxd/${name}`)
    t.teardown(() => rmSync(place, { recursive: true }))
    const said = spawnSync('sh', [file, 'meta-data'], { encoding: 'utf8' })
    t.equal(said.status, 0, said.stderr)
    t.match(said.stdout, new RegExp(`<resource-agent name="${name}"[^]*<action name="monitor"[^]*</resource-agent>`))
    t.equal(spawnSync('sh', [file, 'validate-all']).status, 0)
    t.equal(spawnSync('sh', [file, 'dance']).status, 3)
  })
}

const box = (udp: string, http: string): string =>
  `site: { name: Clinic, country: US, timeZone: America/New_York }\nsip: { udp: "${udp}", tcp: "off" }\nhttp: { listen: "${http}" }\n`

for (const [what, text, said] of [
  [
    'phones are at the address of a machine',
    box('10.9.0.1:5060', '192.0.2.21:8443'),
    /:2:\d+: \/sip\/udp: 10\.9\.0\.1:5060 is not at the address/,
  ],
  ['phones are at every address', box('0.0.0.0:5060', '192.0.2.21:8443'), /sip\/udp.*give 192\.0\.2\.21:5060/],
  ['the web port is at this machine alone', box('192.0.2.21:5060', '127.0.0.1:8080'), /:3:\d+: \/http\/listen/],
  ['both are at the address of the pair', box('192.0.2.21:5060', '192.0.2.21:8443'), null],
] as const) {
  t.test(`render and the configuration of the box: ${what}`, async (t) => {
    const place = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
    t.teardown(() => rmSync(place, { recursive: true }))
    const config = join(place, 'pbxd.yaml')
    writeFileSync(config, text)
    const faults = listenerFaults(parseCluster(description, 'cluster.yaml').pair!, config).map(faultLine)
    if (said === null) t.same(faults, [])
    else t.match(faults.join('\n'), said)
  })
}

t.test('no unit of the box starts on a machine that has no mark', async (t) => {
  const files = clusterFiles(parseCluster(description, 'cluster.yaml')).filter(({ machine }) => machine === 'a')
  const installed = readdirSync('systemd').filter((name) => /\.(?:service|timer|path)$/.test(name))
  // A PDF comes from the daemon alone; an upgrade is of each machine.
  const elsewhere = installed.filter((name) => !/^pbxd-(?:pages@|upgrade)/.test(name))
  for (const unit of elsewhere) {
    const found = files.find(({ path }) => path === `/etc/systemd/system/${unit}.d/pair.conf`)
    t.match(found?.text, /^ConditionPathExists=\/run\/pbxd-pair\/active$/m, unit)
  }
})

t.test('both machines get the same files, and say where these come from', async (t) => {
  const files = clusterFiles(parseCluster(description, 'cluster.yaml'))
  const of = (name: string): string[] => files.filter(({ machine }) => machine === name).map(({ path, text }) => `${path}\n${text}`)
  t.ok(of('a').length >= 6)
  t.same(of('a'), of('b'))
  for (const { path, text } of files) t.match(text.split('\n').slice(0, 2).join(' '), /Written by pbx cluster render/, path)
})

t.test('what is rendered for a machine of the pair is what check finds good, and a program only where it can be run', async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
  t.teardown(() => rmSync(place, { recursive: true }))
  const file = join(place, 'cluster.yaml')
  writeFileSync(file, description)
  const pbx = (...words: string[]) =>
    spawnSync('sh', ['scripts/pbx', 'cluster', ...words], { encoding: 'utf8', cwd: join(import.meta.dirname, '../..') })
  const said = pbx('render', file, '--out', place)
  t.equal(said.status, 0, said.stderr)
  const check = () => pbx('check', file, '--machine', 'a', '--root', join(place, 'a'))
  t.equal(check().status, 0, 'as it was rendered')
  chmodSync(join(place, 'a/usr/lib/ocf/resource.d/pbxd/pbxd'), 0o644)
  t.match(check(), { status: 1, stdout: /pbxd\/pbxd +differs/ })
})

/** A folder of its own, and the file of machine a in it. */
function written(text: string, path: string): [string, string] {
  const place = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
  const file = join(place, path)
  mkdirSync(dirname(file), { recursive: true })
  const found = clusterFiles(parseCluster(text, 'cluster.yaml')).find((one) => one.machine === 'a' && one.path === path)
  writeFileSync(file, found!.text)
  return [place, file]
}
