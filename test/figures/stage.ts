/** Figures on a real store, with the history and the records of calls, behind a web port with people. */
import type { Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { Figures } from '../../daemon/figures/figures.ts'
import { figureRoutes } from '../../daemon/figures/routes.ts'
import { FigureWatch } from '../../daemon/figures/watch.ts'
import { History } from '../../daemon/history/history.ts'
import { CallRecords } from '../../daemon/history/records.ts'
import type { CallRow } from '../../daemon/store/tables.ts'
import { Box } from '../people/stage.ts'

/** A call from outside, with what is given. */
export interface Rung {
  readonly at: number
  readonly from?: string
  readonly to?: string
  readonly direction?: 'inbound' | 'outbound'
  /** Extension that took it, or that calls; nobody without it. */
  readonly by?: string
  readonly waitSeconds: number
  readonly talkSeconds?: number
  readonly queue?: string
  /** Extensions that rang in vain. */
  readonly rang?: readonly string[]
}

export async function openFigures(t: Test, timeZone = 'America/New_York', begin = Date.UTC(2026, 0, 1)) {
  const log = createLog({ level: 'silent' })
  const houseOf = ({ store, clock }: Box) => {
    const history = new History({ store, clock, keepDays: 730 })
    const records = new CallRecords({ store, clock, history, live: () => undefined })
    const figures = new Figures({ store, clock, log, timeZone })
    const watch = new FigureWatch({ figures, callsWith: (number, limit) => history.withNumber(number, limit) })
    records.watch({ ended: (record) => watch.ended(record) })
    return { history, records, figures, watch }
  }
  let house: ReturnType<typeof houseOf> | undefined
  const box = await Box.open(t, { site: { name: 'Riverside', timeZone }, console: { secondStep: 'off' } }, (opened) => {
    opened.clock.advance(begin - opened.clock.now())
    house = houseOf(opened)
    return figureRoutes({ figures: house.figures, clock: opened.clock, timeZone })
  })
  const { store, clock } = box
  const { history, records, figures, watch } = house!
  await figures.start()
  /** Ends it as the daemon does: the row, its history and its figures in one transaction. */
  const end = (rung: Rung): Promise<CallRow> =>
    store.transaction(() => {
      const row = callRow(rung)
      records.write(row)
      store.tables.calls.put(row.callId, row)
      return row
    })
  return { box, store, clock, history, records, figures, watch, end }
}

function callRow({
  at,
  from = '+12125550101',
  to = '+12125550100',
  direction = 'inbound',
  by,
  waitSeconds,
  talkSeconds = 0,
  queue,
  rang = [],
}: Rung): CallRow {
  const answeredAt = by === undefined ? null : at + waitSeconds * 1000
  const endedAt = at + (waitSeconds + talkSeconds) * 1000
  const leg = (who: string, taken: boolean, trunkId = '') => ({
    ...{
      to: who,
      trunkId,
      state: 'completed' as const,
      startedAt: at,
      answeredAt: taken ? answeredAt : null,
      endedAt,
      sipCode: taken ? 200 : 0,
    },
  })
  const outgoing = direction === 'outbound'
  return Object.assign(newCallRow(at, direction), {
    ...{
      from: outgoing ? '101' : from,
      to,
      trunkId: outgoing ? '' : 'main',
      direction: 'inbound',
      extension: outgoing ? (by ?? '101') : '',
    },
    ...{ state: 'completed', startedAt: at, answeredAt, endedAt, endedBy: 'caller' },
    endReason: answeredAt === null ? 'no-answer' : 'caller-hangup',
    legs: outgoing
      ? [leg(to, by !== undefined, 'main')]
      : [...rang.map((who) => leg(who, false)), ...(by === undefined ? [] : [leg(by, true)])],
    steps: queue === undefined ? [] : [{ at, to: `queue:${queue}`, endedAt: null, outcome: '' }],
  } satisfies Partial<CallRow>)
}
