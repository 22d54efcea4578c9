/** Spoken answers in a real call: the caller's words arrive, barge-in by voice, silence, noise, and a speech process that dies. */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { concat, silence, speech, tone } from '../harness/audio.ts'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { Scene, eventually } from '../harness/scene.ts'

const scene = await Scene.open({ settings: (base) => (base['speech'] = { recogniser: 'auto' }) })
const { app } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const menu = 'Welcome to Riverside Clinic. How may we help you today? Please tell us in a few words what your call is about.'
const departments = ['billing', 'appointments', 'prescription refill', 'Doctor Patel']
type Parameters = Record<string, unknown>

/** The processes of this daemon's speech. */
const speechProcesses = (): number[] => childrenOf(scene.daemon.pid).filter((pid) => commandOf(pid).includes('speech-process'))

await eventually('the box is ready', async () => (await scene.daemon.api('GET', '/readyz')).status === 200)

/** A call that gathers once with these parameters; the next document ends it. */
async function gathering(parameters: Parameters, prompt: unknown[] = []) {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route' ? [...prompt, { gather: { input: 'speech', actionUrl: `${app.url}/words`, ...parameters } }] : []
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 15)
  return caller
}

t.test('words that the application hinted at arrive, those of the very first caller too', async (t) => {
  t.same(speechProcesses(), [], 'nobody has needed one yet')
  for (const words of departments) {
    const caller = await gathering({ hints: departments, timeout: 8 })
    caller.rtp.say(concat(silence(300), speech(words)))
    const { event } = await app.until('gather.completed')
    t.match(event, { speech: words, reason: 'speech', digits: '', engine: 'embedded-grammar', bargeIn: false }, words)
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    t.same(await scene.finish(), [])
    app.reset()
  }
})

t.test('spoken digits stay words', async (t) => {
  const caller = await gathering({ numDigits: 4, timeout: 8 })
  caller.rtp.say(concat(silence(300), speech('four seven two five')))
  const { event } = await app.until('gather.completed')
  t.match(event, { speech: 'four seven two five', reason: 'speech', digits: '' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('without a model free speech is not guessed at', async (t) => {
  for (const sentence of ['I need to move my appointment to some other day', 'my little daughter has had a fever since last night']) {
    const caller = await gathering({ timeout: 8 })
    caller.rtp.say(concat(silence(300), speech(sentence)))
    const { event } = await app.until('gather.completed')
    t.match(event, { speech: '', reason: 'no-match', engine: 'embedded-grammar' }, sentence)
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    t.same(await scene.finish(), [])
    app.reset()
  }
})

t.test('speech silences the prompt and counts', async (t) => {
  const caller = await gathering({ hints: departments, timeout: 5 }, [{ say: { text: menu } }])
  await caller.rtp.sound()
  caller.rtp.say(concat(silence(1200), speech('prescription refill')))
  const { event } = await app.until('gather.completed')
  t.match(event, { speech: 'prescription refill', reason: 'speech', bargeIn: true })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.notOk(caller.rtp.heardText('Please tell us in a few words what your call is about.').whole, 'the prompt was cut')
  t.same(await scene.finish(), [])
})

t.test('a cough does not cost the caller the prompt', async (t) => {
  const caller = await gathering({ hints: departments, timeout: 1 }, [{ say: { text: menu } }])
  await caller.rtp.sound()
  // A beginning of a word, cut off: voice enough to stop a prompt, too short for words.
  caller.rtp.say(concat(silence(1200), speech('are').subarray(0, 8 * 240)))
  const { event } = await app.until('gather.completed', () => true, 30_000)
  t.match(event, { speech: '', reason: 'timeout' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const first = caller.rtp.heardText('Welcome to Riverside Clinic.')
  const last = caller.rtp.heardText('Please tell us in a few words what your call is about.')
  t.ok(first.heardMs > 500, JSON.stringify(first))
  t.ok(last.whole, `the last sentence was heard whole: ${JSON.stringify(last)}`)
  t.same(await scene.finish(), [])
})

t.test('a key ends the listening', async (t) => {
  const caller = await gathering({ input: 'dtmf speech', hints: departments, numDigits: 1, timeout: 5 })
  caller.rtp.say(concat(silence(300), speech('billing').subarray(0, 8 * 250)))
  await caller.rtp.said()
  await caller.rtp.press('2')
  const { event } = await app.until('gather.completed')
  t.match(event, { digits: '2', speech: '', reason: 'digits' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('who hangs up while speaking was heard', async (t) => {
  const caller = await gathering({ hints: departments, timeout: 5 })
  caller.rtp.say(concat(silence(300), speech('appointments'), silence(150)))
  await caller.rtp.said()
  await caller.hangup()
  const { event } = await app.until('gather.completed')
  t.match(event, { speech: 'appointments', reason: 'hangup' })
  t.same(await scene.finish(), [])
})

t.test('silence, ringback tone and a hum are no speech', async (t) => {
  for (const [name, sound] of [
    ['silence', silence(2500)],
    ['ringback', tone([440, 480], 2500, 3000)],
    ['hum', tone(100, 2500, 1000)],
  ] as const) {
    const caller = await gathering({ timeout: 2 }, [])
    caller.rtp.say(sound)
    const { event } = await app.until('gather.completed')
    t.match(event, { speech: '', reason: 'timeout' }, name)
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    t.same(await scene.finish(), [])
    app.reset()
  }
})

t.test('a recording is not transcribed by a grammar, and says so', async (t) => {
  app.script = (e) =>
    e.event === 'call.inbound.pre_route'
      ? [{ record: { transcribe: true, playBeep: false, silenceTimeout: 1, actionUrl: `${app.url}/recorded` } }]
      : []
  const caller = await scene.call()
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 15)
  caller.rtp.say(concat(silence(200), speech('please call me back this afternoon')))
  const { event } = await app.until('record.completed')
  t.match(event, { transcript: '', transcriptStatus: 'off', transcriptReason: 'model-missing', reason: 'silence' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('a speech process that dies costs one answer; keys go on, and the next caller is understood', async (t) => {
  const [before] = speechProcesses()
  const caller = await gathering({ input: 'dtmf speech', hints: departments, numDigits: 2, timeout: 6 })
  caller.rtp.say(concat(silence(300), speech('billing').subarray(0, 8 * 250)))
  await caller.rtp.said()
  execFileSync('kill', ['-9', String(before)])
  await eventually('it has died', () => !speechProcesses().includes(before!))
  await caller.rtp.press('42')
  const first = await app.until('gather.completed')
  t.match(first.event, { digits: '42', reason: 'digits' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
  app.reset()

  const next = await gathering({ hints: departments, timeout: 8 })
  next.rtp.say(concat(silence(500), speech('billing')))
  t.match((await app.until('gather.completed')).event, { speech: 'billing', reason: 'speech' })
  t.notSame(speechProcesses(), [before])
  t.equal(await next.sip.exit, 0, next.sip.failure())
  t.same(await scene.finish(), [])
})

t.test('partial words go to partialUrl while the caller speaks', async (t) => {
  // A pause that ends before the words are decoded has no partial words: the end of the gather has them.
  const caller = await gathering({ hints: departments, timeout: 8, endSilence: 3, partialUrl: `${app.url}/partial` })
  caller.rtp.say(concat(silence(300), speech('prescription refill')))
  const partial = await app.until('gather.partial', ({ stable }) => stable === true)
  t.match(partial.event, { speech: 'prescription refill' }, 'the words at the pause')
  await app.until('gather.completed')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
})
