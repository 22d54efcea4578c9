/** Whether texts can be sent now, and through which trunks, for those who look at the box. */
import type { SmsTrunk } from '../../drivers/sms.ts'
import { isoTime } from '../base/clock.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { SmsTrunkView } from '../schema/sms.ts'

export interface SmsCondition {
  readonly ok: boolean
  /** Without names and numbers; '' when all is well. */
  readonly reason: string
  readonly detail: string
}

/** A trunk that is only starting is no fault. */
export function isDown({ ok, state }: { ok: boolean; state: string }): boolean {
  return !ok && state !== 'starting'
}

export function smsCondition(trunks: readonly SmsTrunkView[]): SmsCondition {
  if (trunks.length === 0) return { ok: true, reason: '', detail: 'no trunk for texts is configured' }
  const down = trunks.filter(isDown)
  const works = trunks.filter(({ ok }) => ok)
  const reason = down.length === 0 ? '' : down.length === trunks.length ? 'no trunk can send texts' : 'a trunk for texts is down'
  const sends = works.length === 0 ? 'cannot send' : `sends through ${works.map(({ id }) => id).join(', ')}`
  const faults = trunks.filter(({ ok }) => !ok).map(({ id, state, reason: why }) => `${id}: ${why === '' ? state : why}`)
  return { ok: down.length === 0, reason, detail: [sends, ...faults].join('; ') }
}

export function* trunkWarnings(trunks: readonly SmsTrunkView[]): Iterable<CodedWarning> {
  for (const trunk of trunks.filter(isDown)) {
    const text = said`Text trunk ${ours(trunk.id)}: ${trunk.reason === '' ? trunk.state : trunk.reason}`
    yield { code: `sms-${trunk.id}`, kind: 'line', severity: 'error', text, fix: 'pbx sms trunks' }
  }
}

export function trunkView(trunk: SmsTrunk, isDefault: boolean): SmsTrunkView {
  const { id, kind, number } = trunk
  const { ok, state, text, since, facts } = trunk.status()
  return { id, kind, number, default: isDefault, ok, state, reason: text, since: isoTime(since), facts }
}
