/**
 * The recordings through the product's own recognisers. Results are kept a line each, so that a run can be cut into parts
 * of minutes: what is known is not heard again.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AnswerDecoder } from '../../../daemon/speech/worker/answer.ts'
import { Decoder, urgency } from '../../../daemon/speech/worker/decoder.ts'
import { UtteranceSession } from '../../../daemon/speech/worker/utterance.ts'
import { createGrammarRecogniser } from '../../../drivers/speech-grammar/recogniser.ts'
import { createSileroDetectors } from '../../../drivers/speech-sherpa/detector.ts'
import { createSherpaRecogniser } from '../../../drivers/speech-sherpa/recogniser.ts'
import type { Expectation, Recogniser } from '../../../drivers/speech.ts'
import { lineNames, linesFolder, makeNothing, nothingFolder, samplesOf, spoken, type Spoken } from './lines.ts'
import { menuOffered } from './people.ts'
import { cache } from './weights/install.ts'
import { installReal } from './weights/models.ts'

export const heardFolder = join(cache, 'heard')
const modelsFolder = join(cache, 'models')
export const recognisers = [
  'embedded-grammar',
  'whisper-base',
  'whisper-base and grammar',
  'whisper-base 32 bits',
  'whisper-tiny.en',
  'whisper-tiny.en and grammar',
] as const
export type RecogniserName = (typeof recognisers)[number]

export interface Result {
  /** Folder of the line and name of the file. */
  readonly file: string
  readonly text: string
  readonly ms: number
  /** Of those that have one. */
  readonly confidence?: number
}

export function resultsOf(name: string): Result[] {
  const file = join(heardFolder, `${name}.jsonl`)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result)
}

async function open(name: RecogniserName): Promise<Recogniser> {
  if (name === 'embedded-grammar') return createGrammarRecogniser()
  const [model = ''] = name.split(' ')
  if (name.endsWith('and grammar')) return together(await open(model as RecogniserName), await createGrammarRecogniser())
  const bits = name.endsWith('32 bits') ? 32 : 8
  const directory = join(modelsFolder, name.replaceAll(' ', '-'))
  return createSherpaRecogniser(await installReal(model === 'whisper-tiny.en' ? model : 'whisper-base', directory, bits))
}

/** As the speech process of calls asks them. */
function together(model: Recogniser, grammar: Recogniser): Recogniser {
  const [first, second] = [model, grammar].map((one) => new Decoder(one, () => () => undefined))
  const answers = new AnswerDecoder(first!, second!)
  return {
    id: model.id,
    vocabulary: 'open',
    recognises: (language) => model.recognises(language),
    recognise: (samples, request) => answers.decode(urgency.final, samples, request),
    close: async () => {
      await Promise.all([model.close(), grammar.close()])
    },
  }
}

function expectation({ task, text }: Spoken): Expectation {
  const asked = { language: 'en-US', hints: [], digits: null }
  if (task === 'yes-no') return { ...asked, hints: ['yes', 'no'] }
  if (task === 'menu') return { ...asked, hints: menuOffered }
  return task === 'digit' || task === 'birth' || task === 'telephone' ? { ...asked, digits: text.split(' ').length } : asked
}

/** Recognises what `name` has not heard yet, for so many seconds; false when more is to be done. */
export async function hear(name: RecogniserName, seconds: number): Promise<boolean> {
  mkdirSync(heardFolder, { recursive: true })
  const known = new Set(resultsOf(name).map(({ file }) => file))
  const left = lineNames.flatMap((line) =>
    spoken().flatMap((each) => (known.has(`${line}/${each.file}`) ? [] : [{ each, file: `${line}/${each.file}` }])),
  )
  if (left.length === 0) return true
  const recogniser = await open(name)
  const ends = performance.now() + seconds * 1000
  let done = 0
  for (const { each, file } of left) {
    if (performance.now() > ends) break
    const began = performance.now()
    const { text, confidence } = await recogniser.recognise(samplesOf(join(linesFolder, file)), expectation(each))
    keep(name, { file, text, ms: Math.round(performance.now() - began), ...(confidence === undefined ? {} : { confidence }) })
    done += 1
  }
  await recogniser.close()
  return done === left.length
}

function keep(name: string, result: Result): void {
  appendFileSync(join(heardFolder, `${name}.jsonl`), `${JSON.stringify(result)}\n`)
}

/** `nothing`: text that an application would get for the stretches without speech; and what the recogniser alone makes of them. */
export async function hearNothing(name: RecogniserName, silero: string, seconds: number): Promise<boolean> {
  mkdirSync(heardFolder, { recursive: true })
  const results = `${name} nothing`
  const known = new Set(resultsOf(results).map(({ file }) => file))
  const left = makeNothing().filter((file) => !known.has(`alone/${file}`))
  if (left.length === 0) return true
  const recogniser = await open(name)
  const decoder = new Decoder(recogniser, () => () => undefined)
  const detectors = createSileroDetectors(silero, { size: 1 })
  const ends = performance.now() + seconds * 1000
  let finished = 0
  for (const file of left) {
    if (performance.now() > ends) break
    const samples = samplesOf(join(nothingFolder, file))
    const detector = detectors.take()
    const { onsetDelayMs, releaseDelayMs } = detectors
    const finals: string[] = []
    const { promise: done, resolve } = Promise.withResolvers<void>()
    let finishing = false
    const session = new UtteranceSession({
      request: { language: 'en-US', hints: [], digits: null, endSilenceMs: 800, partials: false },
      detector,
      onsetDelayMs,
      releaseDelayMs,
      decoder,
      heard: (what) => {
        if (what.type === 'speech-final' && what.text !== '') finals.push(what.text)
        if (what.type === 'recogniser-error') finals.push(`error: ${what.reason}`)
        if (finishing && (what.type === 'speech-final' || what.type === 'recogniser-error')) resolve()
      },
    })
    for (let at = 0; at < samples.length; at += 160) session.audio(samples.subarray(at, at + 160))
    finishing = true
    session.finish()
    await done
    session.stop()
    detectors.give(detector)
    const began = performance.now()
    const { text } = await recogniser.recognise(samples, { language: 'en-US', hints: [], digits: null })
    keep(results, { file: `delivered/${file}`, text: finals.join(' | '), ms: 0 })
    keep(results, { file: `alone/${file}`, text, ms: Math.round(performance.now() - began) })
    finished += 1
  }
  await recogniser.close()
  detectors.close()
  return finished === left.length
}
