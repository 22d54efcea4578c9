/** The life of the speech processes, with real processes and scripted engines. */
import { setTimeout as wait } from 'node:timers/promises'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createEar } from '../../daemon/speech/process/ear.ts'
import { createRemoteVoice } from '../../daemon/speech/process/remote-voice.ts'
import { createTranscriber } from '../../daemon/speech/process/transcriber.ts'
import { tryModels } from '../../daemon/speech/process/trial.ts'
import { writeWav } from '../../drivers/sim/leg.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { listen, loud, model, plan, scene, scripted, send, silence, type Scene } from './scene.ts'

const open: Scene[] = []
const begin: typeof scene = (...args) => {
  const made = scene(...args)
  open.push(made)
  return made
}
t.afterEach(async () => {
  await Promise.all(open.splice(0).map(({ supervisor }) => supervisor.stop()))
})
const running = (state: { status: string }): boolean => state.status === 'running'

t.test('it starts, at low priority and first in line for the kernel, and hears an utterance', async (t) => {
  const { supervisor, until } = begin(plan())
  t.equal(supervisor.state().status, 'starting')
  const state = await until(running)
  t.match(state, { recognisers: ['a'], detector: 'silero', restarts: 0, reason: '', leftOut: [] })
  t.equal(readFileSync(`/proc/${state.pid}/oom_score_adj`, 'utf8').trim(), '500')
  t.equal(
    readFileSync(`/proc/${state.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16],
    String(Math.min(19, Math.max(0, getPriority()) + 5)),
    'nice',
  )
  const { hearing, next, all } = listen(createEar({ process: supervisor }))
  send(hearing, silence(300), loud(800), silence(700))
  t.match(await next('speech-final'), { text: 'heard 800', confidence: 0.5, engine: 'a' })
  t.same(
    all.map(({ type }) => type),
    ['voice', 'speech-onset', 'speech-final'],
  )
  send(hearing, loud(400), silence(700))
  t.match(await next('speech-final'), { text: 'heard 400' }, 'it goes on listening')
  send(hearing, loud(400))
  hearing.finish()
  t.match(await next('speech-final'), { text: 'heard 400' }, 'and ends at once when asked to')
  hearing.stop()
  await until(({ sessions }) => sessions === 0)
})

t.test('one that is still starting is waited for, one that is not there is not', async (t) => {
  const { supervisor } = begin(plan({ recognisers: [model('a', 'slow-load')] }))
  const early = listen(createEar({ process: supervisor }))
  send(early.hearing, loud(600), silence(600))
  t.match(await early.next('speech-final'), { text: 'heard 600' }, 'what was said meanwhile is not lost')
  early.hearing.stop()
  const none = begin(plan({ recognisers: [] }))
  const deaf = listen(createEar({ process: none.supervisor }))
  t.same(deaf.all, [], 'not before listen has returned')
  t.match(await deaf.next('recogniser-error'), { reason: 'engine-missing' })
  t.equal(none.supervisor.state().status, 'idle')
})

t.test('a language that nobody understands is said', async (t) => {
  const { supervisor } = begin(plan({ recognisers: [model('a', '', ['en-US'])] }))
  t.match(await listen(createEar({ process: supervisor }), { language: 'fi-FI' }).next('recogniser-error'), {
    reason: 'language-unsupported',
  })
})

t.test('a process that dies costs the answers in flight, and the next session works', async (t) => {
  const { supervisor, until } = begin(plan())
  const ear = createEar({ process: supervisor })
  const { pid } = await until(running)
  const lost = listen(ear)
  send(lost.hearing, loud(600))
  await lost.next('speech-onset')
  process.kill(pid!, 'SIGKILL')
  t.match(await lost.next('recogniser-error'), { reason: 'engine-failed' })
  t.match(supervisor.state(), { status: 'down', reason: 'it was ended by SIGKILL' })
  send(lost.hearing, loud(600))
  lost.hearing.stop()
  const again = listen(ear)
  send(again.hearing, loud(600), silence(600))
  t.match(await again.next('speech-final'), { text: 'heard 600' })
  t.match(await until(running), { restarts: 1, reason: '' })
})

t.test('a failed decode is an error of that session alone', async (t) => {
  const { supervisor, until } = begin(plan())
  const ear = createEar({ process: supervisor })
  const bad = listen(ear, { hints: ['fail'] })
  const good = listen(ear)
  for (const { hearing } of [bad, good]) send(hearing, loud(600), silence(600))
  t.match(await bad.next('recogniser-error'), { reason: 'engine-failed' })
  t.match(await good.next('speech-final'), { text: 'heard 600' })
  t.match(await until(running), { restarts: 0 })
})

t.test('a model that takes the process down while it loads is left out after two tries', async (t) => {
  const { until } = begin(plan({ recognisers: [model('bad', 'exit-at-load'), model('refused', 'refuse'), model('good')] }))
  const state = await until(running)
  t.match(state, { recognisers: ['good'], restarts: 2 })
  t.same(state.leftOut.map(({ id }) => id).toSorted(), ['bad', 'refused'])
  t.match(state.leftOut.find(({ id }) => id === 'bad')?.reason, /down 2 times .*status 255/)
  const other = begin(plan({ detector: { kind: 'silero', file: 'exit' } }))
  t.match(await other.until(running), { detector: 'webrtc', leftOut: [{ id: 'silero' }] })
  const third = begin(plan({ detector: { kind: 'silero', file: 'refuse' } }))
  t.match(await third.until(running), { detector: 'webrtc', leftOut: [{ id: 'silero', reason: 'no such model' }], restarts: 0 })
  const alone = begin(plan({ recognisers: [model('bad', 'exit-at-load')] }))
  t.match(await alone.until(({ leftOut }) => leftOut.length > 0), { status: 'idle' })
})

t.test('a decode that hangs is ended', async (t) => {
  for (const hint of ['hang', 'block']) {
    const clock = new FakeClock()
    const never = 1e9
    const { supervisor, until } = begin(plan(), { clock, timing: { pingEvery: never, memoryEvery: never, loadWithin: never } })
    await until(running)
    const begun = clock.now()
    const stuck = listen(createEar({ process: supervisor }), { hints: [hint] })
    send(stuck.hearing, loud(300), silence(600))
    await stuck.next('speech-onset')
    for (; supervisor.state().status === 'running'; await wait(10)) clock.advance(500)
    t.match(await stuck.next('recogniser-error'), { reason: 'engine-failed' })
    t.equal(supervisor.state().reason, 'it worked for more than 10 s on 0.6 s of audio')
    t.ok(clock.now() - begun >= 10_000)
    clock.advance(999)
    t.equal(supervisor.state().status, 'down')
    clock.advance(1)
    await until(running)
  }
})

t.test('a process that does not answer is ended', async (t) => {
  const { supervisor, until } = begin(plan(), { timing: { pingEvery: 50, pingsUnanswered: 3 } })
  const { pid } = await until(running)
  process.kill(pid!, 'SIGSTOP')
  t.match(await until(({ status }) => status === 'down'), { reason: 'it left 3 pings unanswered' })
  t.match(await until(running), { restarts: 1 })
  t.not(supervisor.state().pid, pid)
})

t.test('one that takes too much memory is ended', async (t) => {
  const { supervisor, until } = begin(plan(), { memoryMegabytes: 250, timing: { memoryEvery: 30 } })
  const hungry = listen(createEar({ process: supervisor }), { hints: ['eat'] })
  send(hungry.hearing, loud(600), silence(300))
  t.match(await hungry.next('recogniser-error'), { reason: 'engine-failed' })
  t.match(supervisor.state().reason, /it took \d+ MB of memory and may have 250 MB/)
  await until(running)
})

t.test('a new plan is loaded beside the old one, whose sessions end where they began', async (t) => {
  const { supervisor, until } = begin(plan())
  const { pid } = await until(running)
  const ear = createEar({ process: supervisor })
  const before = listen(ear)
  send(before.hearing, loud(300))
  await before.next('speech-onset')
  supervisor.replan(plan({ recognisers: [model('b', 'slow-load')] }))
  t.match(supervisor.state(), { status: 'running', pid }, 'the old one serves until the new one can')
  const state = await until(({ recognisers }) => recognisers[0] === 'b')
  t.not(state.pid, pid)
  send(before.hearing, loud(300), silence(600))
  t.match(await before.next('speech-final'), { engine: 'a' })
  const after = listen(ear)
  send(after.hearing, loud(300), silence(600))
  t.match(await after.next('speech-final'), { engine: 'b' })
  before.hearing.stop()
  for (let gone = false; !gone; await wait(10)) gone = !alive(pid ?? 0)
  supervisor.replan(plan({ recognisers: [model('bad', 'exit-at-load')] }))
  t.match(await until(({ leftOut }) => leftOut.length > 0), { leftOut: [{ id: 'bad' }] })
})

t.test('twenty callers at once', async (t) => {
  const { supervisor } = begin(plan())
  const ear = createEar({ process: supervisor })
  const callers = Array.from({ length: 20 }, (_, index) => ({ ms: 400 + index * 100, ...listen(ear, { partials: index % 2 === 0 }) }))
  for (const { hearing, ms } of callers) send(hearing, silence(200), loud(ms), silence(700))
  for (const { next, ms, all } of callers) {
    t.match(await next('speech-final'), { text: `heard ${ms}` })
    t.equal(all.filter(({ type }) => type === 'speech-final').length, 1)
  }
})

t.test('recordings: the process comes when it is needed and goes when it is not', async (t) => {
  const { supervisor, until } = begin(plan({ role: 'recording' }), { timing: { idleAfter: 150 } })
  const transcriber = createTranscriber({ process: supervisor })
  t.equal(supervisor.state().status, 'idle')
  const live = transcriber.live({ language: 'en-US', hints: [] })
  send(live, loud(1000), silence(900), loud(500))
  t.same(await live.end(), { status: 'done', text: 'heard 1000 heard 500', reason: '', engine: 'a' })
  const { pid } = supervisor.state()
  t.equal(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[38], '5', 'SCHED_IDLE')
  const quiet = transcriber.live({ language: 'en-US', hints: [] })
  send(quiet, silence(3000))
  t.match(await quiet.end(), { status: 'empty', text: '' })
  await until(({ status }) => status === 'idle')
  t.match(supervisor.state(), { pid: null, restarts: 0 })
  const again = transcriber.live({ language: 'en-US', hints: ['exit'] })
  send(again, loud(1000), silence(900))
  t.match(await again.end(), { status: 'failed', reason: 'engine-failed' })
  supervisor.replan(plan({ role: 'recording', recognisers: [] }))
  t.same(transcriber.available('en-US'), { ok: false, reason: 'model-missing' })
  t.match(await transcriber.live({ language: 'en-US', hints: [] }).end(), { status: 'off', reason: 'model-missing' })
})

t.test('calls without a model: it comes when it is needed, goes when it is not, and is there all the time once a model is', async (t) => {
  const embedded = plan({ recognisers: ['embedded-grammar'] })
  const { supervisor, until } = begin(embedded, { timing: { idleAfter: 150 } })
  t.match(supervisor.state(), { status: 'idle', pid: null })
  const ear = createEar({ process: supervisor })
  const first = listen(ear)
  send(first.hearing, loud(600), silence(700))
  t.match(await first.next('speech-final'), { text: 'heard 600', engine: 'embedded-grammar' })
  process.kill(supervisor.state().pid!, 'SIGKILL')
  t.match(await first.next('recogniser-error'), { reason: 'engine-failed' })
  await until(({ status }) => status === 'idle')
  const second = listen(ear)
  send(second.hearing, loud(600), silence(700))
  t.match(await second.next('speech-final'), { text: 'heard 600' })
  second.hearing.stop()
  await until(({ status }) => status === 'idle')
  supervisor.replan(plan({ recognisers: [model('a'), 'embedded-grammar'] }))
  await until(running)
  t.equal(supervisor.state().sessions, 0)
})

t.test('a question whose answers are known goes to the grammar too, where the model has no answer', async (t) => {
  const { supervisor, until } = begin(plan({ recognisers: [model('a'), 'embedded-grammar'] }))
  await until(running)
  const ear = createEar({ process: supervisor })
  const cases = [
    { hints: [], text: 'heard 600', engine: 'a' },
    { hints: ['600'], text: '600', engine: 'a' },
    { hints: ['pharmacy'], text: 'heard 600', engine: 'embedded-grammar' },
  ]
  for (const { hints, text, engine } of cases) {
    const heard = listen(ear, { hints })
    send(heard.hearing, loud(600), silence(700))
    t.match(await heard.next('speech-final'), { text, engine }, `hints ${hints.join(' ')}`)
    heard.hearing.stop()
  }
})

t.test('a long file is transcribed in bounded memory', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-long-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'long.wav')
  const minute = Int16Array.from([...loud(20_000), ...silence(5000), ...loud(5000), ...silence(30_000)])
  writeWav(
    path,
    Int16Array.from({ length: minute.length * 30 }, (_, index) => minute[index % minute.length] ?? 0),
  )
  const { supervisor } = begin(plan({ role: 'recording' }), { timing: { memoryEvery: 20 }, readable: [folder] })
  let most = 0
  const steps: number[] = []
  const transcript = await createTranscriber({ process: supervisor }).file(path, { language: 'en', hints: [] }, (doneMs, totalMs) => {
    most = Math.max(most, supervisor.state().rssKb ?? 0)
    steps.push(doneMs / totalMs)
  })
  t.equal(transcript.status, 'done')
  t.equal(transcript.text.match(/heard/g)?.length, 90)
  t.same(
    steps,
    steps.toSorted((a, b) => a - b),
  )
  t.equal(steps.at(-1), 1)
  t.ok(most > 0 && most < 250_000, `${most} kB`)
})

t.test('a recording that the process cannot take is given up before it fills the memory', async (t) => {
  const { supervisor } = begin(plan({ role: 'recording', recognisers: [model('a', 'slow-load')] }))
  const live = createTranscriber({ process: supervisor }).live({ language: 'en', hints: [] })
  send(live, silence(61_000))
  t.match(await live.end(), { status: 'failed', reason: 'overloaded' })
})

t.test('a transcript that is not wanted any more resolves at once', async (t) => {
  const { supervisor } = begin(plan({ role: 'recording' }))
  const abort = new AbortController()
  const file = createTranscriber({ process: supervisor }).file('/nowhere.wav', { language: 'en', hints: [], signal: abort.signal })
  abort.abort()
  t.match(await file, { status: 'failed', reason: 'aborted' })
  t.match(await createTranscriber({ process: supervisor }).file('/nowhere.wav', { language: 'en', hints: [] }), {
    status: 'failed',
    reason: 'file-unreadable: there is no such file',
  })
})

t.test('voices: phrases in order, given up, failed, lost', async (t) => {
  const voices = [{ ...model('amy'), languages: ['en-US'] }]
  const { supervisor, until } = begin(plan({ recognisers: [], detector: null, voices }))
  const first = voices[0]!
  const amy = createRemoteVoice({ process: supervisor, model: first })
  t.match(await amy.check(), { ok: false, reason: /starting/ })
  await until(running)
  t.same(await amy.check(), { ok: true, reason: '' })
  t.same([amy.speaks('en-GB'), amy.speaks('fr'), amy.voices()], [true, false, [{ name: 'amy', language: 'en-US' }]])
  const say = (text: string, signal?: AbortSignal): Promise<Int16Array> =>
    amy.synthesise({ text, language: 'en-US', voice: '', rate: 1, ...(signal === undefined ? {} : { signal }) })
  t.same(
    (await Promise.all([say('one'), say('three')])).map(({ length }) => length),
    [300, 500],
  )
  await t.rejects(say('fail'), { code: 'engine-failed', message: 'the voice failed' })
  await t.rejects(amy.synthesise({ text: 'x', language: 'fr', voice: '', rate: 1 }), { code: 'language-unsupported' })
  const abort = new AbortController()
  const given = say('given up', abort.signal)
  abort.abort()
  await t.rejects(given, { code: 'aborted' })
  await t.rejects(say('exit'), { code: 'engine-failed' })
  await t.rejects(say('down'), { code: 'engine-failed' })
  await until(running)
  t.equal((await say('back')).length, 400)
})

t.test('models are tried in a process of their own', async (t) => {
  const options = { program: scripted }
  t.match(await tryModels(plan({ voices: [model('v')] }), options), { ok: true, reason: '', loaded: ['silero', 'a', 'v'] })
  t.match(await tryModels(plan({ recognisers: [model('r', 'refuse')] }), options), {
    ok: false,
    reason: 'r could not be loaded: the model is no model',
  })
  t.match(await tryModels(plan({ recognisers: [model('x', 'exit-at-load')] }), options), { ok: false, reason: /ended with status 255/ })
  t.match(await tryModels(plan({ recognisers: [model('x', 'slow-load')] }), { ...options, limitMs: 100 }), {
    ok: false,
    reason: /did not load in 0.1 s/,
  })
  const byHand = await promisify(execFile)(process.execPath, [scripted]).catch((error: { code: number }) => error.code)
  t.equal(byHand, 2, 'by hand it says what it is')
})

t.test('a stop ends sessions and leaves nothing behind', async (t) => {
  const { supervisor, until } = begin(plan())
  const { pid } = await until(running)
  const { next } = listen(createEar({ process: supervisor }))
  const stopped = supervisor.stop()
  t.match(await next('recogniser-error'), { reason: 'stopped' })
  await stopped
  t.notOk(alive(pid ?? 0))
  t.match(await listen(createEar({ process: supervisor })).next('recogniser-error'), { reason: 'stopped' })
})

t.test('a daemon that dies takes its speech process with it; a signal to stop does not', async (t) => {
  const daemon = `
    const { scene, plan } = await import(${JSON.stringify(join(import.meta.dirname, 'scene.ts'))})
    const { until } = scene(plan())
    console.log((await until(({ status }) => status === 'running')).pid)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', daemon], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  process.kill(pid, 'SIGTERM')
  await wait(100)
  t.ok(alive(pid))
  child.kill('SIGKILL')
  for (let gone = false; !gone; await wait(10)) gone = !alive(pid)
  t.pass('gone')
})

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
