/**
 * Speech processes: what the daemon and its speech processes say to one another. Orders go to the process, several in one
 * message; reports come back one by one. Audio is 8 kHz mono signed 16-bit PCM.
 */
import type { ModelFiles, SpeechError } from '../../../drivers/speech.ts'
import type { Heard, ListenRequest, Transcript, TranscriptRequest } from '../hearing.ts'
import { primarySubtag } from '../../words/tag.ts'

/** `call`: endpoints, recognition in calls, voices. `recording`: transcripts. */
export type SpeechRole = 'call' | 'recording'

export type DetectorPlan = { readonly kind: 'silero'; readonly file: string } | { readonly kind: 'webrtc' }
export type RecogniserPlan = ModelFiles | 'embedded-grammar'

/** What a process shall load. */
export interface ProcessPlan {
  readonly role: SpeechRole
  /** null only where nobody listens. */
  readonly detector: DetectorPlan | null
  /** In order of preference: the first that understands the language of a request serves it. */
  readonly recognisers: readonly RecogniserPlan[]
  readonly voices: readonly ModelFiles[]
}

export type ListenOrder = Omit<ListenRequest, 'callId'>
export type TranscribeOrder = Omit<TranscriptRequest, 'signal'>

/** `voice` is the id of a model of the plan, `name` the voice in it ('' for its default). */
export interface SpeakOrder {
  readonly voice: string
  readonly name: string
  readonly text: string
  readonly language: string
  readonly rate: number
}

/** What is said within a session: a hearing, a transcript or a phrase. */
export type SessionOrder =
  | { readonly t: 'listen'; readonly request: ListenOrder }
  | { readonly t: 'transcribe'; readonly request: TranscribeOrder }
  | { readonly t: 'transcribe-file'; readonly path: string; readonly request: TranscribeOrder }
  | { readonly t: 'speak'; readonly request: SpeakOrder }
  | { readonly t: 'audio'; readonly samples: Int16Array }
  | { readonly t: 'prompting'; readonly on: boolean }
  /** The end of what is heard: `speech-final` or the transcript follows. */
  | { readonly t: 'finish' }
  /** Not wanted any more; nothing is reported of this session after it. */
  | { readonly t: 'stop' }

export type Order =
  | { readonly t: 'load'; readonly plan: ProcessPlan }
  | { readonly t: 'ping'; readonly n: number }
  | ({ readonly session: number } & SessionOrder)

export type SessionReport =
  | { readonly t: 'heard'; readonly what: Heard }
  | { readonly t: 'progress'; readonly doneMs: number; readonly totalMs: number }
  | { readonly t: 'transcript'; readonly transcript: Transcript }
  | { readonly t: 'spoken'; readonly samples: Int16Array }
  | { readonly t: 'unspoken'; readonly code: SpeechError['code']; readonly message: string }

/** What came of the plan. '' where there is none. */
export interface ReadyReport {
  readonly t: 'ready'
  readonly recognisers: readonly string[]
  readonly detector: string
  readonly voices: readonly string[]
}

export type Report =
  /** Said before each engine is loaded: should the process die of it, this is the one. */
  | { readonly t: 'loading'; readonly id: string }
  | { readonly t: 'left-out'; readonly id: string; readonly reason: string }
  | ReadyReport
  | { readonly t: 'pong'; readonly n: number }
  /** An engine has begun to work on so much audio; it may take ten times as long. */
  | { readonly t: 'work'; readonly work: number; readonly audioMs: number }
  | { readonly t: 'worked'; readonly work: number }
  | ({ readonly session: number } & SessionReport)

/** The name under which an engine of a plan is loaded, reported and left out. */
export function engineId(engine: RecogniserPlan | DetectorPlan): string {
  if (typeof engine === 'string') return engine
  return 'id' in engine ? engine.id : engine.kind
}

/** Whether one of these BCP 47 tags (`*` for any) covers the language: by its primary subtag. */
export function coversLanguage(tags: readonly string[], language: string): boolean {
  return tags.some((tag) => tag === '*' || primarySubtag(tag) === primarySubtag(language))
}
