/** A change of the configuration: reported key by key, taken over in place, kept in revisions, judged by what worked before. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { adopt } from '../../daemon/config/part.ts'
import { compareConfigs, inWords, planOf } from '../../daemon/config/compare.ts'
import { writeConfigFile } from '../../daemon/config/source.ts'
import { isRefused, lost } from '../../daemon/config/gate.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { Revisions } from '../../daemon/config/revisions.ts'
import { derived } from '../../daemon/base/derived.ts'
import { createReach } from '../../daemon/numbers/reach.ts'
import type { Config } from '../../daemon/schema/config.ts'

const base = `
site: { name: Clinic, country: US, timeZone: America/New_York }
sip: { udp: 127.0.0.1:5060 }
trunks:
  - { id: main, server: provider.example, username: clinic, password: secret-of-main, numbers: ["+15550001000"], channels: 30 }
extensions:
  - { number: "101", name: Front desk, password: a-long-password }
  - { number: "102", name: Office, password: another-long-password }
inbound:
  - { to: "+15550001000", destination: "101" }
  - { to: "+15550001001", destination: "102" }
queues: [ { id: nurses, members: ["101", "102"] } ]
menus: [ { id: main, say: Press one., keys: { "1": "101" } } ]
hours: [ { id: day, open: { mon-fri: ["08:00-18:00"] }, whenOpen: "101", whenClosed: "102" } ]
sms: { trunks: [ { id: texts, kind: sim, number: "+15550001003" } ] }
`

type Tree = Record<string, any>

function configOf(change: (tree: Tree) => void = () => undefined): Config {
  const tree = parse(base) as Tree
  change(tree)
  return parseConfig(stringify(tree), '/etc/pbxd/pbxd.yaml').config
}

const told = (change: (tree: Tree) => void): string[] => compareConfigs(configOf(), configOf(change)).map(inWords)

const changes: readonly (readonly [string, (tree: Tree) => void, readonly string[], 'none' | 'live' | 'restart', boolean])[] = [
  ['nothing', () => undefined, [], 'none', false],
  ['a default that is written', (tree) => (tree['log'] = { level: 'info' }), [], 'none', false],
  ['a name', (tree) => (tree['extensions'][0].name = 'Reception'), ['~ extensions[101].name: Front desk -> Reception'], 'live', false],
  [
    'a password',
    (tree) => (tree['extensions'][0].password = 'quite-another-one'),
    ['~ extensions[101].password: (secret) -> (another secret)'],
    'live',
    false,
  ],
  ['channels', (tree) => (tree['trunks'][0].channels = 4), ['~ trunks[main].channels: 30 -> 4'], 'live', false],
  ['an order of rules', (tree) => tree['inbound'].reverse(), ['~ inbound: in another order'], 'live', false],
  ['members', (tree) => tree['queues'][0].members.pop(), ['~ queues[nurses].members: [101, 102] -> [101]'], 'live', false],
  ['keys', (tree) => (tree['menus'][0].keys = { 1: '102' }), ['~ menus[main].keys: { 1: 101 } -> { 1: 102 }'], 'live', false],
  ['the level of the log', (tree) => (tree['log'] = { level: 'debug' }), ['~ log.level: info -> debug'], 'restart', false],
  ['requests', (tree) => (tree['limits'] = { burst: 41 }), ['~ limits.burst: 40 -> 41'], 'restart', false],
  ['originates', (tree) => (tree['limits'] = { originatesPerMinute: 31 }), ['~ limits.originatesPerMinute: 30 -> 31'], 'live', false],
  [
    'the web port',
    (tree) => (tree['http'] = { listen: '127.0.0.1:8081' }),
    ['~ http.listen: 127.0.0.1:8080 -> 127.0.0.1:8081'],
    'restart',
    true,
  ],
  [
    'SIP listeners',
    (tree) => (tree['sip'] = { udp: '127.0.0.1:5070' }),
    ['~ sip.udp: 127.0.0.1:5060 -> 127.0.0.1:5070', '~ sip.tcp: 127.0.0.1:5060 -> 127.0.0.1:5070'],
    'restart',
    true,
  ],
]

t.test('changes are told key by key, with when they count and whether they must be confirmed', async (t) => {
  for (const [what, change, words, effect, confirm] of changes) {
    t.same(told(change), words, what)
    t.match(planOf(compareConfigs(configOf(), configOf(change))), { effect, confirm }, what)
  }
})

t.test('items that come and go are shown without their secrets, of every kind', async (t) => {
  const words = told((tree) => {
    tree['trunks'].push({ id: 'second', server: 'other.example', username: 'two', password: 'secret-of-second' })
    tree['extensions'].shift()
    tree['sms'].trunks.push({
      id: 'agg',
      kind: 'smpp',
      server: '127.0.0.1:2775',
      systemId: 'clinic',
      password: 'smpp-pw',
      number: '+15550001004',
    })
    for (const list of ['inbound', 'queues', 'menus', 'hours']) delete tree[list]
  }).join('\n')
  t.match(words, /^\+ trunks\[second\]: \{ id: second.*password: \(secret\)/m)
  t.match(words, /^- extensions\[101\]: \{ number: 101, name: Front desk.*password: \(secret\)/m)
  t.match(words, /^\+ sms\.trunks\[agg\]: \{ id: agg, kind: smpp.*password: \(secret\)/m)
  t.notMatch(words, /secret-of|smpp-pw|a-long-password/)
})

const pick = fc.subarray(changes.map(([, change]) => change))

t.test('adopted in place, a configuration is as the other one, and whoever keeps a part of it sees that', async (t) => {
  fc.assert(
    fc.property(pick, pick, (first, second) => {
      const config = configOf((tree) => first.forEach((change) => change(tree)))
      const next = configOf((tree) => second.forEach((change) => change(tree)))
      const { site, extensions, trunks, limits, sip } = config
      const names = derived(config, () => config.extensions.map(({ name }) => name))
      adopt(config, next)
      t.ok(isDeepStrictEqual(config, next))
      t.same(compareConfigs(config, next), [])
      t.ok(
        site === config.site &&
          extensions === config.extensions &&
          trunks === config.trunks &&
          limits === config.limits &&
          sip === config.sip,
      )
      t.same(
        names(),
        next.extensions.map(({ name }) => name),
      )
    }),
    { numRuns: 50 },
  )
})

t.test('a call goes on with the item that it began with; an item that is the same stays the same object', async (t) => {
  const config = configOf()
  const [desk, office] = config.extensions
  adopt(
    config,
    configOf((tree) => (tree['extensions'][0].name = 'Reception')),
  )
  t.equal(desk!.name, 'Front desk')
  t.equal(config.extensions[0]!.name, 'Reception')
  t.equal(config.extensions[1], office)
})

t.test('what is made of the configuration once is made again after a change, and only then', async (t) => {
  const config = configOf()
  let made = 0
  const count = derived(config, () => (made += 1))
  t.same([count(), count(), made], [1, 1, 1])
  adopt(config, configOf())
  t.same([count(), count(), made], [2, 2, 2])
  const reach = createReach(config)
  t.ok(reach.mayDial('+12125550100', 'call').allowed)
  adopt(
    config,
    configOf((tree) => (tree['numbers'] = { deny: ['+1212*'] })),
  )
  t.notOk(reach.mayDial('+12125550100', 'call').allowed)
})

t.test('what worked before is missed, what did not and what is not configured any more is not', async (t) => {
  const { trunks } = configOf()
  const well = { name: 'main', ok: true, reason: '' }
  const down = { ...well, ok: false, reason: 'it does not answer' }
  const parts = [{ name: 'store', ok: true, reason: '' }]
  t.same(lost({ parts, trunks: [well] }, { parts, trunks: [well] }, { trunks }), [])
  t.same(lost({ parts, trunks: [well] }, { parts, trunks: [down] }, { trunks }), ['trunk main: it does not answer'])
  t.same(lost({ parts, trunks: [down] }, { parts, trunks: [down] }, { trunks }), [])
  t.same(lost({ parts, trunks: [well] }, { parts, trunks: [] }, { trunks: [] }), [])
  t.same(lost({ parts, trunks: [] }, { parts: [], trunks: [] }, { trunks }), ['part store: it no longer exists'])
  const refused = { ...down, refused: true }
  t.equal(isRefused({ parts, trunks: [well] }, { parts, trunks: [refused] }, { trunks }), true, 'a no is not waited for')
  t.equal(isRefused({ parts, trunks: [well] }, { parts, trunks: [down] }, { trunks }), false, 'silence may end')
  t.equal(isRefused({ parts, trunks: [down] }, { parts, trunks: [refused] }, { trunks }), false, 'it did not work before')
  t.equal(isRefused({ parts, trunks: [well] }, { parts, trunks: [refused] }, { trunks: [] }), false, 'it is wanted no more')
})

t.test('revisions: numbered, the newest kept, readable by their owner alone; what is broken is left out', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-revisions-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const place = join(dir, 'config')
  const facts = { at: 0, by: 'start', note: '', outcome: 'applied', reason: '', changes: 0, summary: [] } as const
  t.same(new Revisions(place).list(), [])
  for (let n = 1; n <= 60; n++) t.equal(new Revisions(place).add({ ...facts, text: `text ${n}` }).revision, n)
  const revisions = new Revisions(place)
  t.equal(revisions.list().length, 50)
  t.match([revisions.list()[0], revisions.list().at(-1)], [{ revision: 60, text: 'text 60' }, { revision: 11 }])
  for (const name of readdirSync(place)) t.equal(statSync(join(place, name)).mode & 0o777, 0o600)
  writeFileSync(join(place, '60.json'), '{"revision":60,')
  t.equal(revisions.get(60), null)
  t.equal(revisions.list()[0]!.revision, 59)
  t.equal(revisions.add({ ...facts, text: 'next' }).revision, 61)
})

t.test('the file is written whole, with the mode it had; where that is not to be, it is left as it was', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-file-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'pbxd.yaml')
  t.equal(writeConfigFile(file, 'one\n'), '')
  t.equal(statSync(file).mode & 0o777, 0o640)
  writeFileSync(file, 'two\n')
  chmodSync(file, 0o604)
  t.equal(writeConfigFile(file, 'three\n'), '')
  t.equal(readFileSync(file, 'utf8'), 'three\n')
  t.equal(statSync(file).mode & 0o777, 0o604)
  t.match(writeConfigFile(join(dir, 'none', 'pbxd.yaml'), 'x'), /ENOENT/)
  t.same(readdirSync(dir), ['pbxd.yaml'])
})
