/** Runs one control document on a call: what is said before a verb is prepared for it, and the first verb that ends it decides what comes next. */
import type { Call } from '../calls/call.ts'
import { secretOfEndpoint } from '../calls/new-call.ts'
import { witness } from '../calls/witness.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Ear } from '../speech/hearing.ts'
import type { Speaker } from '../speech/speaker.ts'
import type { BindAbilities } from './verb-abilities.ts'
import type { ControlEvents } from './ask.ts'
import { startFiller } from './filler.ts'
import type { CallGuards } from './guards.ts'
import { PromptPlayer, type PromptPart } from './prompts.ts'
import type { Application, PromptSource, RecordingStore, VerbCall, VerbOutcome, TypedKeys } from './session-types.ts'
import type { Transcripts } from './transcripts.ts'
import type { Turn } from './turn.ts'
import type { DocumentVerb } from './verb.ts'
import { verbs as table } from './verbs/index.ts'

/** What verbs work with, for all calls. */
export interface VerbServices {
  readonly clock: Clock
  readonly log: Log
  readonly speaker: Speaker
  readonly promptSource: PromptSource
  readonly recordings: RecordingStore
  /** null where nobody understands speech. */
  readonly ear: Ear | null
  readonly transcripts: Transcripts
  readonly abilities: BindAbilities
}

/** The call a document runs on. */
export interface DocumentCall {
  readonly call: Call
  readonly application: Application
  readonly language: string
  readonly guards: CallGuards
  readonly keys: TypedKeys
  readonly events: ControlEvents
}

export interface ControlDocument {
  readonly url: string
  readonly verbs: readonly DocumentVerb[]
}

/** `finished`: all was done, and nothing says how the call goes on. */
export type DocumentOutcome = Exclude<VerbOutcome, { kind: 'next' }> | { readonly kind: 'finished' }

export async function runDocument(
  services: VerbServices,
  on: DocumentCall,
  document: ControlDocument,
  turn: Turn,
): Promise<DocumentOutcome> {
  const { call } = on
  const stop = { kind: 'stop' } as const
  // All that will be said is synthesised now, in parallel and in the order of speaking, while the call is answered.
  const prepared = document.verbs.map((verb) => prepare(services, call, verb, turn))
  let pending: PromptPart[] = []
  for (const [index, verb] of document.verbs.entries()) {
    const definition = table.get(verb.name)!
    if (definition.needs === 'answered' && !(await turn.within(call.answer(), false))) return stop
    const parts = prepared[index]
    if (parts) pending.push(...parts)
    else {
      const outcome = await runVerb(services, on, document.url, verb, turn, pending)
      if (outcome.kind !== 'next') return outcome
      if (turn.over) return stop
      if (outcome.failure !== '' && index === document.verbs.length - 1) return { kind: 'fail', message: outcome.failure }
      pending = []
    }
  }
  if (call.answered && !(await playToEnd(on, pending, turn))) return stop
  return { kind: 'finished' }
}

function prepare({ speaker, promptSource }: VerbServices, call: Call, verb: DocumentVerb, turn: Turn): readonly PromptPart[] | null {
  const definition = table.get(verb.name)
  if (definition === undefined) throw new Error(`there is no verb ${verb.name}`)
  if (definition.prompt === undefined) return null
  const context = { callId: call.id, speaker, promptSource, signal: turn.signal }
  const { parts, warnings, late } = definition.prompt(verb.params as never, context)
  const warn = (warning: string) => call.note('warning', `${verb.name}: ${warning}`)
  warnings.forEach(warn)
  void late?.then((found) => found.forEach(warn))
  return parts
}

async function runVerb(
  services: VerbServices,
  on: DocumentCall,
  url: string,
  verb: DocumentVerb,
  turn: Turn,
  pending: readonly PromptPart[],
): Promise<VerbOutcome> {
  const { call, application, language, guards, keys, events } = on
  const { clock, log, recordings, ear, transcripts } = services
  const { signal, replaced } = turn
  const definition = table.get(verb.name)!
  const view: VerbCall = {
    call,
    clock,
    log,
    documentUrl: url,
    signal,
    replaced,
    prompts: new PromptPlayer(call, pending, signal),
    playPrompts: () => playToEnd(on, pending, turn),
    keys,
    recordings,
    recordingOrder: (order) => ({ ...order, callId: call.id, secret: secretOfEndpoint(call.row.endpointId) }),
    ear,
    language,
    transcript: (order) => transcripts.begin({ ...order, callId: call.id, endpointId: call.row.endpointId }),
    tell: (event) => events.tell(event, `${application.id || originOf(event.url)} partials`),
    keepCompany: () => startFiller(services, call, application, signal, 'the transcript is not ready'),
    internal: application.internal,
    guards,
    ...services.abilities({ call, application, language, signal, replaced }),
  }
  if (definition.run === undefined) throw new Error(`the verb ${verb.name} has neither a prompt nor a way to run`)
  call.note('verb', verb.name)
  witness(call.id, 'verb', verb.name)
  return definition.run(verb.params as never, view)
}

/** False when the turn ended first. */
async function playToEnd({ call, guards }: DocumentCall, parts: readonly PromptPart[], turn: Turn): Promise<boolean> {
  if (parts.length === 0) return !turn.over
  guards.mediaOrInput()
  const finished = await new PromptPlayer(call, parts, turn.signal).play()
  return finished && !turn.over
}

/** Side reports have a circuit breaker and a queue of their own: they never hold up the events of the call. */
function originOf(url: string): string {
  return new URL(url).origin
}
