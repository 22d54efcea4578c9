/** Loads what a plan names, each engine through a table that the program gives; one that cannot be loaded is left out. */
import type { EndpointDetectors, ModelFiles, Recogniser, Synthesiser } from '../../../drivers/speech.ts'
import { engineId, type DetectorPlan, type ProcessPlan, type RecogniserPlan } from '../process/protocol.ts'
import { Decoder, type WorkBegun } from './decoder.ts'

type Lazy<T> = () => Promise<T>

/** Makers of engines by kind. */
export interface EngineTable {
  readonly recognisers: Readonly<Record<string, Lazy<(model: ModelFiles) => Promise<Recogniser>>>>
  readonly grammar: Lazy<() => Promise<Recogniser>>
  readonly silero: Lazy<(modelFile: string) => EndpointDetectors | Promise<EndpointDetectors>>
  readonly webrtc: Lazy<() => EndpointDetectors | Promise<EndpointDetectors>>
  readonly voices: Readonly<Record<string, Lazy<(model: ModelFiles) => Promise<Synthesiser>>>>
}

export interface LoadingReports {
  /** Resolves when it has been said: the engine may take the process with it. */
  loading(id: string): Promise<void>
  leftOut(id: string, reason: string): void
}

export interface LoadedEngines {
  readonly decoders: readonly Decoder[]
  readonly detectors: EndpointDetectors | null
  /** By the id of the model. */
  readonly voices: ReadonlyMap<string, Synthesiser>
}

export async function loadEngines(
  plan: ProcessPlan,
  table: EngineTable,
  begun: WorkBegun,
  reports: LoadingReports,
): Promise<LoadedEngines> {
  const attempt = async <T>(id: string, make: () => Promise<T>): Promise<T | null> => {
    await reports.loading(id)
    try {
      return await make()
    } catch (error) {
      reports.leftOut(id, error instanceof Error ? error.message : String(error))
      return null
    }
  }
  let detectors: EndpointDetectors | null = null
  if (plan.detector !== null) {
    const wanted = plan.detector
    detectors = await attempt(engineId(wanted), () => makeDetectors(wanted, table))
    if (detectors === null && wanted.kind !== 'webrtc') detectors = await attempt('webrtc', () => makeDetectors({ kind: 'webrtc' }, table))
  }
  const decoders: Decoder[] = []
  for (const wanted of plan.recognisers) {
    const recogniser = await attempt(engineId(wanted), () => makeRecogniser(wanted, table))
    if (recogniser !== null) decoders.push(new Decoder(recogniser, begun))
  }
  const voices = new Map<string, Synthesiser>()
  for (const wanted of plan.voices) {
    const voice = await attempt(wanted.id, () => makeVoice(wanted, table))
    if (voice !== null) voices.set(wanted.id, voice)
  }
  return { decoders, detectors, voices }
}

async function makeDetectors(plan: DetectorPlan, table: EngineTable): Promise<EndpointDetectors> {
  return plan.kind === 'silero' ? (await table.silero())(plan.file) : (await table.webrtc())()
}

async function makeRecogniser(plan: RecogniserPlan, table: EngineTable): Promise<Recogniser> {
  if (plan === 'embedded-grammar') return (await table.grammar())()
  return (await maker(table.recognisers, plan))(plan)
}

async function makeVoice(plan: ModelFiles, table: EngineTable): Promise<Synthesiser> {
  return (await maker(table.voices, plan))(plan)
}

function maker<T>(makers: Readonly<Record<string, Lazy<T>>>, model: ModelFiles): Promise<T> {
  const found = Object.hasOwn(makers, model.kind) ? makers[model.kind] : undefined
  if (found === undefined) throw new Error(`No engine is known for a model of kind ${model.kind}`)
  return found()
}
