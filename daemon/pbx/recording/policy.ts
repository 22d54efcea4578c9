/** Which talks the configuration has recorded. Pure. */
import type { Leg } from '../../../drivers/line.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Config } from '../../schema/config.ts'
import type { RecordPolicy } from '../../schema/config/pbx-recording.ts'
import type { Party } from '../../calls/party.ts'

export interface RecordedSide {
  readonly party: Pick<Party, 'extension' | 'trunkId'>
  /** Of the leg: `outbound` where the box has called it. */
  readonly direction: Leg['direction']
}

type RecordConfig = Pick<Config, 'extensions' | 'trunks' | 'queues'>

/** Whose policy wants it, such as `extension 101`; null: nobody's. */
export function recordedFor(
  { extensions, trunks, queues }: RecordConfig,
  row: Pick<CallRow, 'direction' | 'steps' | 'record'>,
  sides: readonly RecordedSide[],
): string | null {
  if (row.record === true) return 'the requester of the call'
  for (const { party, direction } of sides) {
    const extension = extensions.find(({ number }) => number === party.extension)
    // A phone that calls the box makes a call out.
    if (wants(extension?.record, direction === 'inbound' ? 'outbound' : 'inbound')) return `extension ${party.extension}`
    const trunk = trunks.find(({ id }) => id === party.trunkId)
    if (wants(trunk?.record, direction)) return `trunk ${party.trunkId}`
  }
  const waits = queues.find(({ id }) => row.steps?.some(({ to, endedAt }) => endedAt === null && to === `queue:${id}`) === true)
  return waits !== undefined && wants(waits.record, row.direction) ? `queue ${waits.id}` : null
}

function wants(policy: RecordPolicy | undefined, direction: Leg['direction']): boolean {
  return policy === 'all' || policy === direction
}
