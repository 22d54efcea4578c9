/**
 * The voices that every box has: flite (English, voice slt) and espeak-ng (all other languages). Each phrase is one
 * short run of Debian's program; at most two run at a time per engine.
 */
import { toTelephoneRate } from '../resample.ts'
import { SpeechError, type SynthesisRequest, type Synthesiser } from '../speech.ts'
import { readWav } from '../wav.ts'
import { ReadyProgram, runProgram, type Run } from './program.ts'

export interface EngineOptions {
  /** Program's name or path. */
  readonly command?: string
  /** Longest time for one phrase. */
  readonly limitMs?: number
}

interface Voice {
  readonly name: string
  readonly language: string
}

const concurrency = 2
const standardLimitMs = 15_000

const fliteVoices: readonly Voice[] = [
  { name: 'slt', language: 'en-US' },
  { name: 'rms', language: 'en-US' },
  { name: 'awb', language: 'en-GB' },
  { name: 'kal16', language: 'en-US' },
]

export function createFlite(options: EngineOptions = {}): Synthesiser {
  const command = options.command ?? 'flite'
  const gate = new Gate(concurrency)
  const ready = new ReadyProgram()
  return {
    id: 'flite-2.2',
    check: () => check(command, ['-lv'], 'flite'),
    speaks: (language) => primary(language) === 'en',
    voices: () => fliteVoices,
    synthesise: (request) => {
      if (primary(request.language) !== 'en') throw new SpeechError('language-unsupported', `flite does not speak ${request.language}`)
      const voice = fliteVoices.some(({ name }) => name === request.voice) ? request.voice : 'slt'
      return gate.run(async () => {
        const args = ['-voice', voice, '--setf', `duration_stretch=${(1 / rateOf(request)).toFixed(3)}`, '-f', '-', '-o', '{file}']
        return decode(await ready.run(phrase(command, args, toAscii(request.text), request, options)))
      })
    },
  }
}

export function createEspeak(options: EngineOptions = {}): Synthesiser {
  const command = options.command ?? 'espeak-ng'
  const gate = new Gate(concurrency)
  const ready = new ReadyProgram()
  let languages: ReadonlySet<string> | null = null
  return {
    id: 'espeak-ng-1.51',
    check: async () => {
      const result = await check(command, ['--voices'], 'espeak-ng', (listing) => {
        languages = new Set(
          listing
            .split('\n')
            .slice(1)
            .flatMap((line) => /^\s*\d+\s+(\S+)/.exec(line)?.[1]?.toLowerCase() ?? []),
        )
      })
      return result
    },
    // Until the list was read every language is tried.
    speaks: (language) => languages === null || languageOf(language, languages) !== null,
    voices: () => [...(languages ?? [])].map((language) => ({ name: language, language })),
    synthesise: (request) =>
      gate.run(async () => {
        const language = languageOf(request.language, languages)
        if (language === null) throw new SpeechError('language-unsupported', `espeak-ng does not speak ${request.language}`)
        const args = [
          '-v',
          languages?.has(request.voice) === true ? request.voice : language,
          '-s',
          String(Math.round(165 * rateOf(request))),
          '--stdin',
          '--stdout',
        ]
        // Double brackets would be read as phoneme names.
        return decode(await ready.run(phrase(command, args, request.text.replaceAll('[[', '[ ['), request, options)))
      }),
  }
}

async function check(
  command: string,
  args: readonly string[],
  debianPackage: string,
  read: (printed: string) => void = () => undefined,
): Promise<{ ok: boolean; reason: string }> {
  try {
    read((await runProgram({ command, arguments: args, input: '', limitMs: 5000 })).toString('utf8'))
    return { ok: true, reason: '' }
  } catch (error) {
    if (!(error instanceof SpeechError)) throw error
    if (error.code !== 'engine-missing') return { ok: false, reason: error.message }
    return { ok: false, reason: `${command} is not installed: apt-get install ${debianPackage}` }
  }
}

function phrase(command: string, args: readonly string[], text: string, request: SynthesisRequest, options: EngineOptions): Run {
  return {
    command,
    arguments: args,
    input: `${text}\n`,
    limitMs: options.limitMs ?? standardLimitMs,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }
}

function decode(file: Buffer): Int16Array {
  try {
    const { rate, samples } = readWav(file)
    return toTelephoneRate(samples, rate)
  } catch (error) {
    throw new SpeechError('engine-failed', `The speech program gave no audio: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function rateOf(request: SynthesisRequest): number {
  return Math.max(0.25, Math.min(4, request.rate))
}

function primary(language: string): string {
  return language.toLowerCase().split('-')[0] ?? ''
}

/** espeak-ng's own names for what BCP 47 calls differently. */
const espeakNames: Readonly<Record<string, string>> = {
  zh: 'cmn',
  no: 'nb',
  en: 'en-us',
  'es-mx': 'es-419',
  'es-us': 'es-419',
  fr: 'fr-fr',
}

function languageOf(language: string, known: ReadonlySet<string> | null): string | null {
  const full = language.toLowerCase()
  if (!/^[a-z]{2,3}(-[a-z0-9]+)*$/.test(full)) return null
  const short = primary(full)
  const candidates = [espeakNames[full], full, espeakNames[short], short].filter((name) => name !== undefined)
  return candidates.find((name) => known?.has(name) ?? name === short) ?? null
}

/** flite knows English letters only: accents are dropped, typographic signs become plain ones. */
function toAscii(text: string): string {
  return text
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—]/g, ', ')
    .normalize('NFKD')
    .replace(/[^\x20-\x7e\n]/g, '')
}

/** Lets `limit` pieces of work run at a time, in order of asking. */
class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
