/** The measurements of `pbx speech selftest`: a speech process of its own on this machine, driven as a call would. */
import { randomInt } from 'node:crypto'
import { systemClock } from '../../../daemon/base/clock.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { PhraseCache } from '../../../daemon/speech/cache.ts'
import type { Ear } from '../../../daemon/speech/hearing.ts'
import { createEar } from '../../../daemon/speech/process/ear.ts'
import type { DetectorPlan, RecogniserPlan } from '../../../daemon/speech/process/protocol.ts'
import { createRemoteVoice } from '../../../daemon/speech/process/remote-voice.ts'
import { SpeechSupervisor } from '../../../daemon/speech/process/supervisor.ts'
import { Speaker } from '../../../daemon/speech/speaker.ts'
import { SpeechError, type ModelFiles, type Recogniser, type Synthesiser } from '../../../drivers/speech.ts'

const memoryMegabytes = 1500
const frame = 160
/** Utterances are ended by us, never by a pause in them. */
const endSilenceMs = 5000
const log = createLog({ level: 'silent' })

export interface SpeechUnderTest {
  readonly recogniser: Recogniser
  /** The voices of the process. */
  readonly voices: readonly Synthesiser[]
  /** What could not be loaded. */
  readonly leftOut: readonly { readonly id: string; readonly reason: string }[]
  /** What the process takes now; null where it is not known. */
  memoryBytes(): number | null
  close(): Promise<void>
}

/** Starts a process with a recogniser, the grammar at its side as in calls; rejects with SpeechError when it does not become ready. */
export async function startSpeech(
  recogniser: RecogniserPlan,
  detector: DetectorPlan,
  voices: readonly ModelFiles[],
  signal: AbortSignal,
): Promise<SpeechUnderTest> {
  const { promise: changed, resolve } = Promise.withResolvers<void>()
  const id = typeof recogniser === 'string' ? recogniser : recogniser.id
  const supervisor: SpeechSupervisor = new SpeechSupervisor({
    plan: {
      role: 'call',
      detector,
      recognisers: recogniser === 'embedded-grammar' ? [recogniser] : [recogniser, 'embedded-grammar'],
      voices,
    },
    memoryMegabytes,
    clock: systemClock,
    log,
    changed: () => {
      const { status, leftOut } = supervisor.state()
      if (status === 'running' || leftOut.some((engine) => engine.id === id)) resolve()
    },
  })
  signal.addEventListener('abort', () => resolve(), { once: true })
  supervisor.start()
  // A process with the grammar alone is started by the first who needs it.
  const needed = createEar({ process: supervisor }).listen(
    { callId: 'selftest', language: 'en-US', hints: [], digits: null, endSilenceMs, partials: false },
    () => undefined,
  )
  const limit = setTimeout(resolve, 120_000)
  await changed
  clearTimeout(limit)
  needed.stop()
  const { status, reason, leftOut, recognisers } = supervisor.state()
  if (status !== 'running' || !recognisers.includes(id)) {
    await supervisor.stop()
    const why = leftOut.find((engine) => engine.id === id)?.reason ?? (reason === '' ? 'the process did not become ready' : reason)
    throw new SpeechError('engine-failed', `${id}: ${why}`)
  }
  return {
    recogniser: throughEar(createEar({ process: supervisor }), id),
    voices: voices.map((model) => createRemoteVoice({ process: supervisor, model })),
    leftOut,
    memoryBytes: () => {
      const { rssKb } = supervisor.state()
      return rssKb === null ? null : rssKb * 1024
    },
    close: () => supervisor.stop(),
  }
}

/** A recogniser as the measurements want it: each utterance is one hearing. */
function throughEar(ear: Ear, id: string): Recogniser {
  return {
    id,
    vocabulary: id === 'embedded-grammar' ? 'closed' : 'open',
    recognises: () => true,
    recognise: (samples, { language, hints, digits }) =>
      new Promise((resolve, reject) => {
        const request = { callId: 'selftest', language, hints, digits, endSilenceMs, partials: false }
        const hearing = ear.listen(request, (heard) => {
          if (heard.type === 'recogniser-error') reject(new SpeechError('engine-failed', heard.reason))
          if (heard.type !== 'speech-final') return
          hearing.stop()
          resolve({ text: heard.text })
        })
        for (let at = 0; at < samples.length; at += frame) hearing.audio(samples.subarray(at, at + frame))
        hearing.finish()
      }),
    close: async () => undefined,
  }
}

/** The part of the values that is below; NaN for none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Milliseconds to the first sound of sentences that are new, and of the same ones again. */
export async function firstAudio(engine: Synthesiser): Promise<{ fresh: number[]; cached: number[] }> {
  const speaker = new Speaker({ engines: [engine], language: 'en-US', cache: new PhraseCache(32 << 20, null), log })
  const fresh: number[] = []
  const cached: number[] = []
  for (let n = 0; n < 10; n += 1) {
    const text = `Your appointment is with Doctor Lee in room ${randomInt(10, 99)}${n}. Please arrive ten minutes early, and bring your card.`
    for (const times of [fresh, cached]) {
      const began = performance.now()
      const utterance = speaker.prepare({ text, callId: `selftest ${n}`, sensitive: true })
      await utterance.parts[0]
      times.push(performance.now() - began)
      await utterance.late
    }
  }
  return { fresh, cached }
}

/** How late a tick of 20 ms comes while `work` goes on. */
export async function tickLateness(work: (over: AbortSignal) => Promise<void>, ms: number): Promise<number[]> {
  const lateness: number[] = []
  const over = new AbortController()
  const working = work(over.signal)
  const began = performance.now()
  for (let n = 1; n * 20 < ms; n += 1) {
    const due = began + n * 20
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.floor(due - performance.now()))))
    while (performance.now() < due) await new Promise((resolve) => setImmediate(resolve))
    lateness.push(performance.now() - due)
  }
  over.abort()
  await working
  return lateness
}

/** Silences, hisses, hums and clicks in which nobody says a word. */
export function* noises(count: number): Generator<Int16Array> {
  for (let n = 0; n < count; n += 1) {
    const samples = new Int16Array(8000 * (1 + (n % 4)))
    const loudness = 10 ** (-(20 + (n % 5) * 8) / 20) * 32_768
    const kind = n % 4
    let low = 0
    for (let at = 0; at < samples.length; at += 1) {
      const white = (Math.random() * 2 - 1) * loudness
      low += 0.1 * (white - low)
      if (kind === 1) samples[at] = white
      else if (kind === 2) samples[at] = low * 3
      else if (kind === 3) samples[at] = at % 2400 < 8 ? loudness : Math.sin((2 * Math.PI * 60 * at) / 8000) * loudness * 0.3
    }
    yield samples
  }
}
