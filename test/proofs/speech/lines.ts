/** The recordings as they arrive over a line: quiet, with noise, from a mobile telephone; and what a line carries when nobody speaks. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readWav, wavBytes } from '../../../drivers/wav.ts'
import { overLine, Random, type Utterance } from '../../../scripts/cli/selftest/corpus.ts'
import { noisesFolder, peopleFolder, type Task } from './people.ts'
import { sounds } from './sounds.ts'
import { cache, python, run } from './weights/install.ts'

export const linesFolder = join(cache, 'lines')
export const nothingFolder = join(cache, 'nothing')
export const lineNames = ['clean', 'white 20 dB', 'white 10 dB', 'mobile'] as const

export interface Spoken {
  readonly file: string
  readonly text: string
  readonly task: Task
}

export function spoken(): Spoken[] {
  const lines = readFileSync(join(peopleFolder, 'transcripts.tsv'), 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [file = '', text = '', task = ''] = line.split('\t')
    return { file, text, task: task as Task }
  })
}

export const samplesOf = (path: string): Int16Array => readWav(readFileSync(path)).samples

/** The silence around the words that an endpoint detector leaves. */
const leadSamples = 2000
const trailSamples = 4000

/** Writes a folder for each line. */
export function makeLines(): void {
  for (const [number, { file, text }] of spoken().entries()) {
    const words = samplesOf(join(peopleFolder, file))
    const samples = new Int16Array(leadSamples + words.length + trailSamples)
    samples.set(words, leadSamples)
    const utterance: Utterance = { text, kind: 'free', voice: 'recorded', samples }
    for (const [at, line] of lineNames.slice(0, 3).entries()) {
      const folder = join(linesFolder, line)
      mkdirSync(folder, { recursive: true })
      const over = overLine(utterance, at === 0 ? 'quiet' : 'white', 30 - 10 * at, number * 10 + at)
      writeFileSync(join(folder, file), wavBytes(over.samples))
    }
  }
  run(python, [join(import.meta.dirname, 'weights/gsm.py'), join(linesFolder, 'clean'), join(linesFolder, 'mobile')])
}

const ofSounds = 200
const ofNoises = 100
const rate = 8000

/** 200 stretches of 2 to 5 s of the sounds of a line and 100 of recorded noises, of each about the same number. */
export function makeNothing(): string[] {
  mkdirSync(nothingFolder, { recursive: true })
  const made = [...sounds(60)]
  const recorded = readdirSync(noisesFolder)
    .toSorted()
    .map((file): [string, Int16Array] => [file, samplesOf(join(noisesFolder, file))])
  return Array.from({ length: ofSounds + ofNoises }, (_, number) => {
    const [name, wave] = number < ofSounds ? made[number % made.length]! : recorded[number % recorded.length]!
    const file = `${String(number).padStart(3, '0')}-${name.replace(/[^a-z0-9]+/gi, '-')}.wav`
    if (existsSync(join(nothingFolder, file))) return file
    const random = new Random(number + 1)
    const length = rate * (2 + random.integer(4))
    const from = random.integer(Math.max(1, wave.length - length))
    const samples = Int16Array.from(wave.subarray(from, from + length), (sample) => Math.max(-32_768, Math.min(32_767, sample)))
    const { samples: over } = overLine({ text: '', kind: 'free', voice: '', samples }, 'quiet', 0, number + 1)
    writeFileSync(join(nothingFolder, file), wavBytes(over))
    return file
  })
}
