/** Where a call was sent on, for its record. */
import type { TransferRow } from '../store/tables.ts'
import type { Call } from './call.ts'

const mostKept = 50

export function noteTransfer({ row }: Call, to: string, kind: TransferRow['kind'], at: number): void {
  row.transfers = [...(row.transfers ?? []), { at, to, kind }].slice(-mostKept)
}
