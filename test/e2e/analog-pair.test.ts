/**
 * Two whole boxes, a daemon each, that call each other over two modems on one exchange. The exchange and the modems are simulated, in the process of the
 * test; serial ports, tones and samples between them are real.
 */
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { AnalogHost } from '../../drivers/sim/analog/host.ts'
import { Exchange } from '../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../drivers/sim/analog/handset.ts'
import { realClock } from '../../drivers/sim/time.ts'
import { readWav, tone, toneLevel, writeWav } from '../harness/audio.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { programs } from '../modem-voice/rig.ts'

const exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 3000, delayMs: 60 })
const numbers = ['+15551230001', '+15551230002'] as const
/** As people dial it. */
const digits = (number: string) => number.slice(1)
const hosts = numbers.map((number) => new AnalogHost(programs, exchange.line(digits(number))))

async function box(index: 0 | 1): Promise<Scene> {
  const device = await hosts[index]!.open()
  await hosts[index]!.plug()
  return Scene.open({
    settings: (base) => {
      base['trunks'] = []
      base['lines'] = [{ id: 'line1', device, roles: ['voice', 'fax'], number: numbers[index] }]
      base['inbound'] = [{ trunk: 'line1', to: '*', destination: 'endpoint:reception' }]
      base['outbound'] = [{ to: '+1*', trunks: ['line1'] }]
      base['fax'] = { line: 'line1', header: 'Riverside Clinic' }
      base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    },
  })
}
const boxes = [await box(0), await box(1)] as const
const [one, two] = boxes
const person = new Handset(exchange.line('15551230009'), realClock)

t.setTimeout(400_000)
t.teardown(async () => {
  person.hangUp()
  await Promise.all(boxes.map((each) => each.close()))
  await Promise.all(hosts.map((each) => each.close()))
})
const state = async ({ daemon }: Scene): Promise<string> => JSON.parse((await daemon.pbx('modem', 'list', '--json')).out)[0].state
t.beforeEach(async () => {
  for (const { app } of boxes) app.reset()
  for (const each of boxes) await eventually('the line is ready', async () => (await state(each)) === 'ready', 60_000)
})

for (const [{ app }, hz] of [
  [one, 700],
  [two, 900],
] as const)
  app.files.set('/tone.wav', writeWav(tone(hz, 6000)))
const says = ({ app }: Scene) => ({ play: { url: `${app.url}/tone.wav` } })
const calls = (to: string, more: object = {}) => one.originate({ to, trunkId: 'line1', endpoint: 'reception', ...more })
const recorded = async ({ app, daemon }: Scene): Promise<Int16Array> => {
  const { mediaUrl } = (await app.until('record.completed', () => true, 60_000)).event
  const answer = await fetch(daemon.http + mediaUrl, { headers: { authorization: `Bearer ${daemon.token}` } })
  return readWav(Buffer.from(await answer.arrayBuffer())).samples
}
const ended = async ({ app }: Scene) => (await app.until('call.ended', () => true, 90_000)).event

t.test(
  'answered by an application: each records what the other one says; who stays hears by the tone that the other has hung up',
  async (t) => {
    const record = ({ app }: Scene) => ({ record: { maxSeconds: 3, silenceTimeout: 10, playBeep: false, actionUrl: `${app.url}/said` } })
    // By its voice the caller hears that somebody has answered.
    two.app.script = (e) =>
      e.event === 'call.inbound.pre_route' ? [says(two), record(two)] : e.event === 'record.completed' ? [{ hangup: {} }] : []
    one.app.script = (e) =>
      e.event === 'call.answered' ? [record(one)] : e.event === 'record.completed' ? [says(one), { pause: { seconds: 60 } }] : []
    t.equal((await calls(numbers[1])).status, 200)
    t.match((await two.app.until('call.inbound.pre_route', () => true, 60_000)).event, {
      from: numbers[0],
      to: numbers[1],
      trunkId: 'line1',
    })
    const first = await recorded(one)
    t.ok(toneLevel(first.subarray(-8000), 900) > -25, 'the called one at the caller')
    t.ok(toneLevel(first.subarray(-8000), 700) < -45, 'and nothing of its own')
    const second = await recorded(two)
    t.ok(toneLevel(second.subarray(-8000), 700) > -25, 'the caller at the called one')
    t.match(await ended(two), { state: 'completed', endReason: 'app-hangup' })
    // This exchange opens no loop: it gives busy tone.
    t.match(await ended(one), { state: 'completed', endReason: 'callee-hangup' })
  },
)

t.test('busy, nobody there, nobody answers', async (t) => {
  person.lift()
  const tried = await calls('+15551230009')
  t.match(await ended(one), { callId: tried.body.callId, state: 'busy' })
  person.hangUp()
  one.app.reset()
  await eventually('ready', async () => (await state(one)) === 'ready')
  await calls('+15559990000')
  t.match(await ended(one), { state: 'failed', endReason: /./ })
  one.app.reset()
  await eventually('ready', async () => (await state(one)) === 'ready')
  await calls('+15551230009', { timeout: 10 })
  t.match(await ended(one), { state: 'no-answer' })
  t.ok(person.rings > 0, 'it rang')
})

const letter = async (): Promise<string> => {
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('Referral for Monday', { x: 50, y: 700, size: 20 })
  return Buffer.from(await document.save()).toString('base64')
}
const faxed = async (faxId: string): Promise<any> => {
  let fax: any
  await eventually(
    'the end of the fax',
    async () => {
      fax = (await one.daemon.api('GET', `/api/fax/${faxId}`)).body
      return ['sent', 'failed'].includes(fax.status)
    },
    240_000,
  )
  return fax
}

t.test(
  'a fax from box to box, in a call that an application had taken; a call and a fax that want the same line both have it',
  async (t) => {
    two.app.script = (e) => (e.event === 'call.inbound.pre_route' ? [says(two), says(two), { pause: { seconds: 60 } }] : [])
    one.app.script = (e) => (e.event === 'call.answered' ? [{ pause: { seconds: 3 } }, { hangup: {} }] : [])
    person.onRing = () => {
      person.onRing = () => undefined
      person.lift()
      person.say(tone(620, 2000))
    }
    const talk = await calls('+15551230009')
    const { body } = await one.daemon.api('POST', '/api/fax', { to: numbers[1], pdfBase64: await letter() })
    const after = await calls('+15551230009')
    t.match((await one.app.until('call.ended', (e) => e.callId === talk.body.callId, 90_000)).event, { state: 'completed' })
    person.hangUp()
    t.match(await one.app.until('call.ended', (e) => e.callId === after.body.callId, 200_000), {}, 'the second call had its turn')
    const fax = await faxed(body.faxId)
    t.match(fax, { status: 'sent', pagesSent: 1, transport: 'modem' }, JSON.stringify(fax))
    const { items } = (await two.daemon.api('GET', '/api/inbox/faxes?since=0')).body
    t.match(items, [{ from: numbers[0], to: numbers[1], pages: 1, complete: true, badRows: 0 }])
    t.match((await ended(two)).state, 'completed')
  },
)
