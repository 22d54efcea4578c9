/**
 * How much a recogniser understands: utterances by kind, voice and line, each asked with what an application would expect.
 * For a closed recogniser free speech and words of no grammar are right when not taken for something; an open one must
 * write them down.
 */
import type { Expectation, Recogniser } from '../../../drivers/speech.ts'
import { saidAs } from '../../../drivers/speech-grammar/spelling.ts'
import { overLine, readFixtures, speak, voices, type Noise, type Utterance, type Voice } from './corpus.ts'
import { departments, digitStrings, digitWords, freeSentences, menuWords, otherWords, yesNo, type Kind } from './phrases.ts'

export interface Line {
  readonly noise: Noise
  readonly snrDb: number
}

export const lines: readonly Line[] = [
  { noise: 'quiet', snrDb: 0 },
  { noise: 'white', snrDb: 20 },
  { noise: 'white', snrDb: 10 },
  { noise: 'car', snrDb: 10 },
]

export interface AccuracyRow {
  readonly kind: Kind
  readonly voice: string
  /** Such as `quiet` or `white 20 dB`; `recorded` for fixtures. */
  readonly line: string
  readonly asked: number
  readonly right: number
  /** Taken for something else. */
  readonly wrong: number
  /** Given as nothing. */
  readonly nothing: number
  /** Words that were said, and how many of them were lost, added or taken for others. */
  readonly words: number
  readonly wordErrors: number
  /** Time of each decode, in order. */
  readonly milliseconds: readonly number[]
  /** What was said and what was understood, where that was not right. */
  readonly mistakes: readonly { readonly said: string; readonly understood: string }[]
}

export interface AccuracyOptions {
  readonly voices?: readonly Voice[]
  readonly lines?: readonly Line[]
  /** Recordings instead of synthesis: a folder of WAV files and `transcripts.tsv`. */
  readonly fixtures?: string
  /** At most so many phrases of each kind, spread evenly; of a kind that is not named none. Without it all. */
  readonly most?: Readonly<Partial<Record<Kind, number>>>
  /** Of the noisy lines each so-manieth utterance is taken. */
  readonly noisyStep?: number
  readonly signal?: AbortSignal
  readonly onRow?: (row: AccuracyRow) => void
}

const phrases: Readonly<Record<Kind, readonly string[]>> = {
  digit: digitWords,
  digits: Object.values(digitStrings).flat(),
  'yes-no': yesNo,
  command: departments,
  menu: menuWords,
  free: freeSentences,
  word: otherWords,
}
const nothingNamed = { hints: [], digits: null }
/** What fits no grammar comes whatever was asked. */
const questions = (digits: number): readonly Omit<Expectation, 'language'>[] => [
  nothingNamed,
  { hints: departments, digits: null },
  { hints: [], digits },
  { hints: yesNo, digits: null },
]
const anyQuestion: Readonly<Record<'free' | 'word', readonly Omit<Expectation, 'language'>[]>> = { free: questions(4), word: questions(1) }

/** Rows by voice, line and kind, in that order. Throws SpeechError, and the signal's reason. */
export async function measureAccuracy(recogniser: Recogniser, options: AccuracyOptions = {}): Promise<AccuracyRow[]> {
  const rows: AccuracyRow[] = []
  const take = async (utterances: readonly Utterance[], line: string): Promise<void> => {
    for (const kind of new Set(utterances.map((utterance) => utterance.kind))) {
      const row = await measureRow(
        recogniser,
        utterances.filter((utterance) => utterance.kind === kind),
        line,
        options.signal,
      )
      rows.push(row)
      options.onRow?.(row)
    }
  }
  if (options.fixtures !== undefined) {
    await take(await readFixtures(options.fixtures), 'recorded')
    return rows
  }
  let seed = 0
  for (const voice of options.voices ?? voices) {
    const spoken: Utterance[] = []
    for (const [kind, list] of Object.entries(phrases) as [Kind, readonly string[]][]) {
      for (const text of some(list, options.most === undefined ? list.length : (options.most[kind] ?? 0)))
        spoken.push(await speak(text, kind, voice))
    }
    for (const line of options.lines ?? lines) {
      const step = line.noise === 'quiet' ? 1 : (options.noisyStep ?? 6)
      const chosen = spoken.filter((_, at) => at % step === 0)
      await take(
        chosen.map((utterance) => overLine(utterance, line.noise, line.snrDb, (seed += 1))),
        line.noise === 'quiet' ? 'quiet' : `${line.noise} ${line.snrDb} dB`,
      )
    }
  }
  return rows
}

function some(phrases: readonly string[], most: number): readonly string[] {
  return phrases.filter((_, at) => Math.floor((at * most) / phrases.length) !== Math.floor(((at - 1) * most) / phrases.length))
}

async function measureRow(
  recogniser: Recogniser,
  utterances: readonly Utterance[],
  line: string,
  signal?: AbortSignal,
): Promise<AccuracyRow> {
  const milliseconds: number[] = []
  const mistakes: { said: string; understood: string }[] = []
  const closed = recogniser.vocabulary === 'closed'
  let words = 0
  let lost = 0
  for (const [at, utterance] of utterances.entries()) {
    signal?.throwIfAborted()
    const began = performance.now()
    const request = { language: 'en-US', ...expectationFor(utterance, at), ...(signal === undefined ? {} : { signal }) }
    const { text } = await recogniser.recognise(utterance.samples, request)
    milliseconds.push(performance.now() - began)
    const right = closed && isForeign(utterance.kind) ? text === '' : same(text, utterance.text)
    if (!right) mistakes.push({ said: utterance.text, understood: text })
    const said = saidAs(utterance.text)[0] ?? []
    words += said.length
    lost += right ? 0 : wordErrors(said, saidAs(text)[0] ?? [])
  }
  const nothing = mistakes.filter(({ understood }) => understood === '').length
  const { kind, voice } = utterances[0]!
  const asked = utterances.length
  const right = asked - mistakes.length
  return { kind, voice, line, asked, right, wrong: mistakes.length - nothing, nothing, words, wordErrors: lost, milliseconds, mistakes }
}

function expectationFor({ kind, text }: Utterance, at: number): Omit<Expectation, 'language'> {
  if (kind === 'digit' || kind === 'digits') return { hints: [], digits: (saidAs(text)[0] ?? []).length }
  if (kind === 'yes-no') return { hints: yesNo, digits: null }
  if (kind === 'command') return { hints: departments.includes(text as never) ? departments : [...departments, text], digits: null }
  return isForeign(kind) ? anyQuestion[kind][at % anyQuestion[kind].length]! : nothingNamed
}

/** Whether it fits no grammar. */
function isForeign(kind: Kind): kind is 'free' | 'word' {
  return kind === 'free' || kind === 'word'
}

/** Substitutions, insertions and deletions that make one list of words the other. */
export function wordErrors(said: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, at) => at)
  for (const [number, word] of said.entries()) {
    const next = [number + 1]
    for (const [at, other] of heard.entries()) {
      next.push(Math.min(row[at]! + (word === other ? 0 : 1), row[at + 1]! + 1, next[at]! + 1))
    }
    row = next
  }
  return row[heard.length]!
}

/** Without regard to case, punctuation, and whether numbers are written as words. */
function same(a: string, b: string): boolean {
  const ways = new Set(saidAs(a).map((words) => words.join(' ')))
  return saidAs(b).some((words) => ways.has(words.join(' ')))
}

/** A table of the share that was right: a line for each kind and line of the telephone, a column for each voice. */
export function accuracyTable(rows: readonly AccuracyRow[]): string {
  const names = [...new Set(rows.map((row) => row.voice))]
  const percent = (some: readonly AccuracyRow[]): string => {
    const asked = some.reduce((sum, row) => sum + row.asked, 0)
    return asked === 0 ? '-' : `${((100 * some.reduce((sum, row) => sum + row.right, 0)) / asked).toFixed(0)} %`
  }
  const out = [['', '', ...names, 'all', 'wrong', 'nothing']]
  for (const line of new Set(rows.map((row) => row.line))) {
    for (const kind of new Set(rows.map((row) => row.kind))) {
      const some = rows.filter((row) => row.kind === kind && row.line === line)
      const sum = (key: 'wrong' | 'nothing'): string => String(some.reduce((total, row) => total + row[key], 0))
      out.push([
        line,
        kind,
        ...names.map((name) => percent(some.filter((row) => row.voice === name))),
        percent(some),
        sum('wrong'),
        sum('nothing'),
      ])
    }
  }
  const widths = out[0]!.map((_, column) => Math.max(...out.map((cells) => cells[column]!.length)))
  const table = out.map((cells) => cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
  const times = rows.flatMap((row) => row.milliseconds).toSorted((a, b) => a - b)
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(0)
  return `${table.join('\n')}\n\n${times.length} utterances; decoding took ${at(0.5)} ms (middle), ${at(0.95)} ms (95 of 100)\n`
}
