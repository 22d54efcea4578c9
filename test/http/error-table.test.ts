/**
 * The error table: for each code the request that provokes it, against daemons as a stranger runs them. What no request can reach is
 * named, with the reason.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t, { type Test } from 'tap'
import { eraseMail } from '../../daemon/mail/part.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { errorTable, type ErrorCode } from '../../daemon/base/errors.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { emailRoutes } from '../../daemon/mail/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { newId } from '../../daemon/base/ids.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createMail } from '../../daemon/mail/mail.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { openStore } from '../../daemon/store/store.ts'
import { encrypted } from '../fax-pages/hostile.ts'
import { Daemon, freePort } from '../harness/daemon.ts'
import { MailServer } from '../mail/server.ts'
import { startService } from '../smpp/service.ts'
import { limits, tokenRow } from './serve.ts'
import { eventually, found } from '../harness/waiting.ts'

const signed = 'of signed requests to /api/pbx: test/http/signature.test.ts provokes it'
const crm = 'of the synchronisation with a CRM, which this version does not have'
const media = 'takes a provider with a picture; test/messaging/media.test.ts provokes it'
const fax = 'of faxes with a preview: test/fax/pictures.test.ts provokes it'
const page = 'asked by pages of the box: test/people provokes it'
const unreachable: Partial<Record<ErrorCode, string>> = {
  sign_in_failed: page,
  code_needed: page,
  session_ended: page,
  role_denied: page,
  second_step_needed: page,
  invitation_void: page,
  cross_site: page,
  https_needed: page,
  session_unknown: page,
  person_unknown: page,
  locked: page,
  sign_in_busy: page,
  signature_invalid: signed,
  timestamp_stale: signed,
  address_not_allowed: signed,
  sync_running: crm,
  integration_disabled: crm,
  no_line: 'takes an engine that has been away for half a minute; calls wait for one that is back sooner',
  starting: 'the web port opens when the routes can answer; /readyz names the parts that start',
  internal: 'no request may reach it; what the pipeline makes of a fault inside is in requests.test.ts',
  already_finished: 'answered on the control socket alone: pbx fax cancel',
  daily_limit: 'takes the use of a day; test/store/ceilings.test.ts and npm run attack -- numbers provoke it',
  config_change_running: 'answered on the control socket alone: pbx config apply, twice at once',
  backup_running: 'answered on the control socket alone: pbx backup, twice at once',
  callback_unknown: 'answered on the control socket alone: pbx callbacks',
  media_fetching: media,
  media_failed: media,
  being_drawn: 'takes two requests for one page while it is drawn: test/fax/pictures.test.ts draws many at once',
  fax_repeated: fax,
  preview_stale: fax,
  number_unconfirmed: fax,
  changed_meanwhile: 'of two people at one item: test/work/work.test.ts provokes it',
  config_unapplied: 'where the file was changed by hand: test/config/edit.test.ts provokes it',
  config_taken_back: 'where a line was lost meanwhile: test/config/edit.test.ts provokes it',
  already_set_up: 'of a box that nobody has set up: test/console/setup.test.ts provokes it',
  revision_changed: 'of two writers of the configuration: test/config/masked.test.ts provokes it',
  backup_failed: 'takes a place that cannot be written: test/health/box.test.ts provokes it',
  box_unreachable: 'takes a second box; test/inbox/collect.test.ts provokes it',
  host_unknown: 'needs a header Host that fetch does not send; test/http/proxies.test.ts provokes it',
}

interface Answer {
  status: number
  headers: Headers
  body: any
}

const reached = new Set<string>()

/** The answer is an error of that code as the contract describes errors. */
function is(t: Test, code: ErrorCode, answer: Answer, retry = false): void {
  const { headers, body } = answer
  reached.add(code)
  t.match(
    answer,
    { status: errorTable[code].status, body: { code, error: /\w/, requestId: /\w/ } },
    `${code}: ${JSON.stringify(body).slice(0, 200)}`,
  )
  t.equal(headers.get('x-request-id'), body.requestId)
  t.match(headers.get('content-type'), /^application\/json/)
  t.equal(headers.has('retry-after'), retry, retry ? 'says when to try again' : 'trying again does not help')
  t.ok((body.details ?? []).length <= 20)
}

const email = { to: 'jane@example.com', subject: 'Hello', text: 'Hello.' }
const reminder = { phoneNumber: '555-123-0001', appointmentAt: new Date(Date.now() + 5 * 86_400_000).toISOString() }
const nobody = newId()

async function pdf(pages: number): Promise<string> {
  const document = await PDFDocument.create()
  for (let page = 0; page < pages; page++) document.addPage([595, 842])
  return Buffer.from(await document.save()).toString('base64')
}

/** The id of a fax that was in the inbox too long. */
async function purgedFax(dir: string): Promise<string> {
  const log = createLog({ level: 'silent' })
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: [] })
  const id = newId()
  const file = join('inbox', 'faxes', `${id}.pdf`)
  mkdirSync(join(dir, 'inbox', 'faxes'), { recursive: true })
  writeFileSync(join(dir, file), '%PDF')
  const receivedAt = Date.now() - 91 * 86_400_000
  const about = { from: '', to: '', pages: 1, callerName: '', trunkId: 'main', callId: 'CA1', remoteStationId: '', durationSeconds: 1 }
  const transfer = { status: 'complete', resolution: 'fine', transport: 't38', bitRate: 9600, ecm: true, badRows: 0, t30Code: 0 } as const
  await inbox.publishFax({ id, receivedAt, ...about, ...transfer }, file, () => undefined)
  await inbox.sweep()
  await store.close()
  return id
}

t.test('a box that has everything', async (t) => {
  const mail = await MailServer.open(t)
  const service = await startService()
  t.teardown(() => service.kill())
  const daemon = await Daemon.create({
    app: `http://127.0.0.1:${await freePort()}`,
    trunkPort: await freePort(),
    settings: (settings) => {
      const login = { username: 'clinic', password: 'secret' }
      settings['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', ...login, from: 'clinic@example.com', queue: 1 }
      settings['sms'] = { trunks: [{ id: 'carrier', kind: 'smpp', server: `127.0.0.1:${service.port}`, systemId: 'clinic' }] }
      const { tokens } = settings['auth'] as { tokens: object[] }
      const { name, sha256, scopes } = tokenRow('talker', 'voice-only', ['voice'])
      tokens.push({ name, sha256, scopes })
    },
  })
  t.teardown(() => daemon.close())
  const gone = await purgedFax(join(daemon.dir, 'var'))
  await daemon.start()
  const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
    daemon.api(method, path, body, headers)
  const as = (authorization: string): Record<string, string> => ({ authorization })

  const requests: [code: ErrorCode, method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
    ['invalid_json', 'POST', '/api/sms', '{"to":'],
    ['invalid_url', 'GET', '/api/sms/%zz'],
    ['invalid_token', 'GET', '/api/sms', undefined, as('Bearer wrong')],
    ['scope_denied', 'GET', '/api/sms', undefined, as('Bearer voice-only')],
    ['destination_denied', 'POST', '/api/sms', { to: '911', message: 'x' }],
    ['not_found', 'GET', '/api/nothing'],
    ['call_unknown', 'GET', '/api/voice/calls/CA1'],
    ['recording_unknown', 'GET', `/api/voice/recordings/${nobody}.wav`],
    ['fax_unknown', 'GET', `/api/fax/${nobody}`],
    ['preview_unknown', 'GET', `/api/fax/previews/${nobody}`],
    ['work_unknown', 'PATCH', `/api/work/missed/${nobody}`, { rev: 1, state: 'done' }],
    ['message_unknown', 'GET', `/api/sms/${nobody}`],
    ['mail_unknown', 'GET', `/api/email/${nobody}`],
    ['reminder_unknown', 'DELETE', `/api/reminders/${nobody}`],
    ['mailbox_unknown', 'GET', '/api/inbox/voicemails?ext=999'],
    ['media_expired', 'GET', `/api/inbox/faxes/${gone}.pdf`],
    ['body_too_large', 'POST', '/api/sms', { to: '5551230001', message: 'x'.repeat(300_000) }],
    ['attachment_too_large', 'POST', '/api/email', { ...email, attachment: attachment(10.1) }],
    ['pdf_too_many_pages', 'POST', '/api/fax', { to: '5551230001', pdfBase64: await pdf(201) }],
    ['unsupported_media_type', 'POST', '/api/sms', 'to=5551230001', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['validation_failed', 'POST', '/api/sms', { message: 'x' }],
    ['number_invalid', 'POST', '/api/sms', { to: 'nobody', message: 'x' }],
    ['not_supported', 'POST', '/api/voice/originate', { to: '5551230001', endpoint: 'reception', machineDetection: 'detect' }],
    ['appointment_in_past', 'POST', '/api/reminders', { ...reminder, appointmentAt: '2020-01-01T12:00:00Z' }],
    ['pdf_encrypted', 'POST', '/api/fax', { to: '5551230001', pdfBase64: encrypted('secret').toString('base64') }],
    ['cursor_from_the_future', 'GET', `/api/inbox/sms?since=${Number.MAX_SAFE_INTEGER}`],
    ['inbox_elsewhere', 'GET', '/api/inbox/sms?box=fff'],
    ['pdf_unreadable', 'POST', '/api/fax', { to: '5551230001', pdfBase64: Buffer.from('hello').toString('base64') }],
    ['extension_unknown', 'POST', '/api/pbx/calls/start', { extension: '999', to: '5551230001' }],
    ['extension_unavailable', 'POST', '/api/pbx/calls/start', { extension: '101', to: '102' }],
    ['user_unknown', 'POST', '/api/pbx/calls/start/crm', { userId: 'nobody', phoneNumber: '5551230001' }],
    ['customer_unknown', 'POST', '/api/pbx/calls/start/crm', { userId: '101', customerId: 'nobody' }],
    ['message_too_long', 'POST', '/api/sms', { to: '5551230001', message: 'x'.repeat(1531) }],
  ]
  for (const [code, method, path, body, headers] of requests) is(t, code, await ask(method, path, body, headers))

  const anonymous = await fetch(`${daemon.http}/api/sms`)
  is(t, 'missing_token', { status: anonymous.status, headers: anonymous.headers, body: await anonymous.json() })
  t.equal(anonymous.headers.get('www-authenticate'), 'Bearer realm="pbx"')

  const wrong = await ask('PUT', '/api/sms')
  is(t, 'method_not_allowed', wrong)
  t.equal(wrong.headers.get('allow'), 'GET, HEAD, POST')
  const large = await ask('POST', '/api/sms', { to: '5551230001', message: 'x'.repeat(300_000) })
  t.equal(large.body.limitBytes, 262_144)
  const problem = await ask('GET', '/api/nothing', undefined, { accept: 'application/problem+json' })
  t.match(problem.headers.get('content-type'), /^application\/problem\+json/)

  await t.test('of what happened before', async (t) => {
    const { callId, warnings } = (await ask('POST', '/api/voice/originate', { to: '+15559870000', endpoint: 'reception' })).body
    t.match(warnings, [/numbering plan/], 'a number that nobody has is called with a warning')
    const usual = (await ask('POST', '/api/voice/originate', { to: '+12125550100', endpoint: 'reception' })).body
    t.equal(usual.warnings, undefined)
    await ask('POST', `/api/voice/calls/${usual.callId}`, { state: 'completed' })
    is(t, 'not_now', await ask('POST', `/api/pbx/calls/${callId}/park`))
    is(t, 'call_live', await ask('DELETE', `/api/voice/calls/${callId}/trace`))
    await ask('POST', `/api/voice/calls/${callId}`, { state: 'completed' })
    const ended = async () => (await ask('GET', `/api/voice/calls/${callId}`)).body.endedAt !== null
    await eventually('the call ends', ended, undefined, 100)
    const startedAt = new Date().toISOString()
    const record = { callId, rev: 99, direction: 'outbound', state: 'ended', outcome: 'failed', from: '', to: '', startedAt }
    t.equal((await ask('POST', '/api/pbx/calls/log', record)).status, 200)
    is(t, 'stale_rev', await ask('POST', '/api/pbx/calls/log', { ...record, rev: 98 }))
    is(t, 'call_ended', await ask('POST', `/api/voice/calls/${callId}`, { state: 'completed' }))
    const customers = [{ id: 'c_1', name: 'Bo Li' }]
    t.equal((await ask('POST', '/api/pbx/import/pbx-export', { customers })).status, 200)
    is(t, 'customer_has_no_number', await ask('POST', '/api/pbx/calls/start/crm', { userId: '101', customerId: 'c_1' }))
    const { reminderId } = (await ask('POST', '/api/reminders', reminder)).body.reminders[0]
    t.equal((await ask('DELETE', `/api/reminders/${reminderId}`)).status, 200)
    t.equal((await ask('DELETE', `/api/reminders/${reminderId}`)).status, 204)
    is(t, 'reminder_unknown', await ask('DELETE', `/api/reminders/${reminderId}`))
  })

  await t.test('of what is going on', async (t) => {
    let open: () => void = () => undefined
    mail.gate = new Promise((resolve) => (open = resolve))
    const key = { 'idempotency-key': 'one' }
    const first = ask('POST', '/api/email', email, key)
    // The first is in the queue as soon as it is listed. Not faster than the limit of requests.
    const listed = async (): Promise<string | undefined> => (await ask('GET', '/api/email?limit=1')).body.items[0]?.mailId
    is(t, 'being_sent', await ask('DELETE', `/api/email/${await found('the mail', listed, undefined, 100)}`))
    is(t, 'idempotency_in_progress', await ask('POST', '/api/email', email, key), true)
    is(t, 'overloaded', await ask('POST', '/api/email', email), true)
    open()
    t.match(await first, { status: 200, body: { delivered: 1 } })
    is(t, 'idempotency_mismatch', await ask('POST', '/api/email', { ...email, subject: 'Another' }, key))
    t.equal((await ask('POST', '/api/email', email, key)).headers.get('idempotent-replayed'), 'true')
  })

  await t.test('of those who try too much', async (t) => {
    let answer = await ask('GET', '/api/sms', undefined, as('Bearer wrong'))
    for (let n = 0; n < 12 && answer.status === 401; n++) answer = await ask('GET', '/api/sms', undefined, as('Bearer wrong'))
    is(t, 'rate_limited', answer, true)
    t.equal((await ask('GET', '/api/sms')).status, 200, 'the right token still counts')
    let most = await ask('GET', '/api/sms')
    for (let n = 0; n < 100 && most.status === 200; n++)
      most = (await Promise.all(Array.from({ length: 30 }, () => ask('GET', '/api/sms')))).at(-1)!
    is(t, 'rate_limited', most, true)
    t.ok(most.headers.has('ratelimit-limit') || most.headers.has('ratelimit'), 'and what the limit is')
  })
})

t.test('a box that has nothing', async (t) => {
  const daemon = await Daemon.create({
    app: `http://127.0.0.1:${await freePort()}`,
    trunkPort: await freePort(),
    settings: (settings) => {
      for (const section of ['trunks', 'extensions', 'inbound']) settings[section] = []
      settings['voice'] = { endpoints: [] }
    },
  })
  t.teardown(() => daemon.close())
  await daemon.start()
  // What is missing is said before what is wrong with the request.
  is(t, 'no_sms_trunk', await daemon.api('POST', '/api/sms', {}))
  is(t, 'no_mail_account', await daemon.api('POST', '/api/email', {}))
  is(t, 'no_fax_line', await daemon.api('POST', '/api/fax', {}))
  is(t, 'no_trunk', await daemon.api('POST', '/api/voice/originate', {}))
  is(t, 'no_trunk', await daemon.api('POST', '/api/reminders', {}))
})

t.test('a box whose disk is full', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-full-'))
  const log = createLog({ level: 'silent' })
  const account = { server: '127.0.0.1:9', tls: 'off', from: 'clinic@example.com' }
  const { config } = parseConfig(JSON.stringify({ site: { country: 'US' }, storage: { dir }, mail: account }), join(dir, 'pbxd.yaml'))
  const store = await openStore(join(dir, 'store'), log, { reserveBytes: Number.MAX_SAFE_INTEGER })
  const mail = createMail({ config, store, clock: systemClock, log })
  const tokens = accessTokens([tokenRow('all', 'the-token', ['send'])], store.tables.tokens)
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: emailRoutes({ ...mail, site: 'Clinic' }, eraseMail(store, mail.queue)),
    tokens,
    limits,
    store,
    log,
    clock: systemClock,
  })
  t.teardown(async () => {
    await http.close(500)
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const answer = await fetch(`http://127.0.0.1:${http.port}/api/email`, {
    method: 'POST',
    headers: { authorization: 'Bearer the-token', 'content-type': 'application/json' },
    body: JSON.stringify(email),
  })
  is(t, 'storage_full', { status: answer.status, headers: answer.headers, body: await answer.json() }, true)
})

t.test('no row of the table is left out', async (t) => {
  const codes = Object.keys(errorTable) as ErrorCode[]
  t.same(
    codes.filter((code) => !reached.has(code) && unreachable[code] === undefined),
    [],
    'each code was provoked, or it is said why it cannot be',
  )
  t.same(
    codes.filter((code) => reached.has(code) && unreachable[code] !== undefined),
    [],
  )
})

function attachment(mebibytes: number): object {
  return { filename: 'a.pdf', base64: Buffer.alloc(mebibytes * 1024 * 1024).toString('base64') }
}
