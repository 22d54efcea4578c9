/**
 * What `pbx` prints, to people and as JSON, compared with files: the real program against a real daemon with calls, texts, faxes, mails and
 * reminders. Ids, times and numbers are masked. A member may be added to an answer; none may go, change its name or its kind.
 * `PBX_GOLDEN=write` rewrites the files.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FaxRequestSchema } from '../../daemon/schema/fax.ts'
import { Application } from '../harness/app.ts'
import { Daemon, root } from '../harness/daemon.ts'
import { PbxCommands } from '../harness/pbx-commands.ts'
import { eventually } from '../harness/waiting.ts'
import { MailServer } from '../mail/server.ts'

t.setTimeout(300_000)

const folder = join(import.meta.dirname, 'answers')
const writing = process.env['PBX_GOLDEN'] === 'write'

const app = await Application.open()
app.script = () => [{ say: { text: 'Good morning.' } }, { hangup: {} }]
const mail = await MailServer.open(t)
const daemon = await Daemon.create({
  app: app.url,
  trunkPort: 9,
  settings: (base) => {
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
    base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
    base['lines'] = [{ id: 'fax1', device: '/dev/pbx-no-such-modem', number: '+15550001004', roles: ['fax'] }]
  },
})
await daemon.start()
const pbx = new PbxCommands(daemon)
t.teardown(async () => {
  pbx.close()
  await daemon.close()
  await app.close()
})

/** Waits until the answer of a route is as wanted. */
async function until(path: string, fits: (body: any) => boolean): Promise<void> {
  await eventually(path, async () => fits((await daemon.api('GET', path)).body), undefined, 50)
}

function masked(text: string): string {
  return text
    .replaceAll(daemon.dir, '<dir>')
    .replaceAll(root, '<root>')
    .replaceAll(/CA[0-9a-f]{32}/g, '<callId>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/[0-9a-f]{64}/g, '<sha256>')
    .replaceAll(/pbx_[\w-]{43}/g, '<token>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, '<local time>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<day>')
    .replaceAll(/\b\d+[dhms]( \d+[hms])?(?![\w-])/g, '<span>')
    .replaceAll(/\+\d{7,}/g, (digits) => `<number ${digits.slice(-4)}>`)
}

/** Numbers are only distinguished from other kinds. */
function shape(value: unknown): unknown {
  if (typeof value === 'number') return '<n>'
  if (typeof value === 'string') return masked(value).replaceAll(/\d+/g, '#')
  if (Array.isArray(value)) return value.map(shape)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]))
}

const forPeople = (text: string): string => masked(text).replaceAll(/\d+/g, '#').replaceAll(/ {2,}/g, '  ')

/** Where `now` lacks something of `before`, or has another kind or value there. */
function lost(before: any, now: any, path = ''): string[] {
  if (before === null || typeof before !== 'object') return Object.is(before, now) ? [] : [`${path}: ${before} is ${JSON.stringify(now)}`]
  if (now === null || typeof now !== 'object') return [`${path}: is ${JSON.stringify(now)}`]
  if (Array.isArray(before) && (!Array.isArray(now) || now.length !== before.length)) return [`${path}: another length`]
  return Object.keys(before).flatMap((name) =>
    name in now ? lost(before[name], now[name], `${path}/${name}`) : [`${path}/${name} is gone`],
  )
}

function lines(text: string): unknown {
  const trimmed = text.trim()
  try {
    return JSON.parse(trimmed)
  } catch {
    return trimmed.split('\n').map((line) => JSON.parse(line))
  }
}

/** Members whose value depends on how fast the machine is, and texts that come from it. */
const volatile = /^(status|doctor|speech|audit)/

async function held(name: string, ...words: string[]): Promise<void> {
  const slug = name.replaceAll(/\W+/g, '-')
  const ran = [await pbx.run(...words), await pbx.run(...words, '--json')] as const
  const [people, program] = ran
  const found = {
    command: `pbx ${words.map((word) => masked(word).replaceAll(/\d+/g, '#')).join(' ')}`,
    code: people.code,
    jsonCode: program.code,
    text: volatile.test(name) ? headings(people.out) : forPeople(people.out).split('\n'),
    error: forPeople(people.error).split('\n'),
    json: shape(program.out.trim() === '' ? null : lines(program.out)),
  }
  const file = join(folder, `${slug}.json`)
  if (writing) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
    return
  }
  t.ok(existsSync(file), file)
  const before = JSON.parse(readFileSync(file, 'utf8')) as typeof found
  const { json: oldJson, ...old } = before
  const { json: newJson, ...now } = found
  t.same(now, old, name)
  t.same(lost(volatile.test(name) ? kinds(oldJson) : oldJson, volatile.test(name) ? kinds(newJson) : newJson), [], `${name} --json`)
}

/** Of the machine's own state, what kinds of values there are: of a list the first. */
function kinds(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(kinds)
  if (value === null || typeof value !== 'object') return typeof value === 'string' && value !== '<n>' ? 'text' : 'other'
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, kinds(one)]))
}

const headings = (text: string): string[] =>
  forPeople(text)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))

const pdf = join(daemon.dir, 'page.pdf')
writeFileSync(pdf, Buffer.from(FaxRequestSchema['examples'][0].pdfBase64, 'base64'))
const message = 'Your appointment is tomorrow at 10:00.'
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

t.test('calls', async () => {
  await held('simulate', 'simulate', 'inbound', '--from', '+15551230001', '--to', '+15550001000', '--speed', '50')
  await until('/api/voice/calls', ({ calls }) => calls.length === 2 && calls.every(({ state }: any) => state === 'completed'))
  await held('calls', 'calls')
  await held('calls all', 'calls', '--all')
  await held('trace last', 'trace', 'last')
  await held('trace unknown', 'trace', 'CA00000000000000000000000000000000')
  await held('trace beginning unknown', 'trace', 'CA00')
  await held('trace delete', 'trace', 'last', '--delete')
  await held('recordings', 'recordings')
  await held('recordings delete unknown', 'recordings', 'delete', 'nothing')
})

t.test('callbacks', async () => {
  await held('callbacks list', 'callbacks', 'list', '--state', 'delivered')
  await held('callbacks dead', 'callbacks', 'list', '--state', 'dead')
  const listed = JSON.parse((await pbx.run('callbacks', 'list', '--json')).out) as { eventId: string }[]
  if (listed[0] !== undefined) await held('callbacks show', 'callbacks', 'show', listed[0].eventId)
  await held('callbacks show unknown', 'callbacks', 'show', 'nothing')
  await held('callbacks retry unknown', 'callbacks', 'retry', 'nothing')
  await held('callbacks retry dead', 'callbacks', 'retry', '--dead')
})

t.test('texts', async () => {
  await held('sms trunks', 'sms', 'trunks')
  await held('sms send', 'sms', 'send', '+15551230017', '--text', message)
  await until('/api/sms', ({ messages }) => messages.length === 2 && messages.every(({ status }: any) => status === 'delivered'))
  await held('sms list', 'sms', 'list')
  await held('sms list failed', 'sms', 'list', '--state', 'failed')
  await held('sms show last', 'sms', 'show', 'last')
  await held('sms show unknown', 'sms', 'show', 'nothing')
  await held('sms send nobody', 'sms', 'send', 'nonsense', '--text', message)
  await held('sms stop-list add', 'sms', 'stop-list', 'add', '+15551230018')
  await held('sms stop-list add wrong', 'sms', 'stop-list', 'add', 'nonsense')
  await held('sms stop-list', 'sms', 'stop-list', 'list')
  await held('sms send stopped', 'sms', 'send', '+15551230018', '--text', message)
  await pbx.run('sms', 'stop-list', 'add', '+15551230019')
  await held('sms stop-list remove unknown', 'sms', 'stop-list', 'remove', '+15551239999')
  const removed = await pbx.run('sms', 'stop-list', 'remove', '+15551230018', '--json')
  t.same(JSON.parse(removed.out), { removed: '+15551230018' })
  t.match(await pbx.run('sms', 'stop-list', 'remove', '+15551230019'), { code: 0, out: '+15551230019 may get texts again\n' })
  await held('sms delete unknown', 'sms', 'delete', 'nothing')
  const [text] = JSON.parse((await pbx.run('sms', 'list', '--json')).out) as { messageId: string }[]
  t.match(await pbx.run('sms', 'delete', text!.messageId, '--json'), { code: 0, out: `{\n  "deleted": "${text!.messageId}"\n}\n` })
})

t.test('faxes', async () => {
  await held('fax send', 'fax', 'send', pdf, '--to', '+15551230001', '--no-wait')
  t.equal((await pbx.run('fax', 'cancel', 'last')).code, 0)
  const canceled = await pbx.run('fax', 'list', '--json')
  const [, older] = JSON.parse(canceled.out) as { faxId: string }[]
  t.match(JSON.parse((await pbx.run('fax', 'cancel', older!.faxId.slice(9), '--json')).out), { faxId: older!.faxId, status: 'canceled' })
  await held('fax cancel again', 'fax', 'cancel', 'last')
  await held('fax list', 'fax', 'list')
  await held('fax list sent', 'fax', 'list', '--state', 'sent')
  await held('fax show last', 'fax', 'show', 'last')
  await held('fax show unknown', 'fax', 'show', 'nothing')
  await held('fax retry unknown', 'fax', 'retry', 'nothing')
  await held('fax delete unknown', 'fax', 'delete', 'nothing')
  await held('fax send wrong number', 'fax', 'send', pdf, '--to', 'nonsense', '--no-wait')
  await held('fax send no pdf', 'fax', 'send', daemon.configFile, '--to', '+15551230001', '--no-wait')
})

t.test('mails', async () => {
  await held('mail test', 'mail', 'test')
  await held('mail test to', 'mail', 'test', 'office@example.com')
  await held('mail list', 'mail', 'list')
  await held('mail retry unknown', 'mail', 'retry', 'nothing')
  await held('mail retry all', 'mail', 'retry', 'all')
  await held('mail delete unknown', 'mail', 'delete', 'nothing')
})

t.test('reminders', async () => {
  const day = inDays(9)
  const accepted = await daemon.api('POST', '/api/reminders', {
    customerName: 'Pat Doe',
    phoneNumber: '+15551230001',
    appointmentAt: `${day}T15:00:00.000Z`,
    serviceName: 'Check-up',
  })
  t.equal(accepted.status, 200, JSON.stringify(accepted.body))
  await held('reminders day', 'reminders', 'list', '--day', day)
  await held('reminders today', 'reminders', 'list')
  await held('reminders no day', 'reminders', 'list', '--day', '2026-13-77')
  await held('reminders confirmed', 'reminders', 'list', '--day', day, '--status', 'confirmed')
  await held('reminders show last', 'reminders', 'show', 'last')
  await held('reminders show unknown', 'reminders', 'show', 'nothing')
  t.match(await pbx.run('reminders', 'cancel', 'last', '--json'), { code: 0, out: /"status": "canceled"/ })
  await held('reminders cancel again', 'reminders', 'cancel', 'last')
  await held('reminders call-now over', 'reminders', 'call-now', 'last')
  await held('reminders opt-outs', 'reminders', 'opt-outs')
  await held('reminders allow unknown', 'reminders', 'allow', '+15551239999')
  await held('reminders delete unknown', 'reminders', 'delete', 'nothing')
})

t.test('what was received', async () => {
  await held('inbox', 'inbox')
  for (const feed of ['faxes', 'sms', 'voicemails']) {
    await held(`inbox ${feed}`, 'inbox', 'list', feed)
    await held(`inbox ${feed} since`, 'inbox', 'list', feed, '--since', '0')
  }
  await held('inbox from the future', 'inbox', 'list', 'sms', '--since', '9000000000000000')
  await held('inbox save unknown', 'inbox', 'save', 'nothing')
  await held('inbox delete unknown', 'inbox', 'delete', 'nothing')
})

t.test('the box', async () => {
  await held('status', 'status')
  // The trunk has no server: it takes a while until that is known.
  await eventually('the trunk does not answer', async () => /does not answer/.test((await pbx.run('lines')).out))
  await held('lines', 'lines')
  await held('lines bans', 'lines', 'bans')
  await held('lines unban', 'lines', 'unban', '192.0.2.40')
  await held('lines unban nonsense', 'lines', 'unban', 'nonsense')
  await held('doctor', 'doctor')
  await held('alarms', 'alarms')
  await held('alarms test', 'alarms', 'test')
  await held('alarms test unknown', 'alarms', 'test', 'nights')
  await held('alarms ack unknown', 'alarms', 'ack', '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8')
  await held('events none', 'events', '--kind', 'update')
  await held('limits', 'limits')
  await held('limits reset', 'limits', 'reset')
  await held('limits reset unknown', 'limits', 'reset', '--token', 'nobody')
  await held('modem list', 'modem', 'list')
  await held('modem test', 'modem', 'test', 'fax1')
  await held('modem test unknown', 'modem', 'test', 'nothing')
  await held('speech', 'speech')
  await held('speech reload', 'speech', 'reload')
})

t.test('tokens', async () => {
  t.match(await pbx.run('token', 'create', '--name', 'desk', '--scope', 'voice', '--endpoint', 'reception'), { code: 0, out: /^pbx_/ })
  const made = JSON.parse((await pbx.run('token', 'create', '--name', 'booking', '--expires', '90d', '--json')).out)
  const digest = createHash('sha256').update(made.token).digest('hex')
  t.equal(digest.length, 64)
  t.same(
    Object.keys(made).toSorted(),
    ['token', 'name', 'scopes', 'createdAt', 'source', 'endpoints', 'mailboxes', 'expiresAt', 'lastUsedAt', 'lastAddress'].toSorted(),
  )
  await held('token taken', 'token', 'create', '--name', 'desk')
  await held('token unknown endpoint', 'token', 'create', '--name', 'other', '--endpoint', 'nowhere')
  await held('token list', 'token', 'list')
  await held('token revoke unknown', 'token', 'revoke', 'nobody')
  await held('token revoke configured', 'token', 'revoke', 'acceptance')
  t.match(await pbx.run('token', 'revoke', 'desk', '--json'), { code: 0, out: /"revoked": true/ })
})

t.test('the audit trail', async (t) => {
  await held('audit list', 'audit', 'list', '--deed', 'fax', '--limit', '5')
  await held('audit wrong time', 'audit', 'list', '--since', 'yesterday')
  await held('audit verify', 'audit', 'verify')
  await held('audit verify nonsense', 'audit', 'verify', '--known', 'nonsense')
  const out = join(daemon.dir, 'audit.jsonl')
  t.match(JSON.parse((await pbx.run('audit', 'export', '--out', out, '--json')).out), { file: out })
  const rows = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // Of refusals that repeat, the number is kept, not what each was about.
  const deeds = rows.map(({ actor, address, deed, outcome, object }) =>
    [actor.replace(/:.*/, ''), address === 'local' ? 'local' : 'web', deed, outcome, outcome === 'done' && object !== '' ? 'about' : '']
      .join(' ')
      .trim(),
  )
  const file = join(folder, 'deeds.json')
  const wanted = [...new Set(deeds)].toSorted()
  if (writing) writeFileSync(file, `${JSON.stringify(wanted, null, 2)}\n`)
  t.same(wanted, JSON.parse(readFileSync(file, 'utf8')), 'who did what, from where, and how it ended')
})
