/** Whether SIP listens where the configuration says: a part of `/readyz`, a warning for each listener that does not. */
import type { SipDriver } from '../drivers/sip/driver.ts'
import { listenerNames } from '../drivers/sip/listeners.ts'
import type { Health } from './health.ts'

type Driver = Pick<SipDriver, 'closedListeners'>

export function reportListeners(health: Health, driver: Driver): void {
  health.part('listeners', () => {
    const closed = driver.closedListeners()
    const names = listenerNames.filter((name) => closed.some(({ part }) => part === name)).map((name) => name.toUpperCase())
    return {
      ok: closed.length === 0,
      reason: closed.length === 0 ? '' : `SIP does not listen on ${names.join(' and ')}`,
      detail: closed.map(({ part, text }) => `sip.${part} ${text}`).join('; '),
    }
  })
}

/** Brings the warnings up to date. */
export function declareListeners(health: Health, driver: Driver): void {
  const closed = driver.closedListeners()
  for (const name of listenerNames) {
    const fault = closed.find(({ part }) => part === name)
    if (fault === undefined) health.clear(`listener-${name}`)
    else
      health.warn(`listener-${name}`, {
        severity: 'error',
        text: `SIP does not listen on ${name.toUpperCase()}: ${fault.text}; it is tried again and again`,
        fix: `pbx config check; stop the program that has the port, or write another address, or off, into sip.${name}`,
      })
  }
}
