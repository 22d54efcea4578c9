/** Reminder calls over SIP to scripted phones: POST /api/reminders, `pbx reminders call-now`, and the callback of each outcome. */
import t from 'tap'
import type { Test } from 'tap'
import { verify } from '../../daemon/base/signing.ts'
import { concat, silence, speech, tone } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { callbacksSecret } from '../harness/daemon.ts'
import { listens } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'
import type { Manner, Phone } from '../harness/sipp.ts'
import { application } from '../outbox/bench.ts'

t.setTimeout(300_000)

/** A zone in which it is early in the afternoon now: nobody is called at night. */
function afternoon(): string {
  const hours = (13 - new Date().getUTCHours() + 24) % 24
  const offset = hours > 12 ? hours - 24 : hours
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

const scene = await Scene.open({
  settings: (base) => {
    base['site'] = { ...(base['site'] as object), timeZone: afternoon() }
    base['voice'] = { ...(base['voice'] as object), trace: 'full' }
    base['reminders'] = { attempts: 1, reception: '101', window: { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] } }
  },
})
const { daemon } = scene
const booking = await application(t, (_request, response) => response.writeHead(204).end())
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

const dayMs = 86_400_000
let people = 0

interface Reminded {
  readonly phone: Phone
  /** The callback. */
  readonly event: any
  /** The call as the API shows it. */
  readonly call: any
  /** What the box said, sentence by sentence. */
  readonly said: readonly string[]
}

/** Books an appointment of a person of its own, has the person called, and stays until the reminder has ended. */
async function remind(t: Test, manner: Manner, behave: (phone: Phone) => Promise<void> = async () => undefined): Promise<Reminded> {
  const phone = await scene.expect(manner, 100)
  people += 1
  const accepted = await daemon.api('POST', '/api/reminders', {
    customerName: 'Maria Lopez',
    phoneNumber: `+1555987${String(people).padStart(4, '0')}`,
    appointmentAt: new Date(Date.now() + 3 * dayMs).toISOString(),
    serviceName: 'Chemotherapy',
    staffName: 'Doctor Wu',
    externalRef: `A-${people}`,
    statusCallbackUrl: `${booking.url}/reminders`,
  })
  t.equal(accepted.status, 200, JSON.stringify(accepted.body))
  const { reminderId } = accepted.body.reminders[0]
  const urged = await daemon.pbx('reminders', 'call-now', reminderId)
  t.equal(urged.code, 0, urged.error)
  await behave(phone)
  const callback = () => booking.received.find(({ body }) => body.includes(reminderId))
  await eventually('the callback', () => callback() !== undefined, 30_000)
  const { body, headers } = callback()!
  const event = JSON.parse(body)
  const header = (name: string) => String(headers[name])
  const signed = { signature: header('x-service-signature'), timestamp: header('x-service-timestamp') }
  t.equal(verify([callbacksSecret], signed, body, Date.now()), 'ok')
  t.match(event, { event: `reminder.${event.outcome}`, reminderId, externalRef: `A-${people}`, attempts: 1, smsSent: false })
  t.notMatch(body, /Maria|Lopez|555987|Chemo|Wu/, 'no name and no number')
  t.match((await daemon.api('GET', `/api/reminders/${reminderId}`)).body, { outcome: event.outcome, lastCallId: event.lastCallId })
  const call = (await daemon.api('GET', `/api/voice/calls/${event.lastCallId}`)).body
  t.match(call, { direction: 'outbound', endpoint: 'internal:reminders', trunkId: 'main', params: { reminderId, attempt: '1' } })
  const trace = (await daemon.api('GET', `/api/voice/calls/${event.lastCallId}/trace`)).body
  t.match(JSON.stringify(trace), call.answeredAt === null ? /./ : /application reminders/)
  const said = trace.entries.filter((entry: any) => entry.kind === 'prompt').map((entry: any) => entry.text)
  return { phone, event, call, said }
}

/** Milliseconds of what the phone will have heard when the key that is pressed now has ended. */
const soon = ({ rtp }: Phone): number => Math.round(performance.now() - rtp.firstPacketAt) + 100

/** Says hello, and presses the keys when the box speaks. */
const pressing =
  (...keys: readonly string[]) =>
  async ({ rtp }: Phone): Promise<void> => {
    await rtp.until('the line is open', () => rtp.packets.length > 10)
    rtp.say(concat(silence(300), speech('Hello?')))
    let since = 0
    for (const key of keys) {
      await rtp.sound(since)
      await listens(rtp, 600)
      await rtp.press(key)
      since = await rtp.quiet(60)
    }
  }

t.test('1 confirms: the person hears the reminder soon after hello, and the confirmation to its end', async (t) => {
  let spokenTo = 0
  const hello = speech('Hello?')
  let pressedMs = 0
  const { phone, event, call, said } = await remind(t, 'answer', async (phone) => {
    const { rtp } = phone
    await rtp.until('the line is open', () => rtp.packets.length > 10)
    rtp.say(concat(silence(300), hello))
    const over = performance.now() + 300 + hello.length / 8
    spokenTo = (await rtp.sound()) - over
    await listens(rtp, 3000)
    pressedMs = soon(phone)
    await rtp.press('1')
  })
  t.match(event, { outcome: 'confirmed', reason: 'keypad', answeredAt: String, completedAt: String })
  t.comment(`spoken to ${Math.round(spokenTo)} ms after hello`)
  t.match(call, { state: 'completed', endReason: 'app-hangup', answeredBy: 'human' })
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  t.ok(phone.rtp.heardText('Hello Maria.').whole, 'the first name')
  t.match(
    said.join(' '),
    /^Hello Maria\. This is Riverside Clinic with a reminder of your appointment on \w+day, .*To confirm, press one\./,
  )
  t.match(said.slice(-3), ['Thank you.', 'Your appointment is confirmed.', 'Goodbye.'])
  const thanks = phone.rtp.heardText('Thank you.', pressedMs)
  t.ok(thanks.whole, 'the thanks')
  t.ok(phone.rtp.heardText('Your appointment is confirmed.', Math.round(thanks.atMs + thanks.heardMs)).whole, 'the confirmation')
})

t.test('2 and 2 cancels, 3 asks for another time, * opts out, also where the person hangs up at once', async (t) => {
  for (const [keys, outcome] of [
    [['2', '2'], 'canceled'],
    [['3'], 'reschedule'],
    [['*'], 'opted-out'],
  ] as const) {
    const { phone, event, said } = await remind(t, 'answer', async (phone) => {
      await pressing(...keys)(phone)
      await phone.rtp.sound(performance.now())
      await phone.hangup()
    })
    t.match(event, { outcome, reason: 'keypad' })
    t.match(said.at(-1), /Goodbye|Thank you|any more/)
    t.equal(await phone.sip.exit, 0, phone.sip.failure())
  }
})

t.test('2 and a hang-up cancels nothing', async (t) => {
  const { event, call } = await remind(t, 'answer', async (phone) => {
    await pressing('2')(phone)
    await phone.rtp.sound(performance.now())
    await phone.hangup()
  })
  t.match(event, { outcome: 'no-answer', reason: 'no-input' })
  t.match(call, { endReason: 'callee-hangup' })
})

t.test('busy and unavailable phones', async (t) => {
  t.match((await remind(t, 'busy')).event, { outcome: 'busy' })
  t.match((await remind(t, 'unavailable')).event, { outcome: 'no-answer' })
})

t.test('a voicemail gets a message behind its beep, without name and time', async (t) => {
  const greeting = concat(
    silence(200),
    speech('You have reached my voicemail. Please leave a message after the tone.'),
    silence(400),
    tone(1000, 400),
  )
  let beepOver = 0
  let spoke = 0
  const { phone, event, call, said } = await remind(t, 'answer', async ({ rtp }) => {
    await rtp.until('the line is open', () => rtp.packets.length > 10)
    rtp.say(greeting)
    beepOver = performance.now() + greeting.length / 8
    spoke = await rtp.sound(0, 20_000)
  })
  t.match(event, { outcome: 'voicemail' })
  t.ok(spoke > beepOver && spoke < beepOver + 1500, `the message begins ${Math.round(spoke - beepOver)} ms after the beep`)
  t.match(call, { answeredBy: 'machine', endReason: 'app-hangup' })
  t.equal(await phone.sip.exit, 0, phone.sip.failure())
  const message = said.join(' ')
  t.match(message, /^Hello\. This is Riverside Clinic, with a reminder of an appointment\. Please call us at .*Thank you\. Goodbye\.$/)
  t.notMatch(message, /Maria|day|Chemo|Wu|press/)
  t.ok(phone.rtp.heardText(said[1]!).whole, 'all of the sentence that names the clinic')
})

t.test('0 leads to the reception', async (t) => {
  const desk = scene.keep(
    await Baresip.start({ registrar: `127.0.0.1:${daemon.sipPort}`, user: '101', password: 'a-long-password', autoAnswer: true }),
  )
  const { event, call } = await remind(t, 'answer', async (phone) => {
    await pressing('0')(phone)
    await desk.until('CALL_ESTABLISHED')
    await listens(phone.rtp, 500)
    await phone.hangup()
  })
  t.match(call, { state: 'completed', endReason: 'callee-hangup' })
  t.match(event, { outcome: 'reschedule', reason: 'reception' })
})
