/** What the engines cost by themselves: time and memory of a decode in the speech process, our share of it, first audio of a voice. */
import { readFileSync } from 'node:fs'
import type { RecogniserPlan } from '../../../daemon/speech/process/protocol.ts'
import { withoutNoise } from '../../../drivers/steady-noise.ts'
import { loadSherpa } from '../../../drivers/speech-sherpa/load.ts'
import { createSherpaRecogniser } from '../../../drivers/speech-sherpa/recogniser.ts'
import { upsample } from '../../../drivers/upsample.ts'
import { residentKb } from '../../harness/processes.ts'
import { eventually, pause } from '../../harness/scene.ts'
import { tinyMoonshine, tinyWhisper, twinCtc } from '../../speech-sherpa/onnx.ts'
import { documentToVoice } from './latency.ts'
import { atMost, describe, fact, format, spread, type Measurement, type Row } from './measure.ts'
import { modelFolder } from '../../harness/models.ts'
import { departments, installTinyPiper, speechOf, speechPids, speechProcess, type SpeechProcess } from './speech-stage.ts'
import { stage } from './stage.ts'

const lengths = [2, 5, 10, 28]
const decodes = 5
const frame = 160

/** Milliseconds from asking for the text of what was said to the text; the audio was heard before. */
async function decodeMs(speech: SpeechProcess, samples: Int16Array): Promise<number> {
  const { promise: final, resolve, reject } = Promise.withResolvers<number>()
  const request = { callId: 'bench', language: 'en-US', hints: departments, digits: null, endSilenceMs: 60_000, partials: false }
  let onset: () => void = () => undefined
  const speaking = new Promise<void>((done) => (onset = done))
  const hearing = speech.ear.listen(request, (heard) => {
    if (heard.type === 'speech-onset') onset()
    if (heard.type === 'speech-final') resolve(performance.now())
    if (heard.type === 'recogniser-error') reject(new Error(heard.reason))
  })
  for (let at = 0; at < samples.length; at += frame) hearing.audio(samples.subarray(at, at + frame))
  await Promise.race([speaking, final])
  // Time to hear all of it, and to finish what was begun at pauses between words.
  await pause(300 + samples.length / 100)
  const began = performance.now()
  hearing.finish()
  const ms = (await final) - began
  hearing.stop()
  return ms
}

function peakKb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
}

const megabytes = (kb: number): string => `${(kb / 1024).toFixed(0)} MB`

async function engine(name: string, recogniser: RecogniserPlan): Promise<Row[]> {
  const speech = await speechProcess(recogniser)
  try {
    await pause(500)
    const loaded = residentKb(speech.pid)
    const rows: Row[] = []
    for (const seconds of lengths) {
      const samples = speechOf(seconds)
      const times: number[] = []
      for (let n = 0; n < decodes; n += 1) times.push(await decodeMs(speech, samples))
      const s = spread(times)
      const memory = `${megabytes(residentKb(speech.pid))}, peak ${megabytes(peakKb(speech.pid))}`
      rows.push(
        fact(`${name}, ${seconds} s`, `p50 ${format(s.p50)} ms`, `max ${format(s.max)} ms; process ${megabytes(loaded)} -> ${memory}`),
      )
    }
    return rows
  } finally {
    await speech.close()
  }
}

/** Our recogniser and the library called by hand, in turn, on the same audio. */
async function overhead(folder: string): Promise<Row[]> {
  const model = twinCtc(folder)
  const path = (role: string): string => `${model.directory}/${model.files[role]}`
  const sherpa = loadSherpa()
  const direct = await sherpa.OfflineRecognizer.createAsync({
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: { nemoCtc: { model: path('model') }, tokens: path('tokens'), numThreads: 1, provider: 'cpu', debug: 0 },
    decodingMethod: 'greedy_search',
  })
  const ours = await createSherpaRecogniser(model)
  const rows: Row[] = []
  for (const seconds of [2, 10]) {
    const samples = speechOf(seconds)
    const wide = upsample(samples)
    const byHand = async (): Promise<void> => {
      const stream = direct.createStream()
      stream.acceptWaveform({ samples: wide, sampleRate: 16_000 })
      await direct.decodeAsync(stream)
    }
    const byUs = async (): Promise<void> => void (await ours.recognise(samples, { language: 'en-US', hints: [], digits: null }))
    const times: Record<'hand' | 'us', number[]> = { hand: [], us: [] }
    for (let n = 0; n < 33; n += 1) {
      for (const [who, work] of [['hand', byHand] as const, ['us', byUs] as const]) {
        const began = performance.now()
        await work()
        if (n >= 3) times[who].push(performance.now() - began)
      }
    }
    const [hand, us] = [spread(times.hand), spread(times.us)]
    rows.push(
      atMost(
        `our recogniser beside sherpa-onnx by hand, ${seconds} s`,
        1.1,
        'times',
        us.p50 / hand.p50,
        `p50 ${format(us.p50)} and ${format(hand.p50)} ms, with the change from 8 to 16 kHz`,
      ),
    )
  }
  await ours.close()
  return rows
}

/** What is done to an utterance before it is decoded. */
function noiseTaken(): Row {
  const seconds = 10
  const samples = speechOf(seconds)
  const times = Array.from({ length: 33 }, () => {
    const before = process.cpuUsage()
    withoutNoise(samples)
    return process.cpuUsage(before).user / 1000
  })
  const s = spread(times.slice(3))
  return atMost(`noise taken away from ${seconds} s: processor, p50`, seconds * 10, 'ms', s.p50, describe(s))
}

export const engines: Measurement = {
  name: 'speech-engines',
  title: 'Decodes in the speech process (twin: the cost of a small Conformer; tiny: the form of the model without its weights)',
  async run() {
    const models = modelFolder()
    try {
      const rows: Row[] = []
      const tried: readonly (readonly [string, RecogniserPlan])[] = [
        ['embedded grammar', 'embedded-grammar'],
        ['CTC twin', twinCtc(models.path)],
        ['Whisper, tiny', tinyWhisper(models.path)],
        ['Moonshine, tiny', tinyMoonshine(models.path)],
      ]
      for (const [name, recogniser] of tried) rows.push(...(await engine(name, recogniser)))
      return [...rows, noiseTaken(), ...(await overhead(models.path))]
    } finally {
      models.close()
    }
  },
}

const phrases = 8

async function voice(name: string, settings: Record<string, unknown>): Promise<Row[]> {
  const scene = await stage({ speech: settings })
  try {
    // flite and espeak-ng need no process that stands.
    if ('models' in settings) await eventually('the speech process', () => speechPids(scene.daemon.pid, 'call').length > 0, 60_000)
    await pause(3000)
    const texts = Array.from({ length: phrases }, (_, n) => `Your visit is on the ${n + 10}th of May.`)
    const fresh = spread(await documentToVoice(scene, texts))
    const again = spread(await documentToVoice(scene, texts))
    return [
      atMost(`${name}: document -> first audio packet, new text, p95`, 350, 'ms', fresh.p95, describe(fresh)),
      atMost(`${name}: document -> first audio packet, cached, p95`, 60, 'ms', again.p95, describe(again)),
    ]
  } finally {
    await scene.close()
  }
}

export const voicesOf: Measurement = {
  name: 'speech-voices',
  title: 'From the document to the first audio packet, by voice (tiny Piper: its form and our way to it, at no cost of its own)',
  async run() {
    const models = modelFolder()
    try {
      await installTinyPiper(models.path)
      return [
        ...(await voice('flite', { voice: 'flite' })),
        ...(await voice('espeak-ng', { voice: 'espeak-ng' })),
        ...(await voice('Piper, tiny', { voice: 'piper-amy-low', models: { dir: models.path } })),
      ]
    } finally {
      models.close()
    }
  },
}
