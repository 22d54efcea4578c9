/** What `pbx setup` makes of the answers about the days of an office: a configuration that is good, without anchors, and faults in sentences. */
import { Resolver } from 'node:dns/promises'
import t from 'tap'
import { parse } from 'yaml'
import { parseConfig } from '../../daemon/config/load.ts'
import type { Answers } from '../../daemon/setup/answers.ts'
import { checkAnswers } from '../../scripts/cli/setup/step.ts'
import { documentOf } from '../../daemon/setup/document.ts'
import { unknownName } from '../../daemon/setup/address.ts'
import { mailSetup } from '../../scripts/cli/setup/mail.ts'
import { NameServer, noDnsmasq } from '../harness/dns.ts'
import type { SetupStep } from '../../scripts/cli/setup/step.ts'

const steps = [mailSetup as SetupStep]
const made = {
  passwords: new Map([
    ['101', 'a-long-password'],
    ['102', 'another-long-password'],
  ]),
  address: null,
  certificate: null,
  recoveryKey: null,
}
const before = {
  site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York', address: '1 River Street' },
  provider: {
    ...{ kind: 'account', server: 'sip.example.net', username: 'clinic', password: 'secret' },
    numbers: ['+15550001001', '+15550001000'],
  },
  extensions: [
    { number: '101', name: 'Front desk' },
    { number: '102', name: 'Nurse' },
  ],
}
const mail = { server: 'mail.example.com:587', from: 'pbx@example.com' }
const hours = { open: { 'mon-fri': ['08:30-12:30', '13:30-17:00'] }, closedOn: ['2026-12-25'], special: { '2026-12-24': ['08:30-12:00'] } }

const documents: readonly (readonly [what: string, answers: object, expected: object])[] = [
  [
    'a file of answers of before: always open, and a phone that is off has its mailbox',
    {},
    {
      site: { number: '+15550001001' },
      inbound: [{ to: '*', destination: 'group:house' }],
      extensions: [
        { number: '101', onUnreachable: 'voicemail:101' },
        { number: '102', onUnreachable: 'voicemail:102' },
      ],
      mailboxes: [{ ext: '101' }, { ext: '102' }],
    },
  ],
  [
    'opening hours with lunch, a closed day and half a day',
    { hours },
    {
      inbound: [{ destination: 'hours:office' }],
      hours: [{ id: 'office', ...hours, whenOpen: 'group:house', whenClosed: 'voicemail:101' }],
    },
  ],
  [
    'a number that is the fax, which nobody is called back by',
    { fax: { number: '+15550001001' } },
    {
      site: { number: '+15550001000' },
      fax: { number: '+15550001001' },
      inbound: [
        { trunk: 'main', to: '+15550001001', destination: 'fax' },
        { trunk: 'main', to: '*', destination: 'group:house' },
      ],
      emergency: { callerId: '+15550001000' },
    },
  ],
  [
    'one address for all that comes',
    { mail, notices: { mail: 'office@example.com', attach: true } },
    {
      mailboxes: [
        { ext: '101', notify: { mail: 'office@example.com', attach: true } },
        { ext: '102', notify: { mail: 'office@example.com', attach: true } },
      ],
      fax: { notify: { mail: 'office@example.com', attach: true } },
      sms: { notify: { mail: 'office@example.com', attach: true } },
      ringGroups: [{ notifyMissed: { mail: 'office@example.com' } }],
    },
  ],
  [
    'another address for faxes',
    { mail, notices: { mail: 'office@example.com' }, fax: { mail: 'fax@example.com' } },
    {
      mailboxes: [{ notify: { mail: 'office@example.com' } }, {}],
      fax: { notify: { mail: 'fax@example.com' } },
      sms: { notify: { mail: 'office@example.com' } },
    },
  ],
  ['a phone that is off leaves its calls to the others', { phoneOff: 'group' }, { extensions: [{ onUnreachable: 'group:house' }, {}] }],
]

for (const [what, more, expected] of documents)
  t.test(what, async (t) => {
    const answers = checkAnswers({ ...before, ...more }, steps) as Answers
    const text = documentOf(answers, made, steps)
    t.match(parse(text), expected)
    t.notMatch(text, /^[^#"]*[&*][a-z]\d/m, 'no anchor: who edits one key edits no other')
    t.same(parseConfig(text, '/etc/pbxd/pbxd.yaml').warnings, [])
  })

const faults: readonly (readonly [answers: object, expected: RegExp])[] = [
  [{ hours: { open: { monday: ['08:30-12:30'] } } }, /hours\.open: monday is not a day; write mon, or mon-fri/],
  [{ hours: { open: { mon: ['8:30-12:30'] } } }, /hours\.open\.mon: 8:30-12:30 is not a time/],
  [{ hours: { open: {}, closedOn: ['2026-02-30'] } }, /hours: 2026-02-30 is not a date/],
  [{ hours: { open: {}, special: { '24.12.2026': [] } } }, /hours: 24\.12\.2026 is not a date/],
  [{ hours: { open: {}, special: { '2026-12-24': ['noon'] } } }, /hours\.special\.2026-12-24: noon is not a time/],
  [{ fax: { number: '+15550001999' } }, /fax\.number: \+15550001999 is not one of the provider's numbers: \+15550001001, \+15550001000/],
  [{ notices: { mail: 'office@example.com' } }, /notices\.mail: notices by mail need a mail account/],
  [{ mail, notices: { mail: 'office' } }, /notices\.mail: must be a mail address/],
  [{ phoneOff: 'nobody' }, /phoneOff/],
]

t.test('answers that cannot be used', async (t) => {
  for (const [more, expected] of faults) t.throws(() => checkAnswers({ ...before, ...more }, steps), { message: expected })
})

t.test('a name that DNS does not know is said; a DNS that is silent says nothing of it', { skip: noDnsmasq }, async (t) => {
  const records = ['srv-host=_sip._udp.services.clinic.test,sip.clinic.test,5060', 'host-record=sip.clinic.test,127.0.0.1']
  const server = await NameServer.open(records)
  t.teardown(() => server.stop())
  const asked = async (name: string): Promise<string | null> => {
    const resolver = new Resolver({ timeout: 1000, tries: 1 })
    resolver.setServers([server.address])
    return unknownName(name, resolver)
  }
  t.match(await asked('sipp.clinic.test:5060'), /DNS does not know the name sipp\.clinic\.test/)
  t.equal(await asked('sip.clinic.test:5060'), null)
  t.equal(await asked('services.clinic.test'), null, 'a name may have services alone')
  for (const address of ['192.0.2.1', '192.0.2.1:5060', '[2001:db8::1]:5060', 'localhost']) t.equal(await asked(address), null, address)
  await server.stop()
  t.equal(await asked('sipp.clinic.test'), null)
})
