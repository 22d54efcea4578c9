/** Who is on the telephone at the moment. */
import type { Call } from '../../calls/call.ts'

/** Whether a phone of the extension calls somebody or talks; one that only rings is free. */
export function isEngaged(calls: readonly Call[], extension: string): boolean {
  return calls.some(
    ({ row, party }) =>
      row.endedAt === null &&
      (party.extension === extension ||
        (row.legs ?? []).some(({ to, trunkId, state }) => to === extension && trunkId === '' && state === 'in-progress')),
  )
}
