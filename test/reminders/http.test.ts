/** The reminder routes over a real server, and `pbx reminders` over the control socket. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { reminderRoutes } from '../../daemon/reminders/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { newId } from '../../daemon/base/ids.ts'
import { Metrics } from '../../daemon/base/metrics.ts'
import { reminderFigures, eraseReminder } from '../../daemon/reminders/metrics.ts'
import { pbxOn } from '../harness/pbx.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { dayMs, log, Stage } from './stage.ts'

interface Answer {
  status: number
  headers: Headers
  text: string
  body: any
}

type Ask = (method: string, path: string, json?: unknown, headers?: Record<string, string>) => Promise<Answer>

async function served(t: Test): Promise<{ stage: Stage; ask: Ask }> {
  const stage = await Stage.open(t)
  await stage.begin()
  const { store, reminders } = stage
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: reminderRoutes(
      { ...reminders, store, clock: stage.clock, hasTrunk: () => true },
      eraseReminder(store, () => Promise.resolve()),
    ),
    tokens: accessTokens([tokenRow('all', 'the-token', ['send']), tokenRow('voice', 'voice-only', ['voice'])], store.tables.tokens),
    limits,
    store,
    log,
    clock: stage.clock,
  })
  t.teardown(() => http.close(500))
  const ask: Ask = async (method, path, json, headers) => {
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
      method,
      headers: { authorization: 'Bearer the-token', ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: text === '' ? null : (JSON.parse(text) as unknown) }
  }
  return { stage, ask }
}

const good = { phoneNumber: '555-123-0001', appointmentAt: '2026-03-05T20:00:00Z', externalRef: 'A-5' }

t.test('one, an array, or an object with an array: each item by itself', async (t) => {
  const { ask } = await served(t)
  const one = await ask('POST', '/api/reminders', good)
  t.equal(one.status, 200, one.text)
  const [item] = one.body.reminders
  t.same(one.body, {
    accepted: 1,
    rejected: 0,
    reminders: [
      {
        index: 0,
        reminderId: item.reminderId,
        externalRef: 'A-5',
        status: 'scheduled',
        firstAttemptAt: '2026-03-04T14:00:00.000Z',
        duplicate: false,
        warning: 'The numbering plan in this version does not have this number. It is dialled anyway: check that it is right.',
      },
    ],
  })
  const array = await ask('POST', '/api/reminders', [good, { ...good, externalRef: 'A-6', appointmentAt: '2026-03-05T15:00:00-05:00' }])
  t.match(array.body, {
    accepted: 2,
    reminders: [
      { duplicate: true, reminderId: item.reminderId },
      { index: 1, duplicate: false },
    ],
  })
  const mixed = await ask('POST', '/api/reminders', {
    reminders: [
      { ...good, externalRef: 'A-7' },
      { ...good, appointmentAt: '2020-01-01T00:00:00Z', externalRef: 'B-1' },
      { ...good, phoneNumber: '12' },
      { ...good, phoneNumber: '911' },
      { appointmentAt: good.appointmentAt },
      { ...good, appointmentAt: 'tomorrow' },
      { ...good, appointmentAt: '2036-03-05T20:00:00Z' },
      { ...good, language: 'english please' },
      { ...good, timeZone: 'Mars/Base' },
      { ...good, sms: 'yes' },
      { ...good, statusCallbackUrl: 'http://169.254.1.1/' },
      { ...good, statusCallbackUrl: 'not a url' },
      'text',
      null,
    ],
  })
  t.equal(mixed.status, 200, mixed.text)
  t.same([mixed.body.accepted, mixed.body.rejected], [1, 13])
  const codes = mixed.body.reminders.slice(1).map(({ code }: { code: string }) => code)
  t.same(codes, [
    'appointment_in_past',
    'destination_denied',
    'destination_denied',
    ...Array.from({ length: 9 }, () => 'validation_failed'),
    'validation_failed',
  ])
  t.match(mixed.body.reminders[1], { index: 1, externalRef: 'B-1', error: 'The appointment is in the past.' })
  t.match(mixed.body.reminders[4], { error: /"phoneNumber" is required/ })
})

t.test('where nothing can be accepted the answer is an error with the same list', async (t) => {
  const { stage, ask } = await served(t)
  const past = await ask('POST', '/api/reminders', { ...good, appointmentAt: '2020-01-01T00:00:00Z' })
  t.match(past, {
    status: 422,
    body: {
      code: 'appointment_in_past',
      details: [{ index: 0, path: '/0/appointmentAt', message: String, error: String, code: 'appointment_in_past', externalRef: 'A-5' }],
    },
  })
  const two = await ask('POST', '/api/reminders', [{ ...good, phoneNumber: 'x' }, {}])
  t.match(two, { status: 422, body: { code: 'validation_failed', details: [{ code: 'number_invalid' }, { index: 1 }] } })
  t.match(await ask('POST', '/api/reminders', { ...good, phoneNumber: '12' }), {
    status: 403,
    body: { code: 'destination_denied', details: [{ path: '/0/phoneNumber' }] },
  })
  for (const body of [[], { reminders: [] }, Array.from({ length: 501 }, () => good)]) {
    t.match(await ask('POST', '/api/reminders', body), { status: 422, body: { code: 'validation_failed' } })
  }
  t.equal((await ask('POST', '/api/reminders', 'text')).body.code, 'validation_failed')
  const large = await ask('POST', '/api/reminders', [{ ...good, customerName: 'x'.repeat(1024 * 1024) }])
  t.match(large, { status: 413, body: { code: 'body_too_large', limitBytes: 1024 * 1024 } })
  t.equal((await ask('POST', '/api/reminders', good, { authorization: 'Bearer voice-only' })).status, 403)
  t.same(stage.rows(), [])
})

t.test('five hundred in one request, in one transaction, answered again under the same key', async (t) => {
  const { stage, ask } = await served(t)
  const many = Array.from({ length: 500 }, (_, n) => ({
    ...good,
    externalRef: `M-${n}`,
    phoneNumber: `+1555${String(3_000_000 + n)}`,
    customerName: 'Jane Doe',
  }))
  const headers = { 'idempotency-key': 'tomorrow' }
  const first = await ask('POST', '/api/reminders', { reminders: many }, headers)
  t.same([first.status, first.body.accepted], [200, 500], first.text.slice(0, 200))
  const times = first.body.reminders.map(({ firstAttemptAt }: { firstAttemptAt: string }) => firstAttemptAt)
  t.equal(new Set(times).size, 500, 'each at a moment of its own')
  const again = await ask('POST', '/api/reminders', { reminders: many }, headers)
  t.same(again.body, first.body)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal(stage.rows().length, 500)
  t.match(await ask('POST', '/api/reminders', good, headers), { status: 422, body: { code: 'idempotency_mismatch' } })
})

t.test('a day page by page, by what they are, one of them, and taking it back', async (t) => {
  const { stage, ask } = await served(t)
  const at = (hour: number, day = 5): string => new Date(Date.parse(`2026-03-0${day}T00:00:00Z`) + hour * 3_600_000).toISOString()
  const posted = [at(15), at(14), at(16), at(3, 6), at(6, 6), at(4)].map((appointmentAt, n) => ({
    ...good,
    appointmentAt,
    externalRef: `D-${n}`,
    phoneNumber: `555-123-000${n}`,
  }))
  const { body } = await ask('POST', '/api/reminders', posted)
  const ids = body.reminders.map(({ reminderId }: { reminderId: string }) => reminderId)
  const page = await ask('GET', '/api/reminders?day=2026-03-05&limit=3')
  t.same(
    page.body.reminders.map(({ externalRef }: { externalRef: string }) => externalRef),
    ['D-1', 'D-0', 'D-2'],
    'by the time of the appointment',
  )
  const rest = await ask('GET', `/api/reminders?day=2026-03-05&limit=3&cursor=${page.body.nextCursor}`)
  t.match(rest.body, { reminders: [{ externalRef: 'D-3' }], nextCursor: null }, '22:00 in New York is the same day')
  const newest = await ask('GET', '/api/reminders?limit=2')
  t.same(
    newest.body.reminders.map(({ externalRef }: { externalRef: string }) => externalRef),
    ['D-5', 'D-4'],
  )
  t.match((await ask('GET', `/api/reminders?limit=2&cursor=${newest.body.nextCursor}`)).body.reminders, [{ externalRef: 'D-3' }, {}])
  t.match((await ask('GET', `/api/reminders/${ids[0]}`)).body, {
    reminderId: ids[0],
    status: 'scheduled',
    outcome: null,
    phoneNumber: '+15551230000',
    appointmentAt: at(15),
    attempts: 0,
    nextAttemptAt: String,
    lastCallId: null,
  })
  const taken = await ask('DELETE', `/api/reminders/${ids[0]}`)
  t.match(taken, { status: 200, body: { status: 'canceled', outcome: 'canceled', reason: 'deleted', nextAttemptAt: null } })
  t.match((await ask('GET', '/api/reminders?status=canceled')).body, { reminders: [{ reminderId: ids[0] }], nextCursor: null })
  t.match(await ask('DELETE', `/api/reminders/${ids[0]}`), { status: 204 }, 'one that is over is deleted')
  t.match(await ask('GET', `/api/reminders/${ids[0]}`), { status: 404, body: { code: 'reminder_unknown' } })
  t.same((await ask('GET', '/api/reminders?status=canceled')).body, {
    items: [],
    reminders: [],
    nextCursor: null,
    day: null,
    timeZone: 'America/New_York',
  })
  t.equal((await ask('GET', '/api/reminders?status=nothing')).status, 422)
  t.equal((await ask('GET', '/api/reminders?day=2026-02-30')).body.code, 'validation_failed')
  t.match(await ask('GET', `/api/reminders/${newId()}`), { status: 404, body: { code: 'reminder_unknown' } })
  t.match(await ask('DELETE', '/api/reminders/x'), { status: 404, body: { code: 'reminder_unknown' } })
  const metrics = new Metrics()
  for (const figure of reminderFigures(stage.reminders.queue)) metrics.add(figure)
  const { content } = await metrics.text()
  t.match(content, 'pbx_reminders{state="scheduled"} 5')
  t.match(content, 'pbx_reminders_ended_total{outcome="canceled"} 1')
})

t.test('pbx reminders: the table of a day, one, call now, cancel, and who asked not to be called', async (t) => {
  const stage = await Stage.open(t)
  await stage.begin()
  const socket = join(stage.dir, 'pbxd.sock')
  const routes = reminderRoutes(
    { ...stage.reminders, store: stage.store, clock: stage.clock, hasTrunk: () => true },
    eraseReminder(stage.store, () => Promise.resolve()),
  )
  const control = await startSocket({ socket, routes, log })
  t.teardown(() => control.close())
  const pbx = pbxOn(socket, 'reminders')
  await stage.submit(
    { externalRef: 'A', appointmentAt: '2026-03-04T15:00:00Z' },
    { externalRef: 'B', appointmentAt: '2026-03-04T14:30:00Z', phoneNumber: '555-123-0002', customerName: 'John Roe', sms: true },
  )
  t.match(await pbx('list'), { code: 0, out: /^2026-03-02 {2}appointments, times in America\/New_York\nnone\n$/ })
  const list = await pbx('list', '--day', '2026-03-04')
  t.match(
    list.out,
    /APPT .*STATUS\n09:30 +[0-9a-f-]{36} +John Roe +\+15551230002 +0 +yes +scheduled, call at .*\n10:00 .*Jane Doe/,
    list.error,
  )
  t.match(list.out, /\n2 scheduled\n$/)
  t.match((await pbx('show', 'last')).out, /scheduled, call at[\s\S]*appointment +[\s\S]*name +John Roe/)
  const called = pbx('call-now', 'last')
  t.match(await called, { code: 0, out: /will be called as soon as a line is free/ })
  const call = await stage.nextCall()
  await stage.end(call, { kind: 'answer', outcome: 'opted-out', reason: 'keypad' })
  t.match((await pbx('show', 'last')).out, /opted-out \(keypad\)[\s\S]*pbx trace CA[0-9a-f]{32}/)
  t.match((await pbx('opt-outs')).out, /\+15551230002/)
  t.match(await pbx('allow', '+15551230002'), { code: 0 })
  t.match(await pbx('allow', '+15551230002'), { code: 1, error: /did not ask/ })
  t.match(await pbx('cancel', stage.rows()[0]!.reminderId), { code: 0, out: /canceled/ })
  t.match(await pbx('cancel', 'last'), { code: 1, error: /already ended/ })
  const json = JSON.parse((await pbx('list', '--day', '2026-03-04', '--json')).out) as { reminders: unknown[] }
  t.match(json.reminders, [{ status: 'opted-out' }, { status: 'canceled' }])
  t.match(await pbx('list', '--day', 'someday'), { code: 1, error: /not a day/ })
  t.ok(stage.clock.now() < Date.parse('2026-03-02T00:00:00Z') + dayMs)
})

t.test('what a configuration cannot mean is said', async (t) => {
  const read = (reminders: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    parseConfig(JSON.stringify({ reminders, ...more }), '/nowhere/pbxd.yaml').warnings.map(({ text }) => text)
  const faults = (reminders: Record<string, unknown>): string => {
    try {
      read(reminders)
    } catch (error) {
      return JSON.stringify((error as { faults: unknown }).faults)
    }
    return ''
  }
  t.match(faults({ window: { from: '18:00', to: '09:00' } }), /before it begins/)
  t.match(faults({ window: { from: '21:30', to: '22:00' } }), /no time is left/)
  t.match(faults({ trunk: 'nowhere' }), /there is no trunk/)
  t.match(faults({ reception: 'somewhere over' }), /is not a destination/)
  t.match(read({ window: { from: '07:00', to: '22:00' } }).join(), /only from 08:00.*only until 21:00/)
  t.match(read({ sms: true }).join(), /no trunk carries texts/)
  t.match(read({ preset: 'us-health-exempt', attempts: 5 }).join(), /once a day/)
  t.notMatch(read({}).join(), /remind|called/)
})
