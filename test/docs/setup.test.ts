/** The answers of docs/setup.md mean a configuration that is good. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { parseConfig } from '../../daemon/config/load.ts'
import { mailSetup } from '../../scripts/cli/setup/mail.ts'
import { otherSiteSetup } from '../../scripts/cli/setup/office.ts'
import { providers, type Answers } from '../../daemon/setup/answers.ts'
import { checkAnswers } from '../../scripts/cli/setup/step.ts'
import { documentOf } from '../../daemon/setup/document.ts'
import { root } from '../harness/daemon.ts'

const page = readFileSync(join(root, 'docs/setup.md'), 'utf8')
const shown = checkAnswers(parse(/```yaml\n(# answers\n[\s\S]*?)```/.exec(page)![1]!), [mailSetup])
const recoveryKey = 'age16r9mzc5dz0ucfvcck6wk9jxec6ggx2vjc0cdyf2h2urhsvhq9szs0jql3p'

const folder = t.testdir({ 'cert.pem': '', 'key.pem': '' })

function config(answers: Answers, address: string | null = '192.0.2.10') {
  const passwords = new Map(answers.extensions.map(({ number }) => [number, 'a-long-password']))
  const certificate = address === null ? null : { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  return parseConfig(documentOf(answers, { passwords, address, certificate, recoveryKey }, [mailSetup]), '/etc/pbxd/pbxd.yaml').config
}

t.test('as shown', async (t) => {
  t.match(config(shown), {
    site: { name: 'Riverside Clinic', number: '+15550001000' },
    sip: { udp: '192.0.2.10:5060', tls: { listen: '192.0.2.10:5061' } },
    trunks: [{ id: 'main', server: 'sip.example.net', register: true }],
    inbound: [{ trunk: 'main', destination: 'group:house' }],
    lines: [{ id: 'line1', roles: ['fax'] }],
    emergency: { callerId: '+15550001000' },
  })
})

t.test('with the days of the office', async (t) => {
  const office = parse(/```yaml\n(# the office\n[\s\S]*?)```/.exec(page)![1]!) as object
  t.match(config(checkAnswers({ ...shown, ...office }, [mailSetup])), {
    inbound: [
      { to: '+15550001000', destination: 'fax' },
      { to: '*', destination: 'hours:office' },
    ],
    hours: [{ special: { '2026-12-24': ['08:30-12:00'] } }],
    fax: { notify: { mail: 'fax@clinic.example' } },
    mailboxes: [{ notify: { mail: 'office@clinic.example', attach: true } }, {}],
    extensions: [{ onUnreachable: 'voicemail:101' }, {}],
  })
})

t.test('with least, with calls on an analog line, with every kind of provider', async (t) => {
  const { site, extensions } = shown
  t.match(config({ site, extensions }, null), { http: { listen: '127.0.0.1:8080' }, trunks: [], inbound: [] })
  const lines = [{ device: '/dev/ttyS0', number: '+15550001999', roles: ['voice' as const, 'fax' as const] }]
  t.match(config({ site, extensions, lines }, null), { inbound: [{ trunk: 'line1' }], emergency: { trunks: ['line1'] } })
  for (const kind of Object.keys(providers) as (keyof typeof providers)[]) {
    const account = { username: 'clinic', password: 'secret', numbers: ['+15550001000'] }
    t.match(config(checkAnswers({ site, extensions, provider: { kind, server: 'sip.example.net', ...account } }, [mailSetup]) as Answers), {
      trunks: [{ id: 'main', register: providers[kind].register }],
    })
  }
})

t.test('another site: its section, and a phone of ours in its range is refused', (t) => {
  const { otherSite } = parse(/```yaml\n(otherSite:[\s\S]*?)```/.exec(page)![1]!)
  const steps = [mailSetup, otherSiteSetup]
  const answers = { ...shown, otherSite }
  const text = documentOf(
    checkAnswers(answers, steps),
    { passwords: new Map(), address: null, certificate: null, recoveryKey: null },
    steps,
  )
  t.same(parse(text).sites, [
    {
      ...{ id: 'north', server: '10.20.0.10:5061', transport: 'tls', caFile: '/etc/pbxd/north.pem' },
      ...{ password: 'known-to-both', extensions: '2xx', number: '+15550002000' },
    },
  ])
  const { password: _, ...open } = otherSite
  t.throws(() => checkAnswers({ ...shown, otherSite: open }, steps), /otherSite\.password: both boxes need the same password/)
  t.throws(() => checkAnswers({ ...shown, otherSite: { ...otherSite, extensions: '10x' } }, steps), /101 is a phone of this site/)
  t.end()
})
