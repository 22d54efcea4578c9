/**
 * What works and what does not: parts of the daemon that report themselves, and declared warnings with the command that repairs each. Read
 * by `/readyz` and by `pbx status`, whose readers need not know patients: words from outside go through `forLog`.
 */
import { forLog, type Ours } from './for-log.ts'

export interface PartState {
  readonly ok: boolean
  /** Why it is not well, in a few plain words without names, numbers or addresses: strangers may read it. '' when it is well. */
  readonly reason: string | Ours
  /** The whole sentence, for clients with a token. */
  readonly detail?: string | Ours
  /** Whether the box is unready while this part is not well. True unless given. */
  readonly required?: boolean
}

/** notice: worth knowing; warning: to be repaired; error: people are not served. */
export type Severity = 'notice' | 'warning' | 'error'

/** What a warning is about, for the history of the box and the rules of alarms; `warning` for everything else. */
export type WarningKind = 'line' | 'disk' | 'clock' | 'login' | 'warning'

export interface Warning {
  /** `warning` where it is left out. */
  readonly kind?: WarningKind
  readonly severity: Severity
  readonly text: string | Ours
  /** The command, or the line of configuration, that repairs it. */
  readonly fix: string
  /** Gone after this time (ms) unless it is raised again; stays until it is cleared where this is not given. */
  readonly lastsMs?: number
}

export interface CodedWarning extends Warning {
  /** The same for the same fault, unlike that of any other. */
  readonly code: string
}

export interface DeclaredWarning extends Warning {
  readonly code: string
  readonly kind: WarningKind
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly since: number
}

export interface PartReport {
  readonly name: string
  readonly ok: boolean
  readonly reason: string
  readonly detail: string
  readonly required: boolean
}

const order: Record<Severity, number> = { error: 0, warning: 1, notice: 2 }

export class Health {
  readonly #parts = new Map<string, () => PartState>()
  readonly #warnings = new Map<string, DeclaredWarning>()
  readonly #until = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Registers a part; its state is asked for whenever somebody looks. A later registration under the same name takes its place. */
  part(name: string, state: () => PartState): void {
    this.#parts.set(name, state)
  }

  /** Raises a warning, or changes the one with this code; it stays until it is cleared. */
  warn(code: string, warning: Warning): void {
    const now = this.#now()
    const until = warning.lastsMs === undefined ? Infinity : now + warning.lastsMs
    this.#until.set(code, until)
    const { kind = 'warning', severity, text, fix } = warning
    this.#warnings.set(code, { kind, severity, text: forLog(text), fix, code, since: this.#warnings.get(code)?.since ?? now })
  }

  /** The clock was set: what lasts for a time lasts for as long as it was to. */
  stepped(stepMs: number): void {
    for (const [code, until] of this.#until) this.#until.set(code, until + stepMs)
    for (const [code, warning] of this.#warnings) this.#warnings.set(code, { ...warning, since: warning.since + stepMs })
  }

  clear(code: string): void {
    this.#warnings.delete(code)
    this.#until.delete(code)
  }

  /** The most severe first. */
  warnings(): DeclaredWarning[] {
    const now = this.#now()
    for (const [code, until] of this.#until) if (until <= now) this.clear(code)
    return [...this.#warnings.values()].sort((a, b) => order[a.severity] - order[b.severity] || a.since - b.since)
  }

  /** Required parts that are not well, with the reason; empty when the box is ready. */
  missing(): string[] {
    return this.report().parts.flatMap(({ ok, required, name, detail }) => (ok || !required ? [] : [`${name}: ${detail}`]))
  }

  report(): { ready: boolean; parts: PartReport[] } {
    const parts = [...this.#parts].map(([name, state]) => reportOf(name, state))
    return { ready: parts.every((part) => part.ok || !part.required), parts }
  }
}

/** A warning as programs are shown it. */
export function shownWarning({ kind, code, severity, text, fix, since }: DeclaredWarning) {
  return { kind, code, severity, text, fix, since: new Date(since).toISOString() }
}

function reportOf(name: string, state: () => PartState): PartReport {
  try {
    const { ok, reason, detail = reason, required = true } = state()
    return { name, ok, reason: forLog(reason), detail: forLog(detail), required }
  } catch (error) {
    return { name, ok: false, reason: 'state unknown', detail: forLog(`its state cannot be determined: ${String(error)}`), required: true }
  }
}
