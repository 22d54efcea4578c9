/** What `pbx pair`, the daemon and the set-up say of a pair, from what Pacemaker says. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../daemon/base/clock.ts'
import { forLog } from '../../daemon/base/for-log.ts'
import { pairPart, pairView } from '../../daemon/pair/part.ts'
import { addressOf, networkChoices } from '../../daemon/setup/address.ts'
import { stateIn, type PairState } from '../../scripts/cli/pair/pacemaker.ts'
import { faultsOf } from '../../scripts/cli/pair/run.ts'

const root = join(import.meta.dirname, '../..')

interface Given {
  readonly quorum?: boolean
  readonly on?: string
  readonly failed?: boolean
  readonly away?: string
  readonly unclean?: string
  readonly unfit?: string
}

/** As crm_mon 2.1.5 writes it, less what is not read. */
function xml({ quorum = true, on = 'a', failed = false, away = '', unclean = '', unfit = '' }: Given): string {
  const node = (name: string): string =>
    `<node name="${name}" id="1" online="${name !== away}" standby="false" unclean="${name === unclean}" resources_running="4" type="member"/>`
  const said = (name: string): string =>
    `<node name="${name}"><attribute name="pbxd-fit" value="${name === unfit ? 0 : 1}"/><attribute name="pbxd-version" value="1.0"/></node>`
  const where = on === '' ? '/>' : `><node name="${on}" id="1" cached="true"/></resource>`
  return `<crm_mon version="2.1.5"><summary><current_dc present="true" version="2.1.5" with_quorum="${quorum}"/></summary>
<nodes>${node('a')}${node('b')}</nodes>
<resources><group id="box"><resource id="daemon" resource_agent="ocf:pbxd:pbxd" role="${on === '' ? 'Stopped' : 'Started'}" failed="${failed}"${where}</group></resources>
<node_attributes>${said('a')}${said('b')}</node_attributes></crm_mon>`
}

const roles = ({ machines }: PairState): string => machines.map(({ name, role }) => `${name} ${role}`).join(', ')

for (const [what, given, seen, said] of [
  ['one serves and the other stands by', {}, 'a active, b standby', /^$/],
  ['the other serves', { on: 'b' }, 'a standby, b active', /^$/],
  ['the one that stands by is away', { away: 'b' }, 'a active, b away', /b is away/],
  ['a machine does not answer', { unclean: 'b' }, 'a active, b unknown', /b does not answer/],
  ['nobody serves without a majority', { quorum: false, on: '' }, 'a standby, b standby', /no majority[^]*No machine serves/],
  ['a daemon that failed does not serve', { failed: true }, 'a starting, b standby', /No machine serves/],
  ['an older version cannot take over', { unfit: 'b' }, 'a active, b standby', /b cannot take over: its version 1\.0 is older/],
] as const) {
  t.test(what, async (t) => {
    const state = stateIn(xml(given), 'a')
    t.equal(roles(state), seen)
    t.match(faultsOf(state).join('\n'), said)
  })
}

t.test('start without the word alone is refused, and the help says what it means', async (t) => {
  const pbx = (...words: string[]) => spawnSync('sh', ['scripts/pbx', 'pair', ...words], { encoding: 'utf8', cwd: root })
  t.match(pbx('start'), { status: 2, stderr: /--alone/ })
  t.match(pbx('switch', '--wait', 'soon'), { status: 2, stderr: /30m/ })
  t.match(pbx('start', '--help').stdout, /switched the other machine off/)
})

/** The part of the daemon on machine a, with a clock of the test's own. */
function standing(t: Test, state: string | null, witness = 'Connected') {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const pairFile = join(dir, 'state')
  const says = (now: string): void => writeFileSync(pairFile, `${now}\n<!-- witness ${witness} -->\n`)
  if (state !== null) says(state)
  writeFileSync(join(dir, 'active'), '')
  let ms = 0
  const clock = { ...systemClock, elapsed: () => ms }
  const part = pairPart({ pairFile, clock }, 'a')
  return {
    says,
    view: pairView({ pairFile }, 'a'),
    warnings: () => [...part.warnings!()].map(({ code, text }) => `${code}: ${forLog(text)}`),
    later: (by: number) => (ms += by),
  }
}

for (const [what, given, warned] of [
  ['all is well', {}, []],
  ['the other machine is away', { away: 'b' }, [/^pair-b: Machine b .* is away/]],
  ['the other machine has not been heard of', { unclean: 'b' }, [/^pair-b: Machine b .* is away/]],
  ['the other machine is older', { unfit: 'b' }, [/^pair-b: .* version 1\.0 is older/]],
] as const) {
  t.test(`a machine that serves warns: ${what}`, async (t) => {
    const { view: look, warnings } = standing(t, xml(given))
    t.match(warnings(), warned)
    t.equal(warnings().length, warned.length)
    const view = look()
    t.match(view, { here: 'a', known: true, witness: true, machines: [{ name: 'a', role: 'active' }, { name: 'b' }] })
    t.ok(Date.now() - Date.parse(view!.since!) < 60_000, 'since when')
  })
}

t.test('a witness that is away is a warning after a minute, and none once it is back', async (t) => {
  const { view, warnings, later } = standing(t, xml({}), 'Connect failed')
  t.same(warnings(), [])
  later(59_000)
  t.same(warnings(), [])
  later(1000)
  t.match(warnings(), [/^pair-witness: .*away/])
  t.equal(view()?.witness, false)
})

t.test('what failed is a warning for ten minutes, also after Pacemaker has forgotten it', async (t) => {
  const failure = '<failures><failure op_key="daemon_monitor_2000" node="b" exitstatus="error" exitreason=""/></failures></crm_mon>'
  const { says, warnings, later } = standing(t, xml({}).replace('</crm_mon>', failure))
  t.match(warnings(), [/^pair-failure: .*daemon monitor on b: error/])
  says(xml({}))
  later(599_000)
  t.match(warnings(), [/^pair-failure: /])
  later(1000)
  t.same(warnings(), [])
})

t.test('where Pacemaker says nothing, nobody knows how the pair stands', async (t) => {
  const { view, warnings } = standing(t, null)
  t.match(warnings(), [/^pair-silent: /])
  t.match(view(), { known: false, witness: null, machines: [] })
})

t.test('a box that is alone has no pair', async (t) => {
  t.equal(pairView({})(), null)
  t.equal(pairPart({ clock: systemClock }).warnings, undefined)
})

t.test('a set-up on a machine of a pair knows the address of its box', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const rules = join(dir, 'cib.xml')
  writeFileSync(rules, '<nvpair id="address-values-ip" name="ip" value="192.0.2.21"/>')
  t.same(networkChoices(rules), ['192.0.2.21'])
  t.equal(addressOf('lan', rules), '192.0.2.21')
  t.equal(addressOf('192.0.2.21', rules), '192.0.2.21')
  for (const other of ['all', 'none']) t.throws(() => addressOf(other, rules), /one of a pair/)
  t.throws(() => addressOf('10.9.0.1', rules), /no address/)
  t.match(networkChoices(join(dir, 'none.xml')).slice(-2), ['all', 'none'], 'a box that is alone')
})
