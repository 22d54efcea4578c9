/** A history of calls as a clinic has it, with its figures, put into the store of a box that stands still. The same seed is the same calls. */
import { join } from 'node:path'
import { DateTime } from 'luxon'
import { systemClock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import { Figures } from '../../daemon/figures/figures.ts'
import { FigureWatch } from '../../daemon/figures/watch.ts'
import { History } from '../../daemon/history/history.ts'
import type { HistoryRow } from '../../daemon/store/history-rows.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'

const log = createLog({ level: 'silent' })
export const houseNumber = '+15550001000'
const names = ['Ana Ruiz', 'Ben Okafor', 'Cleo Marsh', 'Dana Price', 'Emil Novak', 'Fay Lindqvist', 'Gus Ortiz', 'Hana Sato', '', '']

/** 0 to 1, always the same ones (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface CallSpec {
  /** Its beginning, milliseconds since the epoch. */
  readonly at: number
  readonly from?: string
  readonly name?: string
  readonly outcome?: HistoryRow['outcome']
  /** Extension that talked, or that calls. */
  readonly by?: string
  /** Number outside that was called; the call came from outside without it. */
  readonly to?: string
  readonly queue?: string
  readonly rang?: readonly string[]
  readonly waitSeconds?: number
  readonly talkSeconds?: number
  readonly more?: Partial<HistoryRow>
}

let made = 0

/** The row of an ended call. */
export function callOf(spec: CallSpec): HistoryRow {
  const { at, from = '', name = '', by = '', to, queue, rang = [], waitSeconds = 20, talkSeconds = 120, more = {} } = spec
  const outcome = spec.outcome ?? (by === '' ? 'missed' : 'answered')
  const talked = outcome === 'answered'
  const answeredAt = talked ? at + waitSeconds * 1000 : null
  const endedAt = at + (waitSeconds + (talked ? talkSeconds : 0)) * 1000
  const leg = (who: string, trunkId: string, taken: boolean) => ({
    ...{ to: who, trunkId, startedAt: at, answeredAt: taken ? answeredAt : null, endedAt: taken ? endedAt : (answeredAt ?? endedAt) },
    sipCode: taken ? 200 : 487,
  })
  const outside = to !== undefined
  return {
    ...{ callId: `CA${(++made).toString(16).padStart(32, '0')}`, direction: outside ? 'outbound' : 'inbound', outcome, callerName: name },
    ...{ from: outside ? by : from, to: to ?? houseNumber, trunkId: outside ? '' : 'main', extension: talked || outside ? by : '' },
    ...{ endpointId: '', startedAt: at, answeredAt, endedAt, ringSeconds: waitSeconds, talkSeconds: talked ? talkSeconds : 0 },
    ...{ hangupCause: 16, endedBy: 'caller', sipCode: talked ? 200 : 487, recordings: [] },
    steps: queue === undefined ? [] : [{ at, to: `queue:${queue}`, endedAt: answeredAt, outcome: talked ? 'answered' : '' }],
    legs: outside
      ? [leg(to, 'main', talked)]
      : [...rang.filter((one) => one !== by).map((one) => leg(one, '', false)), ...(talked ? [leg(by, '', true)] : [])],
    ...more,
  }
}

/** So many calls in the working hours of the days before `now`, in the order in which they ended. */
export function manyCalls({
  count,
  now,
  days,
  zone,
  seed = 1,
}: Readonly<Record<'count' | 'now' | 'days', number>> & { zone: string; seed?: number }): HistoryRow[] {
  const throwDice = dice(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(throwDice() * all.length)]!
  const today = DateTime.fromMillis(now, { zone }).startOf('day')
  const rows = Array.from({ length: count }, () => {
    const day = today.minus({ days: 1 + Math.floor(throwDice() * days) })
    const at = day
      .set({ hour: 8 + Math.floor(throwDice() ** 1.4 * 10), minute: Math.floor(throwDice() * 60), second: Math.floor(throwDice() * 60) })
      .toMillis()
    const who = Math.floor(throwDice() * 800)
    const number = `+1202555${String(1000 + who)}`
    const by = pick(['101', '102', '103'])
    const kind = throwDice()
    const facts = { at, waitSeconds: Math.floor(throwDice() ** 3 * 200), talkSeconds: 20 + Math.floor(throwDice() ** 2 * 600) }
    if (kind < 0.25) return callOf({ ...facts, by, to: number, outcome: throwDice() < 0.8 ? 'answered' : 'no-answer' })
    const inbound = {
      ...facts,
      from: throwDice() < 0.03 ? '' : number,
      name: names[who % names.length]!,
      queue: pick(['front', 'nurses']),
      rang: ['101', '102'],
    }
    if (kind < 0.8) return callOf({ ...inbound, by })
    return callOf({ ...inbound, outcome: pick(['missed', 'abandoned', 'abandoned', 'voicemail']) })
  })
  return rows.toSorted((a, b) => a.endedAt - b.endedAt)
}

/** `dir`: the storage directory. `also`: what else is to be in the store. */
export async function keepCalls(
  dir: string,
  rows: readonly HistoryRow[],
  zone: string,
  also: (store: Store) => void = () => undefined,
): Promise<void> {
  const store = await openStore(join(dir, 'store'), log)
  const history = new History({ store, clock: systemClock, keepDays: 730 })
  const figures = new Figures({ store, clock: systemClock, log, timeZone: zone })
  const watch = new FigureWatch({ figures, callsWith: (number, limit) => history.withNumber(number, limit) })
  await history.start()
  await figures.start()
  for (let at = 0; at < rows.length; at += 500)
    await store.transaction(() => {
      for (const row of rows.slice(at, at + 500)) {
        history.insert(row)
        watch.ended(history.view(row))
      }
    })
  await store.transaction(() => also(store))
  await store.close()
}
