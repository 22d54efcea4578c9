/** Calls from outside that nobody took: each extension, group and queue that they were for is noted, where it has `notifyMissed`. */
import { parseDestination } from '../schema/destination.ts'
import type { CallRecordView } from '../schema/history.ts'
import type { Store } from '../store/store.ts'
import type { Notices } from './notices.ts'
import { partyOf, type Places } from './subjects.ts'

export interface MissedOptions {
  readonly config: Places
  readonly store: Pick<Store, 'tables'>
  readonly notices: Pick<Notices, 'note'>
}

export class MissedCalls {
  readonly #options: MissedOptions

  constructor(options: MissedOptions) {
    this.#options = options
  }

  /** Inside the transaction that writes the record. */
  changed(record: CallRecordView): void {
    const { config, store, notices } = this.#options
    // A change to the record of a call that has ended is no second end.
    const ends = record.state === 'ended' && (record.rev === 1 || store.tables.liveCalls.get(record.callId) !== undefined)
    if (!ends || !isMissed(record)) return
    const { callId, from, callerName = '', startedAt } = record
    const call = { from, callerName, at: Date.parse(startedAt) }
    for (const place of placesOf(record))
      if (partyOf(config, place) !== undefined) notices.note(`${callId} ${place}`, { kind: 'missed', place, call })
  }
}

/** Nobody talked to the caller, who left no message and sent no fax. */
function isMissed({ direction, legs, voicemailId, outcome }: CallRecordView): boolean {
  if (direction !== 'inbound' || voicemailId !== undefined || outcome === 'fax' || outcome === 'answered') return false
  return legs.every(({ answeredAt }) => answeredAt === null)
}

/** Where the call was taken, each once. A phone that rang for its group is no place of its own: one call is one notice. */
function placesOf({ steps }: CallRecordView): readonly string[] {
  return [
    ...new Set(
      steps.flatMap(({ to }) => {
        const destination = parseDestination(to)
        if (destination?.kind === 'voicemail') return [destination.extension]
        return destination?.kind === 'extension' || destination?.kind === 'group' || destination?.kind === 'queue' ? [to] : []
      }),
    ),
  ]
}
