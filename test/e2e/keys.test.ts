/** Keys in a real call: three ways of sending them, barge-in, type-ahead, timers, finish keys. */
import t from 'tap'
import { keyTone } from '../harness/audio.ts'
import { listens } from '../harness/ears.ts'
import { Scene } from '../harness/scene.ts'

const scene = await Scene.open()
const { app } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const menu = 'Please press the key of the service that you would like to speak to now.'
type Parameters = Record<string, unknown>

/** A call that gathers once with these parameters; the next document ends it. */
async function gathering(parameters: Parameters, prompt: unknown[] = [], keyEvents = true) {
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [...prompt, { gather: { actionUrl: `${app.url}/keys`, ...parameters } }] : [])
  const caller = await scene.call({ keyEvents })
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 15)
  return caller
}

t.test('each kind of key is reported once: RFC 4733, in-band tones, SIP INFO', async (t) => {
  for (const kind of ['rfc4733', 'inband', 'info'] as const) {
    const caller = await gathering({ numDigits: 4, timeout: 8 }, [], kind !== 'inband')
    if (kind === 'rfc4733') await caller.rtp.press('159#'.replace('#', '0'))
    if (kind === 'inband') caller.rtp.pressInBand('1590')
    if (kind === 'info') {
      for (const [at, key] of [...'1590'].entries()) {
        await caller.sip.command('KEY', key)
        // Of each, the request and its answer.
        await caller.sip.until('INFO is answered', (messages) => (messages.match(/^CSeq: *\d+ INFO/gim) ?? []).length >= 2 * (at + 1))
      }
    }
    const { event, path } = await app.until('gather.completed')
    t.match(event, { digits: '1590', reason: 'digits', speech: '' }, kind)
    t.equal(path, '/keys')
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    t.same(await scene.finish(), [], kind)
    app.reset()
  }
})

t.test('a phone that sends a key as event and as tone is heard once', async (t) => {
  const caller = await gathering({ numDigits: 3, timeout: 3, interDigitTimeout: 1 })
  await caller.rtp.press('7')
  await listens(caller.rtp, 100)
  const both = caller.rtp.press('5', 120)
  caller.rtp.say(keyTone('5', 120))
  await both
  const { event } = await app.until('gather.completed')
  t.match(event, { digits: '75', reason: 'timeout' })
  t.same(await scene.finish(), [])
})

t.test('a key silences the prompt and the gather keeps it', async (t) => {
  const caller = await gathering({ numDigits: 1, timeout: 5 }, [{ say: { text: menu } }])
  await caller.rtp.sound()
  await listens(caller.rtp, 900)
  const pressed = performance.now()
  await caller.rtp.press('1', 60)
  const { event } = await app.until('gather.completed')
  t.match(event, { digits: '1', reason: 'digits', bargeIn: true })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  // How soon (40 ms from its first packet) is measured by the bench.
  t.comment(`sound until ${(caller.rtp.lastSound() - pressed).toFixed(0)} ms after the key began`)
  const heard = caller.rtp.heardText(menu)
  t.ok(heard.heardMs > 500 && !heard.whole, JSON.stringify(heard))
  t.same(await scene.finish(), [])
})

t.test('with bargeIn none the prompt is heard to its end, the keys count still', async (t) => {
  const caller = await gathering({ numDigits: 1, timeout: 2, bargeIn: 'none' }, [{ say: { text: menu } }])
  await caller.rtp.sound()
  await listens(caller.rtp, 400)
  await caller.rtp.press('2')
  const { event } = await app.until('gather.completed')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(menu).whole, JSON.stringify(caller.rtp.heardText(menu)))
  t.equal(event.bargeIn, false)
  t.same(await scene.finish(), [])
})

t.test('type-ahead: keys pressed before the gather count when asked for, else they do not', async (t) => {
  for (const typeAhead of [true, false]) {
    app.script = async (e) => {
      if (e.event === 'call.inbound.pre_route') return [{ gather: { numDigits: 1, timeout: 5, actionUrl: `${app.url}/first` } }]
      if (e.digits === '1') {
        await caller.rtp.press('42')
        await listens(caller.rtp, 100)
        return [{ gather: { numDigits: 2, timeout: 1, typeAhead, actionUrl: `${app.url}/second` } }]
      }
      return []
    }
    const caller = await scene.call()
    await caller.rtp.until('audio', () => caller.rtp.packets.length > 15)
    await caller.rtp.press('1')
    const { event } = await app.until('gather.completed', (e) => e.digits !== '1')
    t.match(event, typeAhead ? { digits: '42', reason: 'digits' } : { digits: '', reason: 'timeout' })
    t.same(await scene.finish(), [])
    app.reset()
  }
})

/** Of a gather that says nothing of it, and what one of the gathers below says. */
const defaultTimeoutMs = 5000

t.test('timeout without keys, timeout with partial keys, an inter-digit pause as the end', async (t) => {
  const none = await gathering({ numDigits: 2, timeout: 1 })
  const began = performance.now()
  const first = await app.until('gather.completed')
  t.match(first.event, { digits: '', reason: 'timeout', bargeIn: false })
  t.ok(first.at - began < defaultTimeoutMs, 'the main timer')
  await none.sip.exit
  t.same(await scene.finish(), [])
  app.reset()
  const partial = await gathering({ numDigits: 4, timeout: 5, interDigitTimeout: 1 })
  await partial.rtp.press('12')
  const pressed = performance.now()
  const second = await app.until('gather.completed')
  t.match(second.event, { digits: '12', reason: 'timeout' })
  t.ok(second.at - pressed > 700 && second.at - pressed < defaultTimeoutMs, `${second.at - pressed} ms after the last key`)
  t.same(await scene.finish(), [])
  app.reset()
  const open = await gathering({ timeout: 5, interDigitTimeout: 1, numDigits: undefined })
  await open.rtp.press('77')
  t.match((await app.until('gather.completed')).event, { digits: '77', reason: 'digits' })
  t.same(await scene.finish(), [])
})

t.test('the timer starts when the prompt has ended, not before', async (t) => {
  await gathering({ numDigits: 1, timeout: 1 }, [{ say: { text: menu } }])
  const { event, at } = await app.until('gather.completed')
  t.equal(event.reason, 'timeout')
  const [phone] = [await scene.finish()]
  t.same(phone, [])
  const answered = app.received[0]?.at ?? 0
  t.ok(at - answered > 4000, `prompt and a second took ${(at - answered).toFixed(0)} ms`)
})

t.test('a finish key ends the gather and is not among the digits', async (t) => {
  const caller = await gathering({ finishOnKey: '#*', timeout: 5 })
  await caller.rtp.press('1234*')
  t.match((await app.until('gather.completed')).event, { digits: '1234', reason: 'digits', finishKey: '*' })
  t.same(await scene.finish(), [])
})

t.test('hang-up delivers the keys so far and ignores the answer', async (t) => {
  const caller = await gathering({ numDigits: 4, timeout: 10, interDigitTimeout: 10 })
  await caller.rtp.press('98')
  await listens(caller.rtp, 200)
  app.script = () => [{ say: { text: menu } }]
  await caller.hangup()
  t.match((await app.until('gather.completed')).event, { digits: '98', reason: 'hangup' })
  await app.until('call.ended')
  t.same(app.names(), ['call.inbound.pre_route', 'gather.completed', 'call.ended'])
  t.same(await scene.finish(), [])
})

t.test('a gather without actionUrl answers to the URL that gave the document', async (t) => {
  app.script = (e, r) =>
    r.path === '/voice' ? [{ redirect: { url: `${app.url}/menu` } }] : e.event === 'call.redirected' ? [{ gather: { timeout: 0 } }] : []
  await scene.call()
  t.equal((await app.until('gather.completed')).path, '/menu')
  t.same(await scene.finish(), [])
})

t.test('sensitive keys are in the event and nowhere in the trace or the log', async (t) => {
  const caller = await gathering({ numDigits: 6, sensitive: true })
  await caller.rtp.press('918273', 60, 50)
  const { event } = await app.until('gather.completed')
  t.equal(event.digits, '918273')
  await app.until('call.ended')
  const trace = await scene.daemon.api('GET', `/api/voice/calls/${event.callId}/trace`)
  t.equal(trace.status, 200)
  t.notMatch(JSON.stringify(trace.body), '918273')
  t.notMatch(JSON.stringify(scene.daemon.log), '918273')
  t.same(await scene.finish(), [])
})
