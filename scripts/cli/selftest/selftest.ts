/** pbx speech selftest: what recognition and voice reach on this machine, against what a caller needs. */
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
import { bold, dim, green, print, printJson, red, table } from '../output.ts'
import { firstAudio, noises, percentile, startSpeech, tickLateness, type SpeechUnderTest } from './processes.ts'
import { modelsFolder } from '../models/models.ts'

interface Options {
  fixtures?: string
  model?: string[]
}

interface Result {
  readonly engine: string
  readonly name: string
  readonly target: string
  readonly measured: string
  readonly pass: boolean
}

const embedded = 'embedded-grammar'

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
      await test(tested, fixtures, found, stop.signal)
    } finally {
      await tested.close()
    }
  }
  const pass = results.length > 0 && results.every((result) => result.pass)
  if (json) printJson({ pass, detector: detector.kind, results })
  else
    print(
      `\n${table(
        ['engine', 'what', 'target', 'measured', 'pass'],
        results.map((r) => [r.engine, r.name, r.target, r.measured, r.pass ? 'yes' : 'NO']),
      )}\n${bold(pass ? 'all targets are met' : 'not every target is met')}`,
    )
  return pass ? exitCode.done : exitCode.failed
}

const noModels =
  'No speech model is installed, so the built-in recogniser is tested. It knows closed grammars only; the targets are those for models.'

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
  fixtures: string | undefined,
  found: (result: Result) => void,
  signal: AbortSignal,
): Promise<void> {
  const { recogniser } = tested
  const engine = recogniser.id
  const share = (name: string, rows: readonly AccuracyRow[], kinds: readonly string[], least: number): void => {
    const some = rows.filter(({ kind }) => kinds.includes(kind))
    const asked = some.reduce((sum, row) => sum + row.asked, 0)
    const right = some.reduce((sum, row) => sum + row.right, 0)
    if (asked > 0)
      found({
        engine,
        name,
        target: `>= ${least} %`,
        measured: `${Math.round((100 * right) / asked)} % of ${asked}`,
        pass: right >= (asked * least) / 100,
      })
  }
  const quiet = await measureAccuracy(recogniser, {
    voices: ['slt', 'rms'],
    lines: [{ noise: 'quiet', snrDb: 0 }],
    signal,
    onRow: tell,
    ...(fixtures === undefined ? {} : { fixtures }),
  })
  share('digits exact', quiet, ['digit', 'digits'], 90)
  share('commands exact', quiet, ['yes-no', 'command', 'menu'], 90)
  if (fixtures === undefined) {
    const noisy = await measureAccuracy(recogniser, { voices: ['slt', 'rms'], lines: [{ noise: 'white', snrDb: 20 }], signal, onRow: tell })
    share('digits and commands, noise at 20 dB', noisy, ['digit', 'digits', 'yes-no', 'command', 'menu'], 80)
  }
  await decodes(recogniser, found)
  const late = await tickLateness((over) => busy(recogniser, over), 10_000)
  found(atMost(engine, '20 ms tick while two transcribe, p99', percentile(late, 0.99), 5))
  const expectation = { language: 'en-US', hints: ['appointments', 'billing'], digits: null }
  let spoke = 0
  for (const samples of noises(100)) if ((await recogniser.recognise(samples, expectation)).text !== '') spoke += 1
  found({ engine, name: 'noises and silences taken for words', target: '0 of 100', measured: `${spoke} of 100`, pass: spoke === 0 })
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
async function decodes(recogniser: Recogniser, found: (result: Result) => void): Promise<void> {
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
  found(atMost(recogniser.id, 'decode of 2 s, p95', percentile(times, 0.95), 150))
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
