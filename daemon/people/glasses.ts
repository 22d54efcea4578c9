/** Sessions in which a technician reads as a manager now. Managers see them on every page from the first moment to the last. */
import { Alarm, isoTime, type Clock } from '../base/clock.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { OpenGlassView } from '../schema/people.ts'
import type { KeptList } from '../schema/shown-list.ts'
import type { PersonRow, SessionRow } from '../store/people-rows.ts'
import type { Store } from '../store/store.ts'

interface OpenGlass {
  readonly row: SessionRow
  readonly glass: NonNullable<SessionRow['glass']>
  readonly person: PersonRow
}

export class Glasses implements KeptList<OpenGlassView> {
  readonly #store: Store
  readonly #clock: Clock
  readonly #alarm: Alarm
  readonly #changed: () => void
  readonly #tells = new Set<(sessionId: string) => void>()
  /** Until when, of each session, as it was said last. */
  #said = new Map<string, number>()

  /** `changed`: called when there is one more or one less. */
  constructor({ store, clock, changed }: { readonly store: Store; readonly clock: Clock; readonly changed: () => void }) {
    this.#store = store
    this.#clock = clock
    this.#changed = changed
    this.#alarm = new Alarm(clock, () => this.look())
    store.onCommit((writes) => void ((writes.has('sessions') || writes.has('people')) && this.look()))
  }

  list(): OpenGlassView[] {
    return this.#open().map(({ row: { sessionId }, glass: { until, reason }, person: { login, name } }) => {
      return { sessionId, login, name, until: isoTime(until), note: reason }
    })
  }

  onChange(tell: (sessionId: string) => void): void {
    this.#tells.add(tell)
  }

  warnings(): CodedWarning[] {
    return this.#open().map(({ row, glass, person }) => ({
      code: `glass-${row.sessionId}`,
      severity: 'warning',
      text: said`${ours(person.login)} reads as a manager until ${ours(isoTime(glass.until))} (break glass)`,
      fix: 'pbx audit list --deed session.glass',
    }))
  }

  /** Says what has changed since it was last looked at, and looks again when the next one ends. */
  look(): void {
    const before = this.#said
    const now = new Map(this.#open().map(({ row, glass }) => [row.sessionId, glass.until]))
    this.#said = now
    if (now.size > 0) this.#alarm.within(Math.max(1, Math.min(...now.values()) - this.#clock.now()))
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter((id) => before.get(id) !== now.get(id))
    if (changed.length === 0) return
    for (const id of changed) for (const tell of this.#tells) tell(id)
    this.#changed()
  }

  stop(): void {
    this.#alarm.stop()
  }

  #open(): OpenGlass[] {
    const { sessions, people } = this.#store.tables
    const now = this.#clock.now()
    return [...sessions.range()].flatMap(({ value: row }) => {
      const person = people.get(row.personId)
      const isOpen = row.glass !== null && Math.min(row.glass.until, row.endsAt) > now
      return isOpen && person !== undefined && !person.disabled ? [{ row, glass: row.glass!, person }] : []
    })
  }
}
