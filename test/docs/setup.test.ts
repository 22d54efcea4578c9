/** The answers of docs/setup.md mean a configuration that is good. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { parseConfig } from '../../daemon/config/load.ts'
import { mailSetup } from '../../scripts/cli/setup/mail.ts'
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
