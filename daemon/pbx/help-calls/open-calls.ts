/** Calls for help that nobody has looked after yet: they are kept until a person closes them. */
import { isoTime, type Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { keep } from '../../jobs/keep.ts'
import type { HelpCallView } from '../../schema/work.ts'
import { removeEnded } from '../../store/remove-old.ts'
import type { Store } from '../../store/store.ts'
import type { HelpCallRow } from '../../store/tables.ts'
import type { EmergencyCall } from '../emergency/notices.ts'

export interface OpenHelpCallsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export class OpenHelpCalls {
  readonly #options: OpenHelpCallsOptions

  constructor(options: OpenHelpCallsOptions) {
    this.#options = options
  }

  /** Never throws, and holds up no call: tries until it is on the disk. */
  began(call: EmergencyCall): void {
    const { store, clock, log } = this.#options
    const row: HelpCallRow = { ...call, lost: false, closed: null }
    const write = (): Promise<void> => store.transaction(() => store.tables.helpCalls.put(row.callId, row))
    const failed = (err: unknown): void => log.error({ err, callId: call.callId }, 'a call for help could not be stored; trying again')
    void keep(write, { clock, failed })
  }

  /** It could not be put through. */
  lost(callId: string): void {
    const { store, log } = this.#options
    const { helpCalls } = store.tables
    store
      .transaction(() => {
        const row = helpCalls.get(callId)
        if (row !== undefined) helpCalls.put(callId, { ...row, lost: true })
      })
      .catch((error: unknown) => log.error({ err: error, callId }, 'that a call for help was lost could not be stored'))
  }

  /** Those that nobody has closed, the latest first. */
  list(): HelpCallView[] {
    const rows = Array.from(this.#options.store.tables.helpCalls.pending(), ({ value }) => value)
    return rows.toSorted((a, b) => b.at - a.at).map(viewOf)
  }

  get(callId: string): HelpCallView | undefined {
    const row = this.#options.store.tables.helpCalls.get(callId)
    return row === undefined ? undefined : viewOf(row)
  }

  /** A person has looked after it. `alongside` runs in the transaction. Throws ApiError `call_unknown`. */
  close(callId: string, name: string, alongside: () => void): Promise<HelpCallView> {
    const { store, clock } = this.#options
    const { helpCalls } = store.tables
    return store.transaction(() => {
      const row = /^[A-Za-z0-9-]{1,64}$/.test(callId) ? helpCalls.get(callId) : undefined
      if (row === undefined) throw new ApiError('call_unknown', 'There is no call for help with that id.')
      const closed = row.closed === null ? { ...row, closed: { at: clock.now(), name } } : row
      helpCalls.put(callId, closed)
      alongside()
      return viewOf(closed)
    })
  }

  /** `keepMs`: after they were closed. */
  sweep(keepMs: number): Promise<number> {
    const { store, clock } = this.#options
    return removeEnded(store, store.tables.helpCalls, clock.now() - keepMs)
  }
}

function viewOf({ closed, at, ...row }: HelpCallRow): HelpCallView {
  return { ...row, at: isoTime(at), closedAt: isoTime(closed?.at ?? null), closedBy: closed?.name ?? null }
}
