/**
 * pbx speech selftest: in about two minutes for each recogniser, whether what is installed does on this machine what
 * docs/figures/speech.md says of it.
 */
import { join } from 'node:path'
import { modelPlaces, readModels, type InstalledModel } from '../../../daemon/speech/models/models.ts'
import type { DetectorPlan, RecogniserPlan } from '../../../daemon/speech/process/protocol.ts'
import { createFlite } from '../../../drivers/speech-embedded/engines.ts'
import type { ModelFiles, Recogniser, Synthesiser } from '../../../drivers/speech.ts'
import { measureAccuracy, type AccuracyRow } from './accuracy.ts'
import { overLine, speak } from './corpus.ts'
import { becomeOwner } from '../../../daemon/base/owner.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { bold, bytes, dim, green, print, printJson, red, table } from '../output.ts'
import { firstAudio, noises, percentile, startSpeech, tickLateness, type SpeechUnderTest } from './processes.ts'
import { modelsFolder } from '../models/models.ts'

interface Options {
  fixtures?: string
  model?: string[]
}

export interface Result {
  readonly engine: string
  readonly name: string
  readonly target: string
  readonly measured: string
  readonly pass: boolean
}

const embedded = 'embedded-grammar'

/** What the figures promise of a kind of recogniser, for flite's voices slt and rms; a little less than was measured. */
interface Promised {
  /** Per cent understood word for word. */
  readonly digits: number
  readonly commands: number
  readonly noisy: number
  /** Of two seconds of speech. */
  readonly decodeMs: number
}
const promisedOf: Readonly<Record<string, Promised>> = {
  [embedded]: { digits: 80, commands: 85, noisy: 40, decodeMs: 300 },
  'nemo-ctc': { digits: 90, commands: 90, noisy: 80, decodeMs: 150 },
  whisper: { digits: 80, commands: 85, noisy: 60, decodeMs: 1200 },
  moonshine: { digits: 80, commands: 85, noisy: 60, decodeMs: 300 },
}
/** Per cent of the words of a sentence. */
const mostWrongWords = 10
/** `speech.callMegabytes`, where nobody has changed it: a process that takes more is ended. */
const mostBytes = 1300 * 1024 ** 2
/** So many phrases of each kind in each voice, so that it ends within two minutes. */
const phrasesOf = { digit: 10, digits: 9, 'yes-no': 4, command: 8, menu: 6, free: 8 } as const
const stretchesWithoutSpeech = 40

export async function selftest({ json, choice }: Context, { fixtures, model }: Options): Promise<number> {
  const { directory } = modelPlaces(modelsFolder(choice.config))
  // Models are read as their owner: they may be made to take over who reads them.
  becomeOwner(directory, { make: false })
  const installed = readModels(modelPlaces(directory)).filter(({ state }) => state === 'installed')
  const recognisers = chosen(installed, model)
  const voices = installed.filter(
    ({ entry, files }) => files !== null && entry.roles.includes('voice') && (model?.includes(entry.id) ?? true),
  )
  const detector = detectorOf(installed)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const began = performance.now()
  const results: Result[] = []
  const found = (result: Result): void => {
    results.push(result)
    if (!json) print(`${result.pass ? green('pass') : red('fail')}  ${result.engine}: ${result.name}: ${result.measured}`)
  }
  if (!json && recognisers.every((plan) => plan === embedded)) print(dim(noModels))
  for (const recogniser of recognisers) {
    const files = voices.flatMap((voice) => voice.files ?? [])
    const tested = await begin(recogniser, detector, files, found, stop.signal)
    if (tested === null) continue
    try {
      if (recogniser === recognisers[0]) await hear([...tested.voices, createFlite()], found)
      await test(tested, promisedOf[typeof recogniser === 'string' ? recogniser : recogniser.kind]!, fixtures, found, stop.signal)
    } finally {
      await tested.close()
    }
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  const engines = verdicts(results)
  const pass = engines.length > 0 && engines.every((engine) => engine.pass)
  if (json) printJson({ pass, seconds, detector: detector.kind, engines, results })
  else
    print(
      `\n${table(
        ['engine', 'what', 'target', 'measured', 'pass'],
        results.map((r) => [r.engine, r.name, r.target, r.measured, r.pass ? 'yes' : 'NO']),
      )}\n${engines.map(({ verdict }) => bold(verdict)).join('\n')}\n${dim(`in ${seconds} s, on what else this machine did meanwhile`)}`,
    )
  return pass ? exitCode.done : exitCode.failed
}

/** One sentence for each engine, in the order in which they were tested. */
export function verdicts(results: readonly Result[]): { engine: string; pass: boolean; verdict: string }[] {
  return [...new Set(results.map(({ engine }) => engine))].map((engine) => {
    const missed = results.filter((result) => result.engine === engine && !result.pass)
    const faults = missed.map(({ name, measured, target }) => `${name} ${measured} (${target})`).join('; ')
    const verdict = missed.length === 0 ? `${engine} does what its figures say` : `${engine} does not do what its figures say: ${faults}`
    return { engine, pass: missed.length === 0, verdict }
  })
}

const noModels =
  'No speech model is installed, so the built-in recogniser is tested. It knows closed grammars only, and the targets are its own.'

function chosen(installed: readonly InstalledModel[], ids: readonly string[] | undefined): RecogniserPlan[] {
  const all = installed.filter(({ entry, files }) => files !== null && (entry.roles.includes('call') || entry.roles.includes('recording')))
  const unknown = ids?.find((id) => id !== embedded && !installed.some(({ entry }) => entry.id === id))
  if (unknown !== undefined)
    throw new CommandError(`the model ${unknown} is not installed`, { fix: `pbx models install ${unknown}`, code: 'model-missing' })
  const files = all.flatMap(({ entry, files: known }): ModelFiles[] => (known !== null && (ids?.includes(entry.id) ?? true) ? [known] : []))
  return files.length > 0 && !ids?.includes(embedded) ? files : [...files, embedded]
}

function detectorOf(installed: readonly InstalledModel[]): DetectorPlan {
  const files = installed.find(({ entry }) => entry.roles.includes('detector'))?.files
  const name = files === undefined || files === null ? undefined : Object.values(files.files)[0]
  return files && name !== undefined ? { kind: 'silero', file: join(files.directory, name) } : { kind: 'webrtc' }
}

async function begin(
  recogniser: RecogniserPlan,
  detector: DetectorPlan,
  voices: readonly ModelFiles[],
  found: (result: Result) => void,
  signal: AbortSignal,
): Promise<SpeechUnderTest | null> {
  try {
    return await startSpeech(recogniser, detector, voices, signal)
  } catch (error) {
    const engine = typeof recogniser === 'string' ? recogniser : recogniser.id
    found({ engine, name: 'loads', target: 'yes', measured: (error as Error).message, pass: false })
    return null
  }
}

async function test(
  tested: SpeechUnderTest,
  promised: Promised,
  fixtures: string | undefined,
  found: (result: Result) => void,
  signal: AbortSignal,
): Promise<void> {
  const { recogniser } = tested
  const engine = recogniser.id
  const flite = ['slt', 'rms'] as const
  const quiet = await measureAccuracy(recogniser, {
    voices: flite,
    lines: [{ noise: 'quiet', snrDb: 0 }],
    most: phrasesOf,
    signal,
    onRow: tell,
    ...(fixtures === undefined ? {} : { fixtures }),
  })
  share(engine, 'digits exact', quiet, ['digit', 'digits'], promised.digits, found)
  share(engine, 'yes, no, commands and menu words exact', quiet, ['yes-no', 'command', 'menu'], promised.commands, found)
  sentences(recogniser, quiet, found)
  if (fixtures === undefined) {
    const line = { noise: 'white', snrDb: 20 } as const
    const noisy = await measureAccuracy(recogniser, { voices: flite, lines: [line], most: phrasesOf, noisyStep: 4, signal, onRow: tell })
    const kinds = ['digit', 'digits', 'yes-no', 'command', 'menu']
    share(engine, 'digits and commands, noise at 20 dB', noisy, kinds, promised.noisy, found)
  }
  await decodes(recogniser, promised.decodeMs, found)
  const late = await tickLateness((over) => busy(recogniser, over), 10_000)
  found(atMost(engine, '20 ms tick while two transcribe, p99', percentile(late, 0.99), 5))
  const expectation = { language: 'en-US', hints: ['appointments', 'billing'], digits: null }
  let spoke = 0
  for (const samples of noises(stretchesWithoutSpeech)) if ((await recogniser.recognise(samples, expectation)).text !== '') spoke += 1
  const taken = 'noises and silences taken for words'
  found({
    engine,
    name: taken,
    target: `0 of ${stretchesWithoutSpeech}`,
    measured: `${spoke} of ${stretchesWithoutSpeech}`,
    pass: spoke === 0,
  })
  const used = tested.memoryBytes()
  if (used !== null)
    found({ engine, name: 'memory of the process', target: `<= ${bytes(mostBytes)}`, measured: bytes(used), pass: used <= mostBytes })
}

function share(
  engine: string,
  name: string,
  rows: readonly AccuracyRow[],
  kinds: readonly string[],
  least: number,
  found: (result: Result) => void,
): void {
  const some = rows.filter(({ kind }) => kinds.includes(kind))
  const asked = some.reduce((sum, row) => sum + row.asked, 0)
  const right = some.reduce((sum, row) => sum + row.right, 0)
  if (asked === 0) return
  const measured = `${Math.round((100 * right) / asked)} % of ${asked}`
  found({ engine, name, target: `>= ${least} %`, measured, pass: right >= (asked * least) / 100 })
}

/** An open recogniser writes them down; a closed one must leave them alone. */
function sentences({ id, vocabulary }: Recogniser, rows: readonly AccuracyRow[], found: (result: Result) => void): void {
  const free = rows.filter(({ kind }) => kind === 'free')
  if (free.length === 0) return
  if (vocabulary === 'closed') return share(id, 'sentences not taken for an answer', free, ['free'], 90, found)
  const words = free.reduce((sum, row) => sum + row.words, 0)
  const wrong = free.reduce((sum, row) => sum + row.wordErrors, 0)
  const part = (100 * wrong) / words
  const measured = `${part.toFixed(1)} % of ${words}`
  found({ engine: id, name: 'wrong words in sentences', target: `<= ${mostWrongWords} %`, measured, pass: part <= mostWrongWords })
}

function atMost(engine: string, name: string, value: number, most: number): Result {
  return { engine, name, target: `<= ${most} ms`, measured: `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`, pass: value <= most }
}

/** It takes minutes: where it is, on standard error. */
function tell(row: AccuracyRow): void {
  if (process.stderr.isTTY) process.stderr.write(`${dim(`      ${row.line}, ${row.voice}, ${row.kind}: ${row.right} of ${row.asked}`)}\n`)
}

const said = 'appointments please'
const asked = { language: 'en-US', hints: [said, 'billing'], digits: null }

async function hear(voices: readonly Synthesiser[], found: (result: Result) => void): Promise<void> {
  for (const voice of voices) {
    const { fresh, cached } = await firstAudio(voice)
    found(atMost(voice.id, 'first sound of a new text', percentile(fresh, 0.95), 400))
    found(atMost(voice.id, 'first sound of a cached text', percentile(cached, 0.95), 20))
  }
}

/** The time of an utterance of two seconds from its first frame to the text, so the detector's share is in it. */
async function decodes(recogniser: Recogniser, most: number, found: (result: Result) => void): Promise<void> {
  const { samples } = overLine(await speak(said, 'command', 'slt'), 'quiet', 0, 1)
  const two = new Int16Array(16_000)
  two.set(samples.subarray(0, two.length))
  const times: number[] = []
  for (let n = 0; n < 22; n += 1) {
    const began = performance.now()
    await recogniser.recognise(two, asked)
    // The first ones find nothing warm.
    if (n >= 2) times.push(performance.now() - began)
  }
  found(atMost(recogniser.id, 'decode of 2 s, p95', percentile(times, 0.95), most))
}

/** Two utterances of ten seconds at a time. */
async function busy(recogniser: Recogniser, over: AbortSignal): Promise<void> {
  const { samples } = await speak('I would like to know if my results are back', 'free', 'slt')
  const long = new Int16Array(80_000)
  for (let at = 0; at + samples.length <= long.length; at += samples.length) long.set(samples, at)
  const again = async (): Promise<void> => {
    while (!over.aborted) await recogniser.recognise(long, asked)
  }
  await Promise.all([again(), again()])
}
