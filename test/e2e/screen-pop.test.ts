/** The screen pop as a browser has it: the example next to a real daemon, a real call, and a reader that goes on where it was cut off. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { checker } from '../../daemon/http/validate.ts'
import { CallEventDataSchema } from '../../daemon/schema/crm-requests.ts'
import { closed } from '../harness/crm-fit.ts'
import { freePort } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = [
      { number: '101', name: 'Front desk', password },
      { number: '102', name: 'Office', password },
    ]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
  },
})
const { daemon } = scene
const port = await freePort()
const example = spawn(process.execPath, ['scripts/examples/screen-pop.ts'], {
  env: { PATH: process.env['PATH'], PORT: String(port), PBX: daemon.http, TOKEN: daemon.token },
  stdio: ['ignore', 'inherit', 'inherit'],
})
t.setTimeout(120_000)
t.teardown(async () => {
  example.kill()
  await once(example, 'exit')
  await scene.close()
})
t.afterEach(() => scene.sweep())

interface Told {
  readonly event: string
  readonly id: string
  readonly data: any
}

const check = checker(closed(CallEventDataSchema), false)
/** What was sent and does not fit its schema. */
const misfits: unknown[] = []

/** Reads as an EventSource does. */
async function source(url: string, headers: Record<string, string> = {}) {
  const leave = new AbortController()
  const answer = await fetch(url, { headers, signal: leave.signal })
  const told: Told[] = []
  let text = ''
  const ended = (async () => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const whole = text.split('\n\n')
      text = whole.pop()!
      for (const piece of whole) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(piece)?.[1] ?? ''
        if (field('event') === '') continue
        const data = JSON.parse(field('data')) as object
        if (field('event') !== 'stream.gap') misfits.push(...(check(structuredClone(data)) ?? []))
        told.push({ event: field('event'), id: field('id'), data })
      }
    }
  })().catch(() => undefined)
  return { answer, told, ended, leave: () => leave.abort() }
}

t.test('the page is served, and pops with the name of who calls while the phone rings', async (t) => {
  const here = `http://127.0.0.1:${port}`
  await eventually('the example listens', () =>
    fetch(here).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  t.match(await (await fetch(`${here}/?extension=101`)).text(), /new EventSource\(/)
  const customers = [{ id: 'c_1', name: 'Ana Ruiz', phones: [{ number: '+15551230001', label: 'mobile' }] }]
  t.equal((await daemon.api('POST', '/api/pbx/import/pbx-export', { customers })).status, 200)

  const browser = await source(`${here}/events?extension=101`)
  const office = await source(`${here}/events?extension=102`)
  t.match(browser.answer.headers.get('content-type'), 'text/event-stream')
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  const caller = await scene.call({ from: '+15551230001' })
  const invite = await phone.peer.request('INVITE')
  await eventually('it pops', () => browser.told.length === 1)
  t.match(browser.told[0], {
    event: 'call.ringing',
    data: {
      call: { state: 'ringing', from: '+15551230001', customerId: 'c_1' },
      extensions: ['101'],
      card: { name: 'Ana Ruiz', found: true },
    },
  })
  browser.leave()
  phone.peer.answer(invite, 486)
  await caller.sip.exit
  const again = await source(`${here}/events?extension=101`, { 'last-event-id': browser.told[0]!.id })
  await eventually('the end is told', () => again.told.length === 1)
  t.match(again.told[0], { event: 'call.ended', data: { call: { outcome: 'missed' } } })
  t.same(office.told, [])
  const lost = await source(`${daemon.http}/api/pbx/events`, { authorization: `Bearer ${daemon.token}`, 'last-event-id': 'nonsense' })
  await eventually('it is told that something is missing', () => lost.told.length > 0)
  t.equal(lost.told[0]!.event, 'stream.gap')
  t.equal((await fetch(`${daemon.http}/api/pbx/events`)).status, 401)
  for (const one of [again, office, lost]) one.leave()
})

t.test('a connection on which nothing happens stays, and a stop of the daemon waits for no reader', async (t) => {
  const quiet = await source(`${daemon.http}/api/pbx/events`, { authorization: `Bearer ${daemon.token}` })
  let over = false
  void quiet.ended.then(() => (over = true))
  // Longer than the libraries keep connections that say nothing, and than the heartbeat waits.
  await new Promise((resolve) => setTimeout(resolve, 17_000))
  t.equal(over, false)
  await daemon.stop()
  await quiet.ended
})

t.test('all that was told fits its schema', async (t) => t.same(misfits, []))
