/**
 * Which model serves which role: the configuration, what is installed, and the memory of the machine decide. Pure: the
 * same is chosen wherever it is asked.
 */
import type { Config } from '../../schema/config.ts'
import type { ModelFiles } from '../../../drivers/speech.ts'
import type { ModelRole } from './catalogue.ts'
import type { InstalledModel } from './installed.ts'
import { largeBoxBytes } from './recommend.ts'
import { primarySubtag } from '../../words/tag.ts'

type SpeechConfig = Config['speech']

export interface RoleChoice {
  /** Model's id, `embedded-grammar`, `silero`, `webrtc`, or `none`. */
  readonly engine: string
  /** Null where no model is needed. */
  readonly model: ModelFiles | null
  /** Further recognisers, for languages the first does not understand. */
  readonly further: readonly ModelFiles[]
  /** One line for a person: why this one, or what would be better. */
  readonly why: string
  /** What would make it better; '' when nothing. */
  readonly fix: string
}

export interface VoiceChoice {
  /** Language tag of the configuration, or of a voice -> engines to try in this order. */
  readonly byLanguage: Readonly<Record<string, readonly string[]>>
  /** For every other language; an engine that does not speak it is passed over. */
  readonly otherwise: readonly string[]
  /** The voices that have to be loaded. */
  readonly models: readonly ModelFiles[]
  readonly why: string
  readonly fix: string
}

export interface SpeechChoice {
  readonly call: RoleChoice
  readonly recording: RoleChoice
  readonly detector: RoleChoice
  readonly voices: VoiceChoice
  readonly problems: readonly { readonly text: string; readonly fix: string }[]
}

const embeddedVoices = ['flite', 'espeak-ng']

type Problem = SpeechChoice['problems'][number]

export function choose(config: SpeechConfig, models: readonly InstalledModel[], memoryBytes: number): SpeechChoice {
  const problems: Problem[] = []
  const stock = new Stock(models, memoryBytes >= largeBoxBytes, (text, fix) => {
    if (!problems.some((problem) => problem.text === text)) problems.push({ text, fix })
  })
  const { recogniser } = config
  const named = (role: 'call' | 'recording'): string => (typeof recogniser === 'string' ? recogniser : (recogniser[role] ?? 'auto'))
  const both = typeof recogniser === 'string'
  return {
    call: forCalls(named('call'), stock, both ? 'speech.recogniser' : 'speech.recogniser.call'),
    recording: forRecordings(named('recording'), stock, both ? 'speech.recogniser' : 'speech.recogniser.recording'),
    detector: forDetection(config.detector, stock),
    voices: forVoices(config.voice, stock),
    problems,
  }
}

/** What there is to choose from. */
class Stock {
  readonly #models: readonly InstalledModel[]
  readonly large: boolean
  readonly problem: (text: string, fix: string) => void

  constructor(models: readonly InstalledModel[], large: boolean, problem: (text: string, fix: string) => void) {
    this.#models = models
    this.large = large
    this.problem = problem
    for (const { entry, state, reason } of models)
      if (state === 'damaged')
        problem(`the model ${entry.id} is damaged: ${reason}`, `pbx models verify ${entry.id}, else pbx models install ${entry.id}`)
  }

  /** Those that work, the best first. */
  usable(role: ModelRole): InstalledModel[] {
    const rank = ({ entry }: InstalledModel): number =>
      (role === 'call' && this.large ? entry.rank.callLarge : undefined) ?? entry.rank[role] ?? Number.MAX_SAFE_INTEGER
    return this.#models
      .filter((model) => model.state === 'installed' && model.files !== null && model.entry.roles.includes(role))
      .toSorted((a, b) => rank(a) - rank(b))
  }

  /** The model of that name; undefined after its problem was reported. */
  named(id: string, role: ModelRole, key: string): InstalledModel | undefined {
    const usable = this.usable(role).find(({ entry }) => entry.id === id)
    if (usable !== undefined) return usable
    const model = this.#models.find(({ entry }) => entry.id === id)
    if (model === undefined) this.problem(`${key} names ${id}, which is not a model`, 'pbx models list')
    else if (!model.entry.roles.includes(role)) this.problem(`${key} names ${id}, which cannot serve as ${role}`, 'pbx models list')
    else if (model.state === 'damaged')
      this.problem(`${key} names ${id}, which is damaged: ${model.reason}`, `pbx models verify ${id}, else pbx models install ${id}`)
    else this.problem(`${key} names ${id}, which is not installed`, `pbx models install ${id}`)
    return undefined
  }
}

const by = (model: InstalledModel, why: string, further: readonly ModelFiles[] = []): RoleChoice => ({
  engine: model.entry.id,
  model: model.files,
  further,
  why,
  fix: '',
})
const without = (engine: string, why: string, fix = ''): RoleChoice => ({ engine, model: null, further: [], why, fix })

/** The automatic choice: the best one, and the best for any language if that is another. */
function automatic(role: 'call' | 'recording', stock: Stock): RoleChoice | undefined {
  const usable = stock.usable(role)
  const best = usable[0]
  if (best === undefined) return undefined
  const any = best.entry.languages.includes('*') ? undefined : usable.find(({ entry }) => entry.languages.includes('*'))
  const of = role === 'call' ? 'calls' : 'recordings'
  const others = any === undefined ? '' : `; other languages by ${any.entry.id}`
  return by(best, `${best.entry.title}; the best for ${of} that is installed${others}`, any?.files ? [any.files] : [])
}

function forCalls(name: string, stock: Stock, key: string): RoleChoice {
  if (name === 'off') return without('none', 'switched off in the configuration')
  const closed = 'recognises only digits, yes and no, and the expected words'
  if (name === 'embedded-grammar') return without('embedded-grammar', `${closed}; chosen in the configuration`)
  const model = name === 'auto' ? undefined : stock.named(name, 'call', key)
  if (model !== undefined) return by(model, `${model.entry.title}; chosen in the configuration`)
  return (
    automatic('call', stock) ??
    without(
      'embedded-grammar',
      `no model for calls is installed: ${closed}`,
      `pbx models install ${wanted(name) ?? (stock.large ? 'parakeet-110m' : 'conformer-small')}`,
    )
  )
}

function forRecordings(name: string, stock: Stock, key: string): RoleChoice {
  const none = (why: string, fix = ''): RoleChoice => without('none', why, fix)
  if (name === 'off') return none('switched off in the configuration: recordings have no transcript')
  if (name === 'embedded-grammar') {
    // Named for both roles it means calls; named for recordings alone it cannot be meant.
    if (key.endsWith('.recording')) stock.problem(`${key} names embedded-grammar, which cannot transcribe`, 'name a model: pbx models list')
    return none('embedded-grammar cannot transcribe: recordings have no transcript')
  }
  const model = name === 'auto' ? undefined : stock.named(name, 'recording', key)
  if (model !== undefined) return by(model, `${model.entry.title}; chosen in the configuration`)
  return (
    automatic('recording', stock) ??
    none('no model for recordings is installed: they have no transcript', `pbx models install ${wanted(name) ?? 'parakeet-110m'}`)
  )
}

function forDetection(name: SpeechConfig['detector'], stock: Stock): RoleChoice {
  const webrtc = (why: string, fix = ''): RoleChoice => without('webrtc', why, fix)
  if (name === 'webrtc') return webrtc('chosen in the configuration')
  const best = stock.usable('detector')[0]
  if (best !== undefined) return { ...by(best, best.entry.title), engine: 'silero' }
  if (name === 'silero') stock.problem('speech.detector names silero, whose model is not installed', 'pbx models install silero-vad')
  return webrtc(
    'the model of the better detector is not installed: noise and tones may be taken for speech',
    'pbx models install silero-vad',
  )
}

/** The model that somebody asked for by name and that is not to be had. */
function wanted(name: SpeechConfig['voice'] | string): string | undefined {
  return typeof name === 'string' && !['auto', 'off', 'embedded-grammar', ...embeddedVoices].includes(name) ? name : undefined
}

function forVoices(config: SpeechConfig['voice'], stock: Stock): VoiceChoice {
  const usable = stock.usable('voice')
  const preferred = new Set<InstalledModel>()
  const byLanguage: Record<string, string[]> = {}
  const named = (name: string, key: string): string[] => {
    if (name === 'auto') return []
    if (embeddedVoices.includes(name)) return [name]
    const model = stock.named(name, 'voice', key)
    if (model === undefined) return []
    preferred.add(model)
    return [name]
  }
  const chosen = typeof config === 'string' ? named(config, 'speech.voice') : []
  const embedded = (first: readonly string[]): string[] => [...first, ...embeddedVoices.filter((voice) => !first.includes(voice))]

  if (typeof config !== 'string')
    for (const [language, name] of Object.entries(config)) {
      const first = named(name, `speech.voice.${language}`)
      const fitting = usable.find(({ entry }) => entry.languages.some((tag) => primarySubtag(tag) === primarySubtag(language)))
      if (first.length === 0 && fitting !== undefined) {
        preferred.add(fitting)
        first.push(fitting.entry.id)
      }
      byLanguage[language] = embedded(first)
    }
  // The best voice of each language that nobody has chosen one for; where flite or espeak-ng was named for all, no other is wanted.
  const others: string[] = []
  if (chosen.length === 0 || !embeddedVoices.includes(chosen[0] ?? ''))
    for (const model of usable) {
      const languages = model.entry.languages.map(primarySubtag)
      const taken = [...preferred].some(({ entry }) => entry.languages.some((tag) => languages.includes(primarySubtag(tag))))
      const told = languages.every((language) => Object.keys(byLanguage).some((tag) => primarySubtag(tag) === language))
      if (taken || told) continue
      preferred.add(model)
      others.push(model.entry.id)
    }
  const otherwise = embedded([...chosen, ...others])
  const models = [...preferred].flatMap(({ files }) => (files === null ? [] : [files]))
  const first = models.length > 0 ? models.map(({ id }) => id).join(', ') : (otherwise[0] ?? '')
  const asked = typeof config === 'string' ? chosen.length > 0 : true
  return {
    byLanguage,
    otherwise,
    models,
    why: asked
      ? `${first}; chosen in the configuration`
      : models.length > 0
        ? `${first}; the best that is installed`
        : `no voice is installed: ${first}, which comes with Debian`,
    fix: asked || models.length > 0 ? '' : `pbx models install ${wanted(config) ?? (stock.large ? 'piper-joe-medium' : 'piper-amy-low')}`,
  }
}
