/** Speech under load: the calls' audio while recordings are transcribed, and callers who speak at the same moment. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecogniserPlan } from '../../../daemon/speech/process/protocol.ts'
import { speech as spoken, writeWav } from '../../harness/audio.ts'
import { cpuMs, residentKb } from '../../harness/processes.ts'
import { eventually, pause } from '../../harness/scene.ts'
import { twinCtc } from '../../speech-sherpa/onnx.ts'
import { atMost, describe, fact, format, spread, type Measurement, type Row, type Spread } from './measure.ts'
import { modelFolder } from '../../harness/models.ts'
import { installReal, isFetched, realWhispers, type RealModel } from '../speech/weights/models.ts'
import { departments, hiss, installTwin, speechOf, speechPids, speechProcess, type SpeechProcess } from './speech-stage.ts'
import { Meter, hold, stage } from './stage.ts'

const seconds = 12

interface Transcribing {
  readonly recogniser: string
  readonly calls: number
  readonly message: Int16Array
  readonly messages: number
  install(directory: string): Promise<unknown>
}

/** Two recordings of half an hour. */
function twoLong(): Transcribing {
  const piece = speechOf(25)
  const message = new Int16Array(1800 * 8000)
  for (let at = 0; at + piece.length <= message.length; at += piece.length + 8000) message.set(piece, at)
  return { recogniser: 'conformer-small', calls: 50, message, messages: 2, install: installTwin }
}

const voicemailSeconds = 180

/** A voicemail as long as one may be, by a real recogniser. */
function voicemail(id: RealModel): Transcribing {
  const piece = speechOf(15)
  const message = new Int16Array(voicemailSeconds * 8000)
  for (let at = 0; at + piece.length <= message.length; at += piece.length + 8000) message.set(piece, at)
  return { recogniser: id, calls: 20, message, messages: 1, install: (directory) => installReal(id, directory) }
}

async function whileTranscribing({ recogniser, calls, message, messages, install }: Transcribing): Promise<Row[]> {
  const models = modelFolder()
  await install(models.path)
  const scene = await stage({ speech: { recogniser, models: { dir: models.path } } })
  const meter = await Meter.open(calls)
  try {
    const text = 'Please hold the line. The next free member of our staff will speak to you.'
    scene.app.script = () => [{ say: { text, loop: 10 } }, { say: { text, loop: 10 } }, { gather: { timeout: 120 } }]
    const file = join(models.path, 'message.wav')
    writeFileSync(file, writeWav(message))
    const load = await hold(scene, meter, calls)
    await pause(2000)
    const listen = async () => {
      await meter.start()
      await pause(seconds * 1000)
      return meter.report()
    }
    const free = await listen()
    const began = performance.now()
    const transcripts = Array.from({ length: messages }, () => scene.daemon.pbx('transcribe', file))
    let over = false
    void Promise.race(transcripts).then(() => (over = true))
    await eventually('the process for recordings', () => speechPids(scene.daemon.pid, 'recording').length > 0, 30000)
    await pause(3000)
    const [pid = 0] = speechPids(scene.daemon.pid, 'recording')
    const from = cpuMs(pid)
    const busy = await listen()
    const share = (cpuMs(pid) - from) / seconds / 10
    const whole = !over
    const memory = residentKb(pid)
    const taken = messages > 1 ? null : await Promise.all(transcripts).then(() => (performance.now() - began) / 1000)
    await load.close()
    const figures = (r: typeof free) =>
      `p50 ${r.p50.toFixed(2)} p99 ${r.p99.toFixed(2)} p99.9 ${r.p999.toFixed(2)} max ${r.max.toFixed(2)} ms; ${r.packets} packets, ${r.lost} lost`
    return [
      fact(`${calls} calls, nothing transcribed: RTP interval deviation, p99`, `${free.p99.toFixed(2)} ms`, figures(free)),
      atMost(`${calls} calls, ${recogniser} transcribes: RTP interval deviation, p99`, 2, 'ms', busy.p99, figures(busy)),
      fact('ratio of the two', (busy.p99 / free.p99).toFixed(2)),
      fact(
        'the process for recordings meanwhile',
        `${share.toFixed(0)} % of a core`,
        `${(memory / 1024).toFixed(0)} MB; ${whole ? 'at work to the end' : 'it had finished before the end'}`,
      ),
      ...(taken === null
        ? []
        : [
            atMost(
              'time of the transcript, by the length of the recording',
              0.3,
              '',
              taken / (message.length / 8000),
              `${format(taken)} s`,
            ),
          ]),
    ]
  } finally {
    meter.close()
    await scene.close()
    models.close()
  }
}

const crowds = [1, 2, 4, 8, 16, 32, 48]
const endSilenceMs = 800

/** Everybody says something of their own and is silent from the same moment; milliseconds from there to each text. */
async function together(speech: SpeechProcess, callers: number): Promise<number[]> {
  const texts = Array.from({ length: callers }, (_, n) => spoken(departments[n % departments.length] ?? ''))
  const longest = Math.max(...texts.map(({ length }) => length))
  const lines = texts.map((words) => {
    const line = hiss(300 + longest / 8 + endSilenceMs + 4000)
    line.set(words, 300 * 8 + longest - words.length)
    return line
  })
  const finals = lines.map(() => Promise.withResolvers<number>())
  const hearings = lines.map((_, n) =>
    speech.ear.listen(
      { callId: `bench ${n}`, language: 'en-US', hints: departments, digits: null, endSilenceMs, partials: false },
      (heard) => {
        if (heard.type === 'speech-final' || heard.type === 'speech-false-alarm') finals[n]?.resolve(performance.now())
        if (heard.type === 'recogniser-error') finals[n]?.reject(new Error(heard.reason))
      },
    ),
  )
  const began = performance.now()
  let at = 0
  const timer = setInterval(() => {
    for (const due = performance.now() - began; at / 8 < due && at < (lines[0]?.length ?? 0); at += 160)
      hearings.forEach((hearing, n) => hearing.audio(lines[n]?.subarray(at, at + 160) ?? new Int16Array(160)))
  }, 5)
  try {
    const silentAt = began + 300 + longest / 8
    const limit = pause(60_000).then(() => Promise.reject(new Error(`${callers} callers: not all were answered`)))
    const times = await Promise.race([Promise.all(finals.map(({ promise }) => promise)), limit])
    return times.map((time) => time - silentAt)
  } finally {
    clearInterval(timer)
    for (const hearing of hearings) hearing.stop()
  }
}

async function crowd(name: string, recogniser: RecogniserPlan): Promise<Row[]> {
  const speech = await speechProcess(recogniser)
  try {
    await together(speech, 1)
    const seen: { callers: number; first: Spread; later: Spread }[] = []
    for (const callers of crowds) {
      const first = spread(await together(speech, callers))
      const later: number[] = []
      for (let round = 0; round < Math.max(2, 6 / callers); round += 1) later.push(...(await together(speech, callers)))
      seen.push({ callers, first, later: spread(later) })
    }
    const alone = seen[0]?.later.p95 ?? Number.NaN
    const rows = seen.map(({ callers, first, later }) =>
      fact(
        `${name}: ${callers} speak at once: last word -> text, p95`,
        `${format(later.p95)} ms`,
        `${describe(later)}; the first such crowd: p95 ${format(first.p95)}`,
      ),
    )
    const doubled = seen.find(({ later }) => later.p95 > 2 * alone)
    const limit = doubled === undefined ? `beyond ${crowds.at(-1)}` : `at ${doubled.callers}`
    return [
      ...rows,
      fact(`${name}: the latency of one caller doubles`, limit, `of ${format(alone)} ms, endSilence ${endSilenceMs} ms within`),
    ]
  } finally {
    await speech.close()
  }
}

export const transcribing: Measurement = {
  name: 'speech-audio',
  title: 'The audio of 50 calls while the twin of a recogniser transcribes two recordings',
  run: () => whileTranscribing(twoLong()),
}

export const voicemails: Measurement = {
  name: 'speech-voicemail',
  title: `A voicemail of ${voicemailSeconds} s transcribed by real weights, next to 20 calls`,
  async run() {
    const fetched = realWhispers.filter(isFetched)
    if (fetched.length === 0) return [fact('no weights', 'skipped', 'npm run proofs -- speech install')]
    const rows: Row[] = []
    for (const id of fetched) rows.push(...(await whileTranscribing(voicemail(id))))
    return rows
  },
}

export const crowded: Measurement = {
  name: 'speech-crowd',
  title: 'Callers who end their sentence at the same moment (through the ear; endSilence 0.8 s is part of the figure)',
  async run() {
    const models = modelFolder()
    try {
      return [...(await crowd('embedded grammar', 'embedded-grammar')), ...(await crowd('CTC twin', twinCtc(models.path)))]
    } finally {
      models.close()
    }
  },
}
