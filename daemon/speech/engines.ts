/**
 * Which speech engines serve this box, and the processes they run in: put together from the configuration and the models
 * that are installed, and again whenever a model came or went.
 */
import { join } from 'node:path'
import { availableParallelism, totalmem } from 'node:os'
import type { Synthesiser } from '../../drivers/speech.ts'
import type { Clock } from '../base/clock.ts'
import type { SpeechProcessView, SpeechRoleView, SpeechView } from '../schema/speech.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import type { Abilities, Ear, Transcriber } from './hearing.ts'
import {
  catalogue,
  choose,
  modelPlaces,
  readModels,
  recommended,
  recommendedView,
  type RoleChoice,
  type SpeechChoice,
} from './models/models.ts'
import { createEar } from './process/ear.ts'
import type { SpeechProcessState } from './process/options.ts'
import { coversLanguage, type DetectorPlan, type ProcessPlan, type SpeechRole } from './process/protocol.ts'
import { createRemoteVoice } from './process/remote-voice.ts'
import { SpeechSupervisor } from './process/supervisor.ts'
import { createTranscriber } from './process/transcriber.ts'
import type { SpeakerEngines } from './speaker.ts'
import { primarySubtag } from '../words/tag.ts'

export interface SpeechEngines {
  readonly ear: Ear
  readonly transcriber: Transcriber
  /** The voices, for the speaker; others after `reload`. */
  speakers(): SpeakerEngines
  view(): SpeechView
  readonly abilities: Abilities
  /** Looks at the installed models again and loads what is chosen now; calls in progress keep what they have. */
  reload(): void
  start(): void
  stop(): Promise<void>
}

export interface SpeechEnginesOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Voices that need no model. */
  readonly embedded: readonly Synthesiser[]
  /** A process was started, was lost, or left a model out. */
  readonly changed?: () => void
}

export function createSpeechEngines(options: SpeechEnginesOptions): SpeechEngines {
  const { config, clock, log, embedded } = options
  const places = modelPlaces(config.speech.models.dir)
  const machine = { memoryBytes: totalmem(), cores: availableParallelism(), language: config.site.language }
  let installed = readModels(places)
  let choice = choose(config.speech, installed, machine.memoryBytes)
  const supervisor = (role: SpeechRole, memoryMegabytes: number, readable: readonly string[]): SpeechSupervisor =>
    new SpeechSupervisor({
      readable,
      plan: planOf(role, choice),
      memoryMegabytes,
      clock,
      log,
      ...(options.changed === undefined ? {} : { changed: options.changed }),
    })
  const calls = supervisor('call', config.speech.callMegabytes, [])
  const recordings = supervisor('recording', config.speech.recordingMegabytes, [
    join(config.storage.dir, 'recordings'),
    join(config.storage.dir, 'transcribing'),
  ])
  const transcriber = createTranscriber({ process: recordings, switchedOff: () => transcriptsOff(config) })

  return {
    ear: createEar({ process: calls }),
    transcriber,
    abilities: {
      understands: (language) => understood(planOf('call', choice).recognisers, calls.state(), language),
      transcribes: (language) => transcriber.available(language),
    },
    speakers: () => ({
      engines: [...choice.voices.models.map((model): Synthesiser => createRemoteVoice({ process: calls, model })), ...embedded],
      preferred: (language) => orderFor(choice, language),
    }),
    view: () => ({
      ...viewOf(choice, [calls.state(), recordings.state()], config),
      recommended: recommendedView(recommended(machine, catalogue()), installed),
    }),
    reload: () => {
      installed = readModels(places)
      choice = choose(config.speech, installed, machine.memoryBytes)
      calls.replan(planOf('call', choice))
      recordings.replan(planOf('recording', choice))
    },
    start: () => {
      for (const { text, fix } of choice.problems) log.warn({ fix }, text)
      calls.start()
      recordings.start()
    },
    stop: async () => {
      await Promise.all([calls.stop(), recordings.stop()])
    },
  }
}

function transcriptsOff(config: Config): boolean {
  const { recogniser } = config.speech
  return (typeof recogniser === 'string' ? recogniser : recogniser.recording) === 'off'
}

function understood(
  recognisers: ProcessPlan['recognisers'],
  { leftOut }: SpeechProcessState,
  language: string,
): ReturnType<Abilities['understands']> {
  const models = recognisers.filter((one) => typeof one !== 'string' && !leftOut.some(({ id }) => id === one.id))
  if (models.some((one) => typeof one !== 'string' && coversLanguage(one.languages, language))) return 'any'
  return recognisers.includes('embedded-grammar') && coversLanguage(['en'], language) ? 'listed' : 'nothing'
}

function planOf(role: SpeechRole, choice: SpeechChoice): ProcessPlan {
  const { engine, model, further } = choice[role]
  const { model: silero } = choice.detector
  const file = silero?.files['model']
  const detector: DetectorPlan = silero && file ? { kind: 'silero', file: join(silero.directory, file) } : { kind: 'webrtc' }
  const models = [...(model === null ? [] : [model]), ...further]
  if (role === 'recording') return { role, detector, recognisers: models, voices: [] }
  // A model that fails to load leaves the grammar, which is better than nothing for a caller.
  const recognisers = engine === 'none' ? [] : [...models, 'embedded-grammar' as const]
  return { role, detector, recognisers, voices: choice.voices.models }
}

function orderFor({ voices }: SpeechChoice, language: string): readonly string[] {
  const tags = Object.keys(voices.byLanguage)
  const tag =
    tags.find((candidate) => candidate.toLowerCase() === language.toLowerCase()) ??
    tags.find((candidate) => primarySubtag(candidate) === primarySubtag(language))
  return (tag === undefined ? undefined : voices.byLanguage[tag]) ?? voices.otherwise
}

function viewOf(choice: SpeechChoice, states: readonly SpeechProcessState[], config: Config): Omit<SpeechView, 'recommended'> {
  const { call, recording, detector, voices } = choice
  const limits: Readonly<Record<SpeechRole, number>> = { call: config.speech.callMegabytes, recording: config.speech.recordingMegabytes }
  return {
    roles: [
      recogniserView('call', call, states),
      recogniserView('recording', recording, states),
      { role: 'voice', engine: voices.otherwise[0] ?? '', why: voices.why, fix: voices.fix },
      roleView('detector', detector),
    ],
    processes: states.map((state): SpeechProcessView => ({
      name: state.role,
      state: state.status === 'down' ? 'waiting' : state.status,
      pid: state.pid,
      memoryBytes: state.rssKb === null ? null : state.rssKb * 1024,
      limitBytes: limits[state.role] * 1024 * 1024,
      restarts: state.restarts,
      reason: state.reason,
    })),
    voices: [...Object.keys(voices.byLanguage), config.site.language]
      .filter((language, index, all) => all.indexOf(language) === index)
      .map((language) => ({ language, engines: orderFor(choice, language) })),
    leftOut: states
      .flatMap(({ leftOut }) => leftOut)
      .filter(({ id, reason }, at, all) => all.findIndex((other) => other.id === id && other.reason === reason) === at)
      .map(({ id, reason }) => ({ id, reason, fix: `pbx models verify ${id}, then pbx speech reload` })),
    problems: choice.problems,
  }
}

/** The chosen one, or another where the chosen one could not be loaded. */
function recogniserView(role: SpeechRole, choice: RoleChoice, states: readonly SpeechProcessState[]): SpeechRoleView {
  const state = states.find((candidate) => candidate.role === role)
  if (!state?.leftOut.some(({ id }) => id === choice.engine)) return { ...roleView(role, choice), vocabulary: vocabularyOf(choice) }
  const engine = state.recognisers.find((id) => id !== choice.engine) ?? ''
  return {
    role,
    engine,
    why: `${choice.engine} is installed and cannot be loaded`,
    fix: `pbx models verify ${choice.engine}`,
    vocabulary: vocabularyOf({ engine: engine === '' ? 'none' : engine }),
  }
}

function roleView(role: string, { engine, why, fix }: RoleChoice): SpeechRoleView {
  return { role, engine: engine === 'none' ? '' : engine, why, fix }
}

function vocabularyOf({ engine }: Pick<RoleChoice, 'engine'>): 'open' | 'closed' | 'none' {
  if (engine === 'none') return 'none'
  return engine === 'embedded-grammar' ? 'closed' : 'open'
}
