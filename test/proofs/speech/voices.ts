/**
 * The voices on the sentences of a clinic: when the first audio is there, the share of real time the whole takes, and how
 * well a recogniser understands it after the telephone's µ-law. Every voice gets the same text, with its numbers in words.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { level } from '../../../daemon/speech/loudness.ts'
import { catalogue } from '../../../daemon/speech/models/catalogue.ts'
import { importModels, modelPlaces, readModels } from '../../../daemon/speech/models/models.ts'
import { splitSentences } from '../../../daemon/speech/sentences.ts'
import { normalise } from '../../../daemon/speech/speaker.ts'
import { toTelephoneRate } from '../../../drivers/resample.ts'
import { createEspeak, createFlite } from '../../../drivers/speech-embedded/engines.ts'
import { loadSherpa } from '../../../drivers/speech-sherpa/load.ts'
import { createPiperVoice } from '../../../drivers/speech-sherpa/voice.ts'
import type { Synthesiser } from '../../../drivers/speech.ts'
import { wavBytes } from '../../../drivers/wav.ts'
import { finish, trial } from '../../../scripts/cli/models/models.ts'
import { overLine } from '../../../scripts/cli/selftest/corpus.ts'
import { spread } from '../bench/measure.ts'
import { clinicSentences } from './clinic-sentences.ts'
import { judge } from './figures.ts'
import { heardFolder, resultsOf } from './hear.ts'
import { cache, joeFolder, kokoroFolder, python, run, whisperSource } from './weights/install.ts'

/** A recording of each sentence by each voice. */
const voicesFolder = join(cache, 'voices')
const timesFile = join(voicesFolder, 'times.jsonl')

interface Times {
  readonly file: string
  readonly firstMs: number
  readonly allMs: number
  readonly audioMs: number
}

/** From its folder, as `pbx models import` does it: found by its hashes. */
async function piperJoe(): Promise<Synthesiser> {
  const directory = join(cache, 'models/joe')
  const places = modelPlaces(directory)
  const installed = () => readModels(places).find(({ entry }) => entry.id === 'piper-joe-medium')?.files ?? null
  if (installed() === null) {
    mkdirSync(directory, { recursive: true })
    await importModels(joeFolder, catalogue(), { places, finish, trial })
  }
  return createPiperVoice(installed()!)
}

/** By the engine itself: the product has no kind of model for it. */
async function kokoro(): Promise<Synthesiser> {
  const file = (name: string): string => join(kokoroFolder, name)
  const dataDir = ['/usr/lib/x86_64-linux-gnu/espeak-ng-data', '/usr/share/espeak-ng-data'].find((folder) => existsSync(folder)) ?? ''
  const model = { model: file('model.int8.onnx'), voices: file('voices.bin'), tokens: file('tokens.txt'), dataDir, lengthScale: 1 }
  const engine = await loadSherpa().OfflineTts.createAsync({
    model: { kokoro: model, numThreads: 1, provider: 'cpu', debug: 0 },
    maxNumSentences: 1,
  })
  return {
    id: 'kokoro',
    slow: true,
    check: async () => ({ ok: true, reason: '' }),
    speaks: () => true,
    voices: () => [],
    synthesise: async ({ text }) => {
      const request = { text, sid: 0, speed: 1, enableExternalBuffer: false, onProgress: () => 1 }
      const { samples, sampleRate } = await engine.generateAsync(request)
      const pcm = Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))))
      return toTelephoneRate(pcm, sampleRate)
    },
  }
}

const makers: Readonly<Record<string, () => Promise<Synthesiser>>> = {
  flite: async () => createFlite(),
  'espeak-ng': async () => createEspeak(),
  'piper-joe-medium': piperJoe,
  'kokoro-int8': kokoro,
}

const times = (): Times[] =>
  existsSync(timesFile)
    ? readFileSync(timesFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Times)
    : []

/** Speaks what is not there yet, for so many seconds, and has it recognised; false when more is to be done. */
export async function measureVoices(seconds: number, said: (text: string) => void): Promise<boolean> {
  const ends = performance.now() + seconds * 1000
  for (const [name, make] of Object.entries(makers)) {
    const folder = join(voicesFolder, name)
    mkdirSync(folder, { recursive: true })
    const left = clinicSentences.flatMap((text, number) => (existsSync(join(folder, fileOf(number))) ? [] : [{ text, number }]))
    if (left.length === 0) continue
    const voice = await make()
    await voice.synthesise({ text: 'Warm.', language: 'en-US', voice: '', rate: 1 })
    for (const { text, number } of left) {
      if (performance.now() > ends) return false
      const began = performance.now()
      let firstMs = 0
      const parts: Int16Array[] = []
      for (const piece of splitSentences(normalise(text, 'en-US'), voice.slow === true)) {
        parts.push(level(await voice.synthesise({ text: piece.text, language: 'en-US', voice: '', rate: 1 })))
        firstMs ||= performance.now() - began
        parts.push(new Int16Array(piece.pauseMs * 8))
      }
      const allMs = performance.now() - began
      const samples = Int16Array.from([new Int16Array(2000), ...parts, new Int16Array(4000)].flatMap((part) => [...part]))
      const over = overLine({ text, kind: 'free', voice: name, samples }, 'quiet', 0, number + 1)
      writeFileSync(join(folder, fileOf(number)), wavBytes(over.samples))
      const audioMs = (samples.length - 6000) / 8
      appendFileSync(timesFile, `${JSON.stringify({ file: `${name}/${fileOf(number)}`, firstMs, allMs, audioMs })}\n`)
    }
    said(`${name}: done`)
  }
  const left = Math.max(1, Math.round((ends - performance.now()) / 1000))
  const script = join(import.meta.dirname, 'weights/others.py')
  mkdirSync(heardFolder, { recursive: true })
  const printed = run(python, [script, 'whisper', voicesFolder, '*/*.wav', join(heardFolder, 'voices.jsonl'), String(left), whisperSource])
  return !printed.includes('more is to be done')
}

const fileOf = (number: number): string => `${String(number).padStart(2, '0')}.wav`

export function voiceTable(): string {
  const rows = [
    '| voice | sentences | first audio p50 / p95 ms | share of real time | word errors % | all words right |',
    `|${' --- |'.repeat(6)}`,
  ]
  const heard = new Map(resultsOf('voices').map(({ file, text }) => [file, text]))
  for (const name of Object.keys(makers)) {
    const own = times().filter(({ file }) => file.startsWith(`${name}/`))
    if (own.length === 0) continue
    const first = spread(own.map(({ firstMs }) => firstMs))
    const sum = (of: (one: Times) => number): number => own.reduce((total, one) => total + of(one), 0)
    const judged = clinicSentences.flatMap((text, number) => {
      const result = heard.get(`${name}/${fileOf(number)}`)
      return result === undefined ? [] : [judgeSpoken(text, result)]
    })
    const words = judged.reduce((total, one) => total + one.words, 0)
    const wrong = judged.reduce((total, one) => total + one.wrongWords, 0)
    rows.push(
      `| ${name} | ${own.length} | ${first.p50.toFixed(0)} / ${first.p95.toFixed(0)} | ${(sum((one) => one.allMs) / sum((one) => one.audioMs)).toFixed(2)} | ${judged.length === 0 ? '-' : ((100 * wrong) / words).toFixed(1)} | ${judged.filter((one) => one.right).length} of ${judged.length} |`,
    )
  }
  return `${rows.join('\n')}\n`
}

/** Against the written text and against its words: a recogniser writes numbers either way. */
function judgeSpoken(text: string, heard: string): ReturnType<typeof judge> {
  const both = [text, normalise(text, 'en-US')].map((written) => judge({ task: 'sentence', text: written }, heard))
  return both.toSorted((a, b) => a.wrongWords - b.wrongWords)[0]!
}
