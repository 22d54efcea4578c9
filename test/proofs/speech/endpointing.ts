/**
 * How well the beginnings and ends of speech are found: the product's own endpoint machine, fed by each detector, on
 * utterances of known beginning and end, and on sounds that are no speech.
 */
import { Endpoint, type EndpointEvent } from '../../../daemon/speech/worker/endpoint.ts'
import { frameMs, frameSamples, levelOf } from '../../../daemon/speech/worker/level.ts'
import type { EndpointDetectors } from '../../../drivers/speech.ts'
import { spread } from '../bench/measure.ts'
import { overLine, speak, voices, type Noise, type Utterance } from '../../../scripts/cli/selftest/corpus.ts'
import { departments, digitStrings, freeSentences, menuWords, yesNo, type Kind } from '../../../scripts/cli/selftest/phrases.ts'
import { sounds } from './sounds.ts'

const lines: readonly { readonly name: string; readonly noise: Noise; readonly snrDb: number }[] = [
  { name: 'quiet', noise: 'quiet', snrDb: 0 },
  { name: 'white 20 dB', noise: 'white', snrDb: 20 },
  { name: 'white 10 dB', noise: 'white', snrDb: 10 },
  { name: 'car 10 dB', noise: 'car', snrDb: 10 },
  { name: 'car 5 dB', noise: 'car', snrDb: 5 },
]
const endSilences = [500, 800]
const leadMs = 1000
const tailMs = 2500
/** A frame of 10 ms above it belongs to the words. */
const wordDb = -40
const soundSeconds = 60

interface Known extends Utterance {
  readonly startMs: number
  readonly endMs: number
}

/** What became of one utterance. */
interface Outcome {
  readonly missed: boolean
  /** Ends while there were words to come. */
  readonly split: number
  readonly endless: boolean
  /** Voice that was reported before there was any, or after the end. */
  readonly falseOnsets: number
  readonly onsetMs: number
  readonly endMs: number
}

/** At least 120 utterances in five voices. */
async function corpus(): Promise<Known[]> {
  const texts: [string, Kind][] = [
    ...yesNo.slice(0, 4).map((text) => [text, 'yes-no'] as [string, Kind]),
    ...departments.slice(0, 8).map((text) => [text, 'command'] as [string, Kind]),
    ...menuWords.slice(0, 5).map((text) => [text, 'menu'] as [string, Kind]),
    ...[digitStrings[4]!, digitStrings[10]!].flatMap((list) => list.slice(0, 3).map((text) => [text, 'digits'] as [string, Kind])),
    ...freeSentences.slice(0, 7).map((text) => [text, 'free'] as [string, Kind]),
  ]
  const known: Known[] = []
  for (const voice of voices) {
    for (const [text, kind] of texts) {
      const { samples } = await speak(text, kind, voice)
      const bounds = wordsIn(samples)
      if (bounds === null) throw new Error(`${voice} said nothing for "${text}"`)
      const clip = samples.slice(bounds.from, bounds.to)
      const whole = new Int16Array(leadMs * 8 + clip.length + tailMs * 8)
      whole.set(clip, leadMs * 8)
      known.push({ text, kind, voice, samples: whole, startMs: leadMs, endMs: leadMs + clip.length / 8 })
    }
  }
  return known
}

function wordsIn(samples: Int16Array): { from: number; to: number } | null {
  let from = -1
  let to = -1
  for (let at = 0; at + 80 <= samples.length; at += 80) {
    if (levelOf(samples.subarray(at, at + 80)) < wordDb) continue
    if (from < 0) from = at
    to = at + 80
  }
  return from < 0 ? null : { from, to }
}

interface Heard {
  readonly voiced: boolean[]
  readonly levels: number[]
}

/** The detector's verdict on each frame. */
function listen(detectors: EndpointDetectors, samples: Int16Array): Heard {
  const detector = detectors.take()
  const voiced: boolean[] = []
  const levels: number[] = []
  for (let at = 0; at + frameSamples <= samples.length; at += frameSamples) {
    const frame = samples.subarray(at, at + frameSamples)
    voiced.push(detector.push(frame))
    levels.push(levelOf(frame))
  }
  detectors.give(detector)
  return { voiced, levels }
}

function follow(detectors: EndpointDetectors, { voiced, levels }: Heard, endSilenceMs: number): EndpointEvent[] {
  const { onsetDelayMs, releaseDelayMs } = detectors
  const endpoint = new Endpoint({ endSilenceMs, onsetDelayMs, releaseDelayMs })
  return voiced.flatMap((verdict, at) => endpoint.push(verdict, levels[at]!))
}

function judge(events: readonly EndpointEvent[], { startMs, endMs }: Known): Outcome {
  const onsets = events.filter(({ type }) => type === 'onset').map(({ atMs }) => atMs)
  const ends = events.filter(({ type }) => type === 'end').map(({ atMs }) => atMs)
  const inSpeech = onsets.filter((at) => at >= startMs && at <= endMs + 300)
  const last = ends.find((at) => at >= endMs)
  return {
    missed: inSpeech.length === 0,
    split: ends.filter((at) => at > startMs && at < endMs).length,
    endless: inSpeech.length > 0 && last === undefined,
    falseOnsets: onsets.length - inSpeech.length,
    onsetMs: (inSpeech[0] ?? Number.NaN) - startMs,
    endMs: (last ?? Number.NaN) - endMs,
  }
}

const seconds = (ms: number): string => (Number.isNaN(ms) ? '-' : (ms / 1000).toFixed(2))

function markdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}

function delays(values: readonly number[]): string {
  const known = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b)
  return `${seconds(spread(known).p50)} / ${seconds(known[Math.ceil(known.length * 0.9) - 1] ?? Number.NaN)}`
}

/** Two tables in Markdown. */
export async function measureEndpointing(all: readonly EndpointDetectors[], said: (text: string) => void): Promise<string> {
  const utterances = await corpus()
  const rows: (string | number)[][] = []
  for (const detectors of all) {
    for (const [number, { name, noise, snrDb }] of lines.entries()) {
      const heard = utterances.map((utterance, at) => listen(detectors, overLine(utterance, noise, snrDb, number * 1000 + at + 1).samples))
      for (const endSilenceMs of endSilences) {
        const outcomes = heard.map((one, at) => judge(follow(detectors, one, endSilenceMs), utterances[at]!))
        const count = (of: (outcome: Outcome) => number | boolean): number => outcomes.reduce((sum, one) => sum + Number(of(one)), 0)
        rows.push([
          detectors.id,
          name,
          seconds(endSilenceMs),
          count((one) => one.missed),
          count((one) => one.split > 0),
          count((one) => one.endless),
          count((one) => one.falseOnsets),
          delays(outcomes.map((one) => one.onsetMs)),
          delays(outcomes.map((one) => one.endMs)),
        ])
      }
      said(`${detectors.id}, ${name}: done`)
    }
  }
  const head = ['detector', 'line', 'endSilence', 'missed', 'ended too early', 'never ended', 'false onsets']
  const speech = markdown([...head, 'onset p50 / p90 s', 'end p50 / p90 s'], rows)
  const quiet = [...sounds(soundSeconds)].map(([name, wave]) => {
    const { samples } = overLine({ text: '', kind: 'free', voice: '', samples: Int16Array.from(wave, clip) }, 'quiet', 0, 1)
    return [
      name,
      ...all.flatMap((detectors) => {
        const heard = listen(detectors, samples)
        const events = follow(detectors, heard, 800)
        const times = (type: EndpointEvent['type']): string =>
          ((events.filter((e) => e.type === type).length * 60) / soundSeconds).toFixed(0)
        const voiced = (heard.voiced.filter(Boolean).length * frameMs) / 10 / soundSeconds
        return [times('onset'), times('voice'), `${voiced.toFixed(0)} %`]
      }),
    ]
  })
  const columns = all.flatMap(({ id }) => [`${id}: onsets`, 'voice', 'taken for voice'])
  return `${utterances.length} utterances on each line\n\n${speech}\nA minute of what is no speech (endSilence 0.80)\n\n${markdown(['sound', ...columns], quiet)}`
}

const clip = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)))
