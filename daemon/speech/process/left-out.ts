/** Engines that a process does without: those that could not be loaded, and those that took it down while they were. */
import { engineId, type ProcessPlan } from './protocol.ts'

export interface LeftOutEngine {
  readonly id: string
  readonly reason: string
}

/** Once may have been chance. */
const mostCrashes = 2

export class LeftOut {
  readonly #refused = new Map<string, string>()
  readonly #crashes = new Map<string, number>()
  readonly #banned = new Map<string, string>()

  /** A new process tries everything that is not banned. */
  started(): void {
    this.#refused.clear()
  }

  /** It could not be loaded by a process that lives on. */
  refused(id: string, reason: string): void {
    this.#refused.set(id, reason)
  }

  crashed(id: string, reason: string): void {
    const crashes = (this.#crashes.get(id) ?? 0) + 1
    this.#crashes.set(id, crashes)
    if (crashes >= mostCrashes) this.#banned.set(id, `it took the speech process down ${crashes} times while it was loaded: ${reason}`)
  }

  clear(): void {
    this.#refused.clear()
    this.#crashes.clear()
    this.#banned.clear()
  }

  list(): readonly LeftOutEngine[] {
    return [...new Map([...this.#refused, ...this.#banned])].map(([id, reason]) => ({ id, reason }))
  }

  /** The plan without the engines that took the process down. */
  without(plan: ProcessPlan): ProcessPlan {
    const kept = (engine: Parameters<typeof engineId>[0]): boolean => !this.#banned.has(engineId(engine))
    let { detector } = plan
    if (detector !== null && !kept(detector)) detector = detector.kind === 'silero' && kept({ kind: 'webrtc' }) ? { kind: 'webrtc' } : null
    return { ...plan, detector, recognisers: plan.recognisers.filter(kept), voices: plan.voices.filter(kept) }
  }
}
