/** Whether the engine, its listeners and the trunks work: for `/readyz`. */
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { listenerNames } from '../../drivers/sip/listeners.ts'
import type { PartState } from '../base/health.ts'

export function engineState(driver: SipDriver): PartState {
  const { ok, reason, facts } = driver.health()
  const running = facts.pid !== undefined
  return { ok, reason: ok ? '' : running ? 'the SIP engine has nothing to listen on' : 'the SIP engine is not running', detail: reason }
}

export function listenerState(driver: SipDriver): PartState {
  const closed = driver.closedListeners()
  const names = listenerNames.filter((name) => closed.some(({ part }) => part === name)).map((name) => name.toUpperCase())
  return {
    ok: closed.length === 0,
    reason: closed.length === 0 ? '' : `SIP does not listen on ${names.join(' and ')}`,
    detail: closed.map(({ part, text }) => `sip.${part} ${text}`).join('; '),
  }
}

export function trunkState(driver: SipDriver): PartState {
  const down = driver.lines().filter((line) => line.kind === 'trunk' && !line.ok)
  return {
    ok: down.length === 0,
    reason: down.length === 0 ? '' : 'a trunk is down',
    detail: down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; '),
    required: false,
  }
}
