/** All that the page of the desk shows at first, put together from what each part of the house knows. */
import type { LineStatus } from '../../drivers/line.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import type { DeclaredWarning } from '../base/health.ts'
import type { BoxState, DeskView, ReminderDay } from '../schema/desk.ts'
import type { KeptList, KeptLists, ShownName } from '../schema/shown-list.ts'
import type { CallDeed, CallRecordView } from '../schema/history.ts'
import type { QueueView } from '../schema/queues.ts'
import type { HelpCallView } from '../schema/work.ts'
import type { WorkServices } from '../work/routes.ts'
import type { WorkRow } from '../store/tables.ts'

export interface DeskOptions extends WorkServices {
  readonly clock: Pick<Clock, 'now'>
  readonly calls: () => readonly CallRecordView[]
  /** What a person may do with a call now. */
  readonly deedsOf: (callId: string) => CallDeed[]
  readonly queues: () => readonly QueueView[]
  readonly lists: KeptLists
  readonly reminders: () => ReminderDay
  readonly emergency: () => readonly HelpCallView[]
  readonly crm: () => DeskView['crm']
  readonly box: () => BoxState
  readonly waitSeconds: () => number
}

const mostItems = 50

export class Desk {
  readonly #options: DeskOptions

  constructor(options: DeskOptions) {
    this.#options = options
  }

  /** `isShown`: whether the reader may see an item of work. */
  view(isShown: (row: WorkRow) => boolean): DeskView {
    const { clock, work, views, calls, deedsOf, queues, lists, reminders, emergency, crm, box, waitSeconds } = this.#options
    const open = work.open().filter(isShown)
    return {
      asOf: isoTime(clock.now()),
      calls: calls().map((call) => ({ ...call, deeds: deedsOf(call.callId) })),
      ...{ queues: [...queues()], ...allOf(lists) },
      work: { counts: views.counts(open), items: open.slice(0, mostItems).map((row) => views.view(row)) },
      ...{ reminders: reminders(), emergency: [...emergency()], crm: crm(), box: box(), waitSeconds: waitSeconds() },
    }
  }
}

function allOf(lists: KeptLists): Pick<DeskView, ShownName> {
  const all = Object.entries<KeptList<object>>(lists).map(([name, kept]) => [name, [...kept.list()]])
  return Object.fromEntries(all) as Pick<DeskView, ShownName>
}

/** How the box is, in one sentence for people who do not repair it. */
export function boxState(
  warnings: readonly DeclaredWarning[],
  lines: readonly LineStatus[],
  writes: Pick<BoxState, 'texts' | 'faxes'>,
): BoxState {
  const outside = lines.filter(({ kind }) => kind !== 'extension')
  const up = outside.filter(({ ok }) => ok)
  const state = outside.length === up.length ? 'all' : up.length === 0 ? 'none' : 'some'
  const safeMode = warnings.some(({ code }) => code === 'config-refused')
  const faults = warnings.filter(({ severity }) => severity === 'error').length
  const down = outside.filter(({ ok }) => !ok).map(({ id }) => id)
  const text =
    state === 'none'
      ? 'All lines to the outside are down.'
      : state === 'some'
        ? `Some lines are down: ${down.join(', ')}.`
        : safeMode
          ? 'The box runs on its last good settings.'
          : faults > 0
            ? 'Something needs the technician.'
            : outside.length === 0
              ? 'All is well.'
              : 'All lines work.'
  return { ok: state === 'all' && !safeMode && faults === 0, text, lines: state, safeMode, ...writes }
}
