/** Tries a plan: loads it, has a little audio recognised by each recogniser and a word spoken by each voice. */
import { engineId, type ProcessPlan } from '../process/protocol.ts'
import { loadEngines, type EngineTable } from './engines.ts'

export interface TrialResult {
  readonly ok: boolean
  /** What is wrong, in words for a person; '' when nothing is. */
  readonly reason: string
  /** Ids of what works. */
  readonly loaded: readonly string[]
  readonly loadMs: number
  readonly rssKb: number
}

export async function tryPlan(plan: ProcessPlan, table: EngineTable): Promise<TrialResult> {
  const faults: string[] = []
  const loaded: string[] = []
  const begun = performance.now()
  const engines = await loadEngines(plan, table, () => () => undefined, {
    loading: () => Promise.resolve(),
    leftOut: (id, reason) => faults.push(`${id} could not be loaded: ${reason}`),
  })
  const loadMs = Math.round(performance.now() - begun)
  const check = async (id: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      loaded.push(id)
    } catch (error) {
      faults.push(`${id} does not work: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const { detectors, decoders, voices } = engines
  if (detectors !== null && (plan.detector === null || detectors.id === engineId(plan.detector)))
    await check(detectors.id, async () => detectors.take().push(hum()))
  const languages = new Map(
    plan.recognisers.map((model) => [engineId(model), typeof model === 'string' ? 'en-US' : firstOf(model.languages)]),
  )
  for (const decoder of decoders)
    await check(decoder.id, () =>
      decoder.decode(0, hum(), { language: languages.get(decoder.id) ?? 'en-US', hints: ['yes'], digits: null }),
    )
  for (const model of plan.voices) {
    const voice = voices.get(model.id)
    if (voice === undefined) continue
    await check(model.id, async () => {
      const samples = await voice.synthesise({ text: 'One.', language: firstOf(model.languages), voice: '', rate: 1 })
      if (samples.length === 0) throw new Error('it spoke nothing')
    })
  }
  return { ok: faults.length === 0, reason: faults.join('; '), loaded, loadMs, rssKb: Math.round(process.memoryUsage.rss() / 1024) }
}

function firstOf(languages: readonly string[]): string {
  return languages.find((language) => language !== '*') ?? 'en-US'
}

/** Half a second of a low tone. */
function hum(): Int16Array {
  return Int16Array.from({ length: 4000 }, (_, index) => Math.round(3000 * Math.sin((2 * Math.PI * 200 * index) / 8000)))
}
