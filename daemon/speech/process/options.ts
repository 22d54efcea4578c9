/** What a supervisor of a speech process is given, its standard durations, and what it reports about itself. */
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { LeftOutEngine } from './left-out.ts'
import type { ProcessPlan, SpeechRole } from './protocol.ts'
import type { WatchLimits } from './watch.ts'

/** Durations in milliseconds. */
export interface SupervisorTiming extends Omit<WatchLimits, 'memoryKb'> {
  readonly restartFirst: number
  readonly restartMost: number
  /** A process that was ready this long resets the back-off. */
  readonly steadyAfter: number
  /** A process that does not stand ends after so long without work. */
  readonly idleAfter: number
}

const common = { restartFirst: 1000, restartMost: 30_000, steadyAfter: 60_000, idleAfter: 60_000, memoryEvery: 5000, loadWithin: 60_000 }
/** The process for recordings runs when nobody else does: it may be slow to answer. */
export const standardTiming: Readonly<Record<SpeechRole, SupervisorTiming>> = {
  call: { ...common, idleAfter: 30 * 60_000, pingEvery: 2000, pingsUnanswered: 5, workAtLeast: 10_000 },
  recording: { ...common, pingEvery: 10_000, pingsUnanswered: 6, workAtLeast: 60_000 },
}

export interface SupervisorOptions {
  readonly plan: ProcessPlan
  readonly memoryMegabytes: number
  readonly clock: Clock
  readonly log: Log
  /** The program of the process; the daemon's own by default. */
  readonly program?: string
  /** Folders of the recordings whose transcripts are asked for; there when the process starts. */
  readonly readable?: readonly string[]
  readonly timing?: Partial<SupervisorTiming>
  /** Something of `state()` has changed. */
  readonly changed?: () => void
}

export interface SpeechProcessState {
  readonly role: SpeechRole
  readonly status: 'running' | 'starting' | 'down' | 'idle'
  /** '' when all is well. */
  readonly reason: string
  readonly pid: number | null
  readonly rssKb: number | null
  readonly restarts: number
  readonly sessions: number
  /** Of the running process; of the plan as long as none runs. The first that understands a language serves it. */
  readonly recognisers: readonly string[]
  /** '' when none is loaded. */
  readonly detector: string
  readonly voices: readonly string[]
  readonly leftOut: readonly LeftOutEngine[]
}
