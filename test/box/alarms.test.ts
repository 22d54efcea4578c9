/** A trunk that goes down at night: a real mail server gets the mail, a number gets a text, a program gets a webhook, a telephone rings. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import type { AlarmsView } from '../../daemon/schema/alarms.ts'
import type { AlarmEvent } from '../../daemon/schema/events.ts'
import { verify } from '../../daemon/base/signing.ts'
import { callbacksSecret, oftenAsked } from '../harness/daemon.ts'
import { misfitsOf } from '../harness/events-fit.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { Trunk } from '../harness/trunk.ts'
import { MailServer } from '../mail/server.ts'
import { listens } from '../harness/ears.ts'

t.setTimeout(300_000)
const mail = await MailServer.open(t)
let second = await Trunk.open()

const hooks: AlarmEvent[] = []
const faults: string[] = []
const monitor = createServer(async (request, response) => {
  const body = await buffer(request)
  const [signature, timestamp] = [request.headers['x-service-signature'], request.headers['x-service-timestamp']].map(String) as [
    string,
    string,
  ]
  if (verify([callbacksSecret], { signature, timestamp }, body, Date.now()) !== 'ok') faults.push('a wrong signature')
  const event = JSON.parse(String(body)) as AlarmEvent
  faults.push(...misfitsOf(event))
  hooks.push(event)
  response.end()
}).listen(0, '127.0.0.1')
await once(monitor, 'listening')
const hook = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/alarms`

const afterSeconds = 2
const scene = await Scene.open({
  settings: (base) => {
    base['limits'] = oftenAsked
    const trunks = base['trunks'] as Record<string, unknown>[]
    trunks.push({ ...trunks[0], id: 'backup', server: `127.0.0.1:${second.port}`, numbers: ['+15550001009'], default: false })
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
    base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
    base['alarms'] = [
      {
        id: 'lines',
        events: ['line-backup'],
        afterSeconds,
        notify: { mail: ['office@example.com'], sms: ['+15551230001'], call: ['+15551230002'], webhook: [hook] },
      },
      { id: 'never', events: ['line-*'], afterSeconds, hours: {}, notify: { mail: ['asleep@example.com'] } },
      { id: 'deaths', events: ['daemon-died'], repeatMinutes: 0, notify: { mail: ['owner@example.com'] } },
    ]
  },
})
const { daemon } = scene
t.teardown(async () => {
  await scene.close()
  second.close()
  monitor.close()
})

const to = (address: string) => mail.received.filter((one) => one.to.includes(address))
async function alarms(): Promise<AlarmsView> {
  return (await daemon.api('GET', '/api/alarms')).body as AlarmsView
}

t.test('a trunk that is down is told by every way, and taken in hand by a key of the telephone', async (t) => {
  // Nobody answers the first call: the telephone is set to silence.
  const silent = await scene.expect('busy')
  const { port } = second
  second.close()
  await silent.sip.exit
  const phone = await scene.expect('answer')
  await phone.rtp.until('the call', () => phone.rtp.packets.length > 15, 90_000)
  await listens(phone.rtp, 500)
  await phone.rtp.press('1')
  await eventually('the mail', () => to('office@example.com').length === 1, 60_000)
  const [letter] = to('office@example.com')
  t.match(letter!.text, /Subject: \[Riverside Clinic\] FAULT: Trunk backup/)
  t.match(letter!.text, /Fix: {6}\S/)
  await eventually('the webhook', () => hooks.length === 1)
  t.match(hooks[0], { event: 'alarm.raised', site: 'Riverside Clinic', rule: 'lines' })
  t.match(hooks[0]!.conditions, [{ code: 'line-backup', kind: 'line', severity: 'error', until: null }])
  await eventually('the text', async () => /\*\*\*0001|15551230001/.test((await daemon.pbx('sms', 'list')).out))
  await eventually('it is in hand', async () => (await alarms()).alarms.some(({ event }) => event.acknowledgedBy === 'phone +15551230002'))
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  const now = (await alarms()).alarms.find(({ rule }) => rule === 'lines')!
  t.equal(now.nextAt, null, 'nobody is told again')
  t.same(now.event.told.map(({ way }) => way).toSorted(), ['call', 'mail', 'sms', 'webhook'])
  t.match((await daemon.pbx('alarms')).out, /acknowledged by phone \+15551230002/)
  t.match((await daemon.pbx('audit', 'list', '--deed', 'alarm')).out, /alarm\.acknowledge/)
  t.equal(to('asleep@example.com').length, 0, 'not outside the hours of a rule')

  second = await Trunk.open(port)
  await eventually('the end is told', () => hooks.length === 2 && to('office@example.com').length === 2, 60_000)
  t.match(hooks[1], { event: 'alarm.ended', conditions: [{ boxEventId: hooks[0]!.conditions[0]!.boxEventId }] })
  t.not(hooks[1]!.conditions[0]!.until, null)
  t.match(to('office@example.com')[1]!.text, /Cleared: Trunk backup/)
  await eventually('nothing is left', async () => (await alarms()).alarms.length === 0)
  t.same(faults, [])
})

t.test('whoever was not told before the daemon died is told after it, once', async (t) => {
  const before = to('office@example.com').length
  hooks.length = 0
  let open = (): void => undefined
  mail.gate = new Promise((resolve) => (open = resolve))
  second.close()
  await eventually(
    'it is to be told',
    async () => (await alarms()).alarms.some(({ rule, times }) => rule === 'lines' && times === 1),
    90_000,
  )
  await daemon.kill()
  open()
  await daemon.start()
  await eventually('the mails', () => to('office@example.com').length > before && to('owner@example.com').length === 1, 90_000)
  await eventually('the webhook', () => hooks.length > 0)
  t.match(to('owner@example.com')[0]!.text, /ended unexpectedly/)
  await eventually(
    'all are told',
    async () => (await alarms()).alarms.every(({ rule, toldAt }) => rule !== 'lines' || toldAt !== null),
    60_000,
  )
  const [ack] = (await alarms()).alarms.filter(({ rule }) => rule === 'lines')
  t.match((await daemon.pbx('alarms', 'ack', ack!.event.eventId.slice(-8))).out, /^1 acknowledged/)
  t.equal(new Set(hooks.map(({ eventId }) => eventId)).size, 1, 'the outbox may repeat it; it is one event')
})

t.test('a test tells everybody that nothing is the matter, and says who cannot be told', async (t) => {
  const before = hooks.length
  const phone = await scene.expect('answer')
  const all = await daemon.pbx('alarms', 'test', 'lines')
  t.equal(all.code, 0, all.out)
  t.equal(all.out.match(/✓/g)?.length, 4)
  await eventually('the webhook', () =>
    hooks.slice(before).some(({ event, conditions }) => event === 'alarm.test' && conditions.length === 0),
  )
  await phone.rtp.until('the call', () => phone.rtp.packets.length > 15)
  await listens(phone.rtp, 500)
  await phone.rtp.press('1')
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  mail.refuse = () => '550 nobody'
  const unknown = await daemon.pbx('alarms', 'test', 'nights')
  t.equal(unknown.code, 1)
  t.match(unknown.error, /There is no rule nights in alarms; the configuration has lines, never, deaths/)
  t.match((await daemon.api('POST', '/api/alarms/test', { rule: 'lines', more: 1 })).status, 422)
})
