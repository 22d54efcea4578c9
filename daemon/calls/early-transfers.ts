/**
 * Transfers (REFER) that a phone asks for at the very moment of the answer, before its conversation has begun: they wait for a short while,
 * and are declined where no conversation begins.
 */
import type { Leg } from '../../drivers/line.ts'
import { pbxLeg, type TransferRequest } from '../../drivers/pbx.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { TransferRow } from '../store/tables.ts'
import type { Call } from './call.ts'

/** Where a call was sent on, for its record. */
const mostKept = 50

export function noteTransfer({ row, time }: Call, to: string, kind: TransferRow['kind']): void {
  const at = time.now()
  row.transfers = [...(row.transfers ?? []), { at, to, kind }].slice(-mostKept)
}

type Asked = (request: TransferRequest) => void

const patienceMs = 2000
const declined = 603

const early = new WeakMap<Leg, { readonly request: TransferRequest; readonly timer: Timer }>()

/** Call this before the answer, for a leg that may have a conversation. */
export function expectTransfers(leg: Leg | null, clock: Clock): void {
  pbxLeg(leg)?.onTransfer((request) => {
    if (leg === null || early.has(leg)) return request.progress(declined)
    const timer = clock.after(patienceMs, () => {
      early.delete(leg)
      request.progress(declined)
    })
    early.set(leg, { request, timer })
  })
}

/** `asked` has what was asked for already, soon, and all that follows. */
export function takeTransfers(leg: Leg, asked: Asked): void {
  pbxLeg(leg)?.onTransfer(asked)
  const waiting = early.get(leg)
  if (waiting === undefined) return
  early.delete(leg)
  waiting.timer.cancel()
  queueMicrotask(() => asked(waiting.request))
}
