/** `pbx cluster`: from one description the files of every machine, which the programs that read them take. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { boxOf, idsOfBox, newCallId, newId } from '../../daemon/base/ids.ts'
import { ConfigError } from '../../daemon/config/load.ts'
import { clusterFiles } from '../../scripts/cli/cluster/files.ts'
import { idsMap, slotCount, slotsMap } from '../../scripts/cli/cluster/haproxy.ts'
import { parseCluster } from '../../scripts/cli/cluster/read.ts'
import { root } from '../harness/daemon.ts'

const description = readFileSync(join(import.meta.dirname, 'cluster.yaml'), 'utf8').replaceAll("'", '"')
const cluster = parseCluster(description, 'cluster.yaml')

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-cluster-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return dir
}

const pbx = (...words: string[]) => spawnSync(join(root, 'scripts/pbx'), ['cluster', ...words], { encoding: 'utf8' })

/** What is wrong, as a person would have written it, and the words of the refusal. */
const faults: readonly (readonly [what: string, from: string, to: string, said: RegExp])[] = [
  ['two boxes of one id', 'id: "002"', 'id: "001"', /cluster\.yaml:10:\d+: \/boxes\/1\/id: "001" is given twice/],
  ['an id that is none', 'id: "002"', 'id: "2"', /:10:\d+: \/boxes\/1\/id: "2" does not have the right form/],
  ['an id that is a number', 'id: "002"', 'id: 002', /:10:\d+: .*put it in quotes/],
  ['two boxes at one address', '10.211.0.12', '10.211.0.11', /:10:\d+: \/boxes\/1\/address: .* is given twice/],
  ['a box at the edge', '10.211.0.12', '10.211.0.10', /is of the edge/],
  ['a box at a machine of the edge', '10.211.0.12', '10.211.0.9', /is of the edge/],
  ['a box that is a provider', '10.211.0.12', '10.211.0.20', /is also a provider/],
  ['numbers that two boxes have', '2xx,30x', '2xx,1x5', /1x5 and 1xx of box 001 overlap/],
  ['an inbox that is nowhere', 'inbox: "00c"', 'inbox: "00d"', /:\d+:\d+: \/inbox: there is no box "00d"/],
  ['an unknown key', 'providers:', 'provider:', /there is no key "provider" here; did you mean "providers"/],
  ['a key of a box that is unknown', 'extensions: "1xx"', 'extension: "1xx"', /did you mean "extensions"/],
  ['two machines of one name', 'name: e2', 'name: e1', /"e1" is given twice/],
  ['a machine that has the moving address', 'address: 10.211.0.9', 'address: 10.211.0.10', /moves between the machines/],
  ['an address without its network', '10.211.0.10/24', '10.211.0.10', /does not have the right form/],
  ['an address of five parts', '10.211.0.21]', '10.211.0.21.9]', /does not have the right form/],
  ['a line break for other programs', 'interface: lo', 'interface: "lo\\n}"', /does not have the right form/],
  ['a weight of nothing', 'extensions: "1xx"', 'weight: 0', /is too small/],
]

for (const [what, from, to, said] of faults) {
  t.test(`refused: ${what}`, async (t) => {
    t.ok(description.includes(from))
    try {
      parseCluster(description.replace(from, to), 'cluster.yaml')
      t.fail('it is taken')
    } catch (error) {
      t.ok(error instanceof ConfigError)
      t.match((error as Error).message, said)
    }
  })
}

t.test('every file says where it comes from', async (t) => {
  for (const { path, text } of clusterFiles(cluster)) t.match(text.split('\n').slice(0, 2).join(' '), /Written by pbx cluster render/, path)
})

t.test('an id goes to the box that made it, an id of no box to none', async (t) => {
  t.teardown(() => idsOfBox(undefined))
  const rules = idsMap(cluster)
    .split('\n')
    .map((line) => line.split(' ') as [string, string])
  const find = (path: string): string | undefined => rules.find(([pattern]) => new RegExp(pattern).test(path))?.[1]
  for (const box of ['001', '002', '00c', 'fff']) {
    idsOfBox(box)
    for (let n = 0; n < 200; n++) {
      const [id, call] = [newId(), newCallId()]
      t.equal(boxOf(id), box)
      const known = cluster.boxes.some((one) => one.id === box) ? box : 'unknown'
      for (const path of [`/api/inbox/faxes/${id}.pdf`, `/api/sms/${id}`, `/api/voice/calls/${call}/trace`, `/api/voice/calls/${call}`])
        t.equal(find(path), known, path)
    }
  }
  for (const path of ['/api/voice/calls', '/api/inbox/sms', '/readyz', '/api/voice/calls/CA123']) t.equal(find(path), undefined, path)
})

t.test('a further box takes slots of keys, and moves no other', async (t) => {
  const slots = (boxes: typeof cluster.boxes): string[] => slotsMap({ ...cluster, boxes }).split('\n')
  const before = slots(cluster.boxes)
  t.equal(before.length, slotCount)
  const added = { id: '0d0', address: '10.211.0.14', weight: 100 }
  const after = slots([...cluster.boxes, added])
  const moved = after.filter((line, at) => line !== before[at])
  t.ok(moved.length > 0 && moved.every((line) => line.endsWith(' 0d0')), `${moved.length} slots moved`)
  t.ok(moved.length < slotCount / 2, `${moved.length}`)
  t.same(slots(cluster.boxes.toReversed()), before, 'the order of the boxes does not matter')
})

t.test('render writes the files, check finds what differs', async (t) => {
  const dir = folder(t)
  const file = join(dir, 'cluster.yaml')
  writeFileSync(file, description)
  const rendered = pbx('render', file, '--out', join(dir, 'out'), '--json')
  t.equal(rendered.status, 0, rendered.stderr)
  t.match(JSON.parse(rendered.stdout), { packages: ['kamailio', 'haproxy', 'keepalived'] })
  const check = (...more: string[]) => pbx('check', file, '--machine', 'e1', '--root', join(dir, 'out/e1'), ...more)
  t.equal(check().status, 0)
  appendFileSync(join(dir, 'out/e1/etc/haproxy/haproxy.cfg'), '# a hand edit\n')
  rmSync(join(dir, 'out/e1/etc/haproxy/slots.map'))
  const differs = check('--json')
  t.equal(differs.status, 1)
  const { files } = JSON.parse(differs.stdout) as { files: { path: string; state: string }[] }
  t.same(
    files.filter(({ state }) => state !== 'same'),
    [
      { path: '/etc/haproxy/haproxy.cfg', state: 'differs' },
      { path: '/etc/haproxy/slots.map', state: 'missing' },
    ],
  )
  t.equal(pbx('check', file, '--machine', 'nobody').status, 2)
  writeFileSync(file, description.replace('id: "002"', 'id: "001"'))
  const refused = pbx('render', file, '--out', join(dir, 'other'))
  t.equal(refused.status, 1)
  t.match(refused.stderr, /is given twice/)
  t.notOk(existsSync(join(dir, 'other')))
})

t.test('a box that is away is shown as unreachable', async (t) => {
  const dir = folder(t)
  const file = join(dir, 'cluster.yaml')
  const away = description
    .replace(/address: 10\.211\.0\.1[123]/g, '$&, http: "http://127.0.0.1:9"')
    .replace(/, http: "http:\/\/10[^"]*"/, '')
  writeFileSync(file, away)
  const { status, stdout } = pbx('status', file, '--json')
  t.equal(status, 1)
  t.match(JSON.parse(stdout), { boxes: [{ id: '001', state: 'unreachable' }, { id: '002' }, { id: '00c' }] })
})

/** The program that reads a file, and how it is asked whether it takes it; in namespaces, where its interface and its files are. */
const programs: readonly (readonly [program: string, command: string])[] = [
  ['kamailio', 'kamailio -c -f /etc/kamailio/kamailio.cfg'],
  ['haproxy', 'haproxy -c -f /etc/haproxy/haproxy.cfg'],
  ['keepalived', 'keepalived -t -f /etc/keepalived/keepalived.conf'],
]

for (const [program, command] of programs) {
  const found = existsSync(`/usr/sbin/${program}`) && process.getuid?.() === 0
  const skip = found ? false : `it needs root and ${program}: apt-get install ${program}`
  t.test(`${program} takes what is written for it`, { skip }, async (t) => {
    const dir = folder(t)
    const variants = {
      'two machines': description.replace('interface: lo', 'interface: eth0'),
      'one machine, shares, no providers': description
        .replace(/ +- \{ name: e2.*\n/, '')
        .replace('providers: [10.211.0.20, 10.211.0.21]', 'providers: []')
        .replace('extensions: "1xx"', 'weight: 50'),
      TLS: description.replace('interface: lo', 'interface: eth0\n  sip: { tls: { cert: /etc/kamailio/c.pem, key: /etc/kamailio/k.pem } }'),
    }
    for (const [what, text] of Object.entries(variants)) {
      const files = clusterFiles(parseCluster(text, 'cluster.yaml'))
      if (!files.some(({ path }) => path.includes(program))) continue
      if (what === 'TLS' && program === 'kamailio' && spawnSync('sh', ['-c', 'ls /usr/lib/*/kamailio/modules/tls.so']).status !== 0)
        continue
      const out = mkdtempSync(join(dir, 'out-'))
      const yaml = join(out, 'cluster.yaml')
      writeFileSync(yaml, text)
      t.equal(pbx('render', yaml, '--out', out).status, 0)
      const place = join(out, 'e1/etc', program)
      const words = `mount --bind ${place} /etc/${program} && ip link add name eth0 type veth peer name other && ip link set eth0 up && ${command}`
      const { status, stdout, stderr } = spawnSync('unshare', ['--net', '--mount', 'sh', '-c', words], { encoding: 'utf8' })
      t.equal(status, 0, `${what}: ${stdout}${stderr}`)
      t.notMatch(`${stdout}${stderr}`, /WARNING|ERROR/, what)
    }
  })
}
