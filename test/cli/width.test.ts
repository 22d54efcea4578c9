/**
 * Every command of `pbx` at 80 columns: its help, and what it prints of a box on which much has happened. A command that is not named here
 * fails the test.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FaxRequestSchema } from '../../daemon/schema/fax.ts'
import { breadth } from '../../scripts/cli/columns.ts'
import { Application } from '../harness/app.ts'
import { Daemon, root, oftenAsked } from '../harness/daemon.ts'
import { PbxCommands } from '../harness/pbx-commands.ts'
import { allCommands, helpOf } from '../harness/help.ts'
import { eventually } from '../harness/scene.ts'
import { found } from '../harness/waiting.ts'
import { MailServer } from '../mail/server.ts'

t.setTimeout(300_000)
const app = await Application.open()
app.script = (event) =>
  event.event === 'call.inbound.pre_route'
    ? [
        { say: { text: 'Good morning. This is Riverside Clinic. For appointments press one, for the nurse press two.' } },
        { gather: { numDigits: 1, timeout: 1, actionUrl: `${app.url}/a-rather-long-path/for-the-keys` } },
      ]
    : [{ record: { maxSeconds: 1, playBeep: false } }, { hangup: {} }]
const mail = await MailServer.open(t)
const daemon = await Daemon.create({
  app: app.url,
  trunkPort: 9,
  settings: (base) => {
    base['limits'] = oftenAsked
    base['sms'] = { trunks: [{ id: 'texts-of-the-clinic', kind: 'sim', number: '+15550001003' }] }
    base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
    base['lines'] = [
      { id: 'fax1', device: '/dev/serial/by-id/usb-U.S.Robotics_USB_Modem_000000002-if00', number: '+15550001004', roles: ['fax'] },
    ]
    base['queues'] = [{ id: 'nurses', name: 'The nurses of the second floor', members: ['101', '102'], onEmpty: 'voicemail:101' }]
    base['hours'] = [{ id: 'office', open: { 'mon-fri': ['08:30-17:00'] }, whenOpen: 'queue:nurses', whenClosed: 'voicemail:101' }]
    base['mailboxes'] = [{ ext: '101' }]
    base['alarms'] = [
      {
        id: 'everybody',
        afterSeconds: 0,
        notify: { mail: ['the-office-of-the-clinic@riverside.example.com'], webhook: [`${app.url}/alarms`] },
      },
    ]
  },
})
await daemon.start()
const program = new PbxCommands(daemon, { COLUMNS: '80' })
t.teardown(async () => {
  program.close()
  await daemon.close()
  await app.close()
})

const before = join(daemon.dir, 'before.json')
writeFileSync(before, '{}')

interface Ran {
  readonly code: number | null
  readonly lines: readonly string[]
}

async function pbx(...words: string[]): Promise<Ran> {
  const { code, out, error } = await program.run(...words)
  return { code, lines: `${out}${error}`.split('\n') }
}

const all = allCommands()
const pdf = join(daemon.dir, 'page.pdf')
writeFileSync(pdf, Buffer.from(FaxRequestSchema['examples'][0].pdfBase64, 'base64'))
const cards = join(daemon.dir, 'cards.csv')
writeFileSync(
  cards,
  'name,phone,company,email\n"Alexandra von Hohenstein-Montgomery","+15551230001","A company with a rather long name","a@example.com"\n',
)

/** What each command is given, in the order in which they run. `[]`: nothing. */
const words: Readonly<Record<string, readonly string[]>> = {
  'simulate inbound': ['--from', '+15551230001', '--to', '+15550001000', '--keys', '1', '--speed', '20'],
  'crm import': [cards],
  'crm lookup': ['+15551230001'],
  'crm name': ['+15551230009', 'Pat Doe'],
  'crm status': [],
  'crm sync': [],
  'crm queue': [],
  'crm retry': ['--dead'],
  'sms send': ['+15551230017', '--text', 'Your appointment is tomorrow at 10:00 with Dr. Hay on the second floor. Please bring your card.'],
  'console invite': ['--login', 'tess', '--role', 'technician'],
  'console people': [],
  'sms list': [],
  'sms show': ['last'],
  'sms trunks': [],
  'sms stop-list add': ['+15551230018'],
  'sms stop-list list': [],
  'sms stop-list remove': ['+15551230018'],
  'fax send': [pdf, '--to', '+15551230001', '--no-wait'],
  'fax list': [],
  'fax show': ['last'],
  'fax retry': ['last'],
  'fax cancel': ['last'],
  'mail test': ['office@example.com'],
  'mail list': [],
  'mail retry': ['all'],
  'reminders list': ['--day', new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10)],
  'reminders show': ['last'],
  'reminders call-now': ['last'],
  'reminders cancel': ['last'],
  'reminders opt-outs': [],
  'reminders allow': ['+15551239999'],
  calls: ['--all'],
  trace: ['last'],
  'history list': [],
  'history show': ['last'],
  'recordings list': [],
  'inbox list': [],
  'inbox save': ['00000000'],
  'callbacks list': ['--state', 'delivered'],
  'callbacks show': ['00000000'],
  'callbacks retry': ['--dead'],
  'alarms list': [],
  'alarms test': [],
  'alarms ack': [],
  events: [],
  'backup make': [],
  'backup check': ['nothing.tar.age'],
  'backup list': [],
  'support-bundle': ['--out', join(daemon.dir, 'support.tar.gz')],
  'audit list': [],
  'audit verify': [],
  'audit export': ['--out', join(daemon.dir, 'audit.jsonl')],
  'lines list': [],
  'lines bans': [],
  'lines unban': ['192.0.2.40'],
  limits: [],
  'limits reset': [],
  'emergency test': [],
  extensions: [],
  'phones list': [],
  'phones add': ['101', '--mac', '80:5e:c0:12:34:56'],
  'phones code': ['101'],
  'phones settings': ['101'],
  'phones remove': ['101'],
  hours: [],
  where: ['+15550001000'],
  'mailbox list': [],
  'mailbox heard': ['101', 'nothing'],
  'mailbox new': ['101', 'nothing'],
  'mailbox unlock': ['101'],
  'modem list': [],
  'modem scan': ['/dev/a-modem-that-is-not-there'],
  'modem test': ['fax1'],
  queue: ['nurses'],
  'token create': ['--name', 'the-booking-system-of-the-clinic'],
  'token list': [],
  'token revoke': ['the-booking-system-of-the-clinic'],
  'config check': [],
  'config apply': [daemon.configFile, '--check'],
  'config confirm': [],
  'config revert': ['--yes'],
  'config diff': [],
  'config history': [],
  'speech reload': [],
  'models list': [],
  'models verify': [],
  status: [],
  upgrade: ['--status'],
  'upgrade-gate': ['--before', before],
  doctor: [],
  sign: ['--secret', 'whsec_example', pdf],
  verify: ['--secret', 'whsec_example', '--timestamp', '1', '--signature', 'sha256=0', pdf],
  ...Object.fromEntries(
    ['fax', 'inbox', 'mail', 'mailbox', 'reminders', 'sms', 'recordings'].map((group) => [`${group} delete`, ['nothing']]),
  ),
}

const otherwise: Readonly<Record<string, string>> = {
  'backup key': 'prints a key',
  restore: 'replaces the box',
  rollback: 'replaces the program',
  setup: 'writes the configuration',
  say: 'plays or writes sound',
  transcribe: 'needs a model; the words of a recording, line by line',
  'speech selftest': 'measures for minutes',
  'models install': 'downloads',
  'models remove': 'says one line',
  'models import': 'takes a file of a model',
  'modem trace': 'goes on until Ctrl-C',
  'crm check': 'talks with a CRM',
  'config schema': 'JSON',
  'config edit': 'opens an editor',
  'certificate show': 'of a box with a certificate: test/e2e/certificate.test.ts',
  'certificate renew': 'of a box with a certificate: test/e2e/certificate.test.ts',
  'certificate make': 'writes a key',
  'console reset': 'of a person: test/e2e/console.test.ts',
  'console remove': 'of a person: test/e2e/console.test.ts',
  'config init': 'YAML',
  'config write': 'writes the file of an installed box: test/e2e/config-user.test.ts',
  'cluster render': 'writes a folder: test/cluster',
  'cluster check': 'looks at a folder and at programs of Debian: test/cluster',
  'cluster status': 'asks several boxes: test/cluster',
  'pair status': 'of two machines: test/cluster/pair-commands.test.ts',
  'pair switch': 'of two machines: test/proofs/pair',
  'pair test': 'of two machines: test/proofs/pair',
  'pair start': 'of two machines: test/proofs/pair',
  drain: 'takes the box out of work: test/drain',
}
/** What people copy is never broken, nor what editors read. */
const copied: readonly RegExp[] = [/^pbx_[\w-]{43}$/, /^X-Service-Signature: sha256=/, /^\S+\.yaml:\d+:\d+: /]

t.test('every command is named here', async (t) => {
  const named = [...Object.keys(words), ...Object.keys(otherwise)]
  t.ok(all.length > 70, `${all.length} commands`)
  t.same(
    all.filter((name) => !named.includes(name)),
    [],
    'give it words',
  )
})

t.test('the help of every command fits', async (t) => {
  t.same((await pbx('fax', 'send', '--help')).lines, helpOf(['fax', 'send']).split('\n'), 'as it is printed')
  const groups = all.flatMap((name) => name.split(' ').map((_, words, path) => path.slice(0, words).join(' ')))
  for (const name of new Set(['', ...groups, ...all])) {
    const lines = helpOf(name.split(' ').filter((word) => word !== '')).split('\n')
    t.same(
      lines.filter((line) => breadth(line) > 80),
      [],
      `pbx ${name} --help`,
    )
  }
})

t.test('what every command prints fits', async (t) => {
  const accepted = await daemon.api('POST', '/api/reminders', {
    customerName: 'Alexandra von Hohenstein-Montgomery',
    phoneNumber: '+15551230001',
    appointmentAt: `${words['reminders list']![1]}T15:00:00.000Z`,
    serviceName: 'Check-up',
  })
  t.equal(accepted.status, 200)
  const matters = async () => (await daemon.api('GET', '/api/box/events?lasting=true')).body.items.length > 2
  await eventually('something is the matter', matters, undefined, 200)
  for (const [name, given] of Object.entries(words)) {
    const { lines, code } = await pbx(...name.split(' '), ...given)
    t.not(code, 2, `pbx ${name}: ${lines.join('\n')}`)
    t.same(
      lines.filter((line) => breadth(line) > 80 && !copied.some((form) => form.test(line))),
      [],
      `pbx ${name}`,
    )
    t.same(
      lines.filter((line) => /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/.test(line) && breadth(line) > 80),
      [],
    )
  }
})

t.test('on a terminal, with colours; in a pipe as wide as it is', async (t) => {
  const env = { ...process.env, PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock'), TERM: 'xterm' }
  for (const name of ['COLUMNS', 'NO_COLOR']) delete (env as Record<string, string | undefined>)[name]
  const command = `stty cols 80; ${join(root, 'scripts', 'pbx')} status; ${join(root, 'scripts', 'pbx')} calls --all`
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { env, encoding: 'utf8' })
  const lines = stdout.split(/\r?\n/)
  t.ok(lines.some((line) => line.includes('\u001b[')))
  t.same(
    lines.filter((line) => breadth(line) > 80),
    [],
  )
  t.match(lines.join('\n'), /[0-9a-f]{8} /)
  const piped = spawnSync(join(root, 'scripts', 'pbx'), ['calls', '--all'], { env, encoding: 'utf8' }).stdout
  t.match(piped, /CA[0-9a-f]{32}/, 'whole ids')
})

t.test('the 8 characters of a list are an id to every command', async (t) => {
  const list = await pbx('callbacks', 'list', '--state', 'delivered')
  const [id] = list.lines.flatMap((line) => /^([0-9a-f]{8}) /.exec(line)?.[1] ?? [])
  t.match((await pbx('callbacks', 'show', id!)).lines.join('\n'), new RegExp(`event .*${id}`))
  const recording = await found('a recording', async () => {
    const { lines } = await pbx('recordings', 'list')
    return lines.flatMap((line) => /\b([0-9a-f]{8})$/.exec(line)?.[1] ?? [])[0]
  })
  t.match((await pbx('recordings', 'delete', recording)).lines.join('\n'), /deleted/)
  const calls = await pbx('calls', '--all')
  const [call] = calls.lines.flatMap((line) => /^([0-9a-f]{8}) /.exec(line)?.[1] ?? [])
  t.equal((await pbx('trace', call!)).code, 0)
})
