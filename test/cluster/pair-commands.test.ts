/** What `pbx pair` says, from what Pacemaker says. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { stateIn, type PairState } from '../../scripts/cli/pair/pacemaker.ts'
import { faultsOf } from '../../scripts/cli/pair/run.ts'

const root = join(import.meta.dirname, '../..')

interface Told {
  readonly quorum?: boolean
  readonly on?: string
  readonly failed?: boolean
  readonly away?: string
  readonly unclean?: string
  readonly unfit?: string
}

/** As crm_mon 2.1.5 writes it, less what is not read. */
function xml({ quorum = true, on = 'a', failed = false, away = '', unclean = '', unfit = '' }: Told): string {
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

for (const [what, told, seen, said] of [
  ['one serves and the other stands by', {}, 'a active, b standby', /^$/],
  ['the other serves', { on: 'b' }, 'a standby, b active', /^$/],
  ['the one that stands by is away', { away: 'b' }, 'a active, b away', /b is away/],
  ['a machine does not answer', { unclean: 'b' }, 'a active, b unknown', /b does not answer/],
  ['nobody serves without a majority', { quorum: false, on: '' }, 'a standby, b standby', /no majority[^]*No machine serves/],
  ['a daemon that failed does not serve', { failed: true }, 'a starting, b standby', /No machine serves/],
  ['an older version cannot take over', { unfit: 'b' }, 'a active, b standby', /b cannot take over: its version 1\.0 is older/],
] as const) {
  t.test(what, async (t) => {
    const state = stateIn(xml(told), 'a')
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
