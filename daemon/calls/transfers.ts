/** Where a call was sent on, for its record. */
import type { TransferRow } from '../store/tables.ts'
import type { Call } from './call.ts'

const mostKept = 50

export function noteTransfer({ row, time }: Call, to: string, kind: TransferRow['kind']): void {
  const at = time.now()
  row.transfers = [...(row.transfers ?? []), { at, to, kind }].slice(-mostKept)
}
