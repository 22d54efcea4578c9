/**
 * A box whose store cannot be opened (a broken file, a disk that is read-only or gone, a store of a newer version) is a telephone system all
 * the same: it registers phones, places calls, 911 first of all, and takes them, with rows in memory, and refuses whatever has to last. The
 * store is not touched. It is asked for again and again; once it opens, what the calls left in memory is written into it.
 */
import { join } from 'node:path'
import { statOf } from '../drivers/stat.ts'
import { Audit } from './audit/audit.ts'
import { isTerminal } from './calls/state.ts'
import type { Clock } from './base/clock.ts'
import { History } from './history/history.ts'
import type { Log } from './base/log.ts'
import { dataFile, openStore, standInStore, StoreError, type Store, type StoreOptions } from './store/store.ts'
import type { CallRow } from './store/tables.ts'

export interface Opened {
  readonly store: Store
  /** Of a stand-in: whether the real one can be opened by now; then it has the rows of the calls and is closed again. null: it is the real one. */
  readonly comeBack: (() => Promise<boolean>) | null
}

export interface StandInOptions extends StoreOptions {
  readonly dir: string
  readonly clock: Clock
  readonly log: Log
  /** Why the store cannot be read, which was found out after it was opened. */
  readonly broken?: string
  /** How long the history of calls is kept. */
  readonly historyDays: number
}

/** Throws StoreError where another daemon has the store: that one has the telephones. */
export async function openOrStandIn(given: StandInOptions): Promise<Opened> {
  const { dir, log, broken, ...how } = given
  try {
    if (broken !== undefined) throw new StoreError('not-writable', `The store in ${dir} cannot be read: ${broken}`)
    return { store: await openStore(dir, log, how), comeBack: null }
  } catch (error) {
    if (!(error instanceof StoreError) || error.code === 'in-use') throw error
    log.fatal({ err: error, dir }, 'THE STORE CANNOT BE OPENED: calls continue, but nothing is stored')
    const standIn = standInStore(error.message, log)
    const stamp = stampOf(dir)
    const stuck = broken !== undefined || error.code === 'not-migrated'
    return {
      store: standIn,
      async comeBack() {
        // Somebody has to put another one there: this one opens, and cannot be read or migrated.
        if (stuck && stampOf(dir) === stamp) return false
        const real = await openStore(dir, log, how).catch(() => null)
        if (real === null) return false
        try {
          await carry(standIn, real, given)
          return true
        } catch (failed) {
          log.warn({ err: failed }, 'the store can be opened again, and not written yet')
          return false
        } finally {
          await real.close()
        }
      },
    }
  }
}

/** Another one where the file is another. */
function stampOf(dir: string): string {
  const { ino = 0, size = 0, mtimeMs = 0 } = statOf(join(dir, dataFile)) ?? {}
  return [ino, size, mtimeMs].join()
}

/** Whether LMDB met something in its file that cannot be. */
export function isBroken(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('MDB_')
}

const carried = ['liveCalls', 'callTraces', 'registrations'] as const

/** What became of a call that the store knew better before: of its row the stand-in had what its legs say. */
function courseOf({ state, activity, endedAt, talkSeconds, endReason, endedBy, sipCode }: CallRow): Partial<CallRow> {
  return { state, activity, endedAt, talkSeconds, endReason, endedBy, sipCode }
}

async function carry(from: Store, to: Store, { clock, log, historyDays }: StandInOptions): Promise<void> {
  const audit = new Audit({ store: to, clock, log })
  const history = new History({ store: to, clock, keepDays: historyDays })
  await to.transaction(() => {
    for (const { key, value } of from.tables.calls.range()) {
      const known = to.tables.calls.get(key)
      const row = known === undefined ? value : { ...known, ...courseOf(value) }
      if (isTerminal(row.state) && (known === undefined || !isTerminal(known.state))) history.add(row)
      to.tables.calls.put(key, row)
    }
    for (const name of carried) for (const { key, value } of from.tables[name].range()) to.tables[name].putText(key, JSON.stringify(value))
    for (const { value } of from.tables.audit.range()) {
      const { actor, address, deed, object, outcome, count, requestId, time } = value
      audit.record({
        actor,
        address,
        deed: deed as Parameters<Audit['record']>[0]['deed'],
        object,
        outcome,
        count,
        requestId,
        at: Date.parse(time),
      })
    }
  }, 'calls')
}
