/** Warnings about whom the telephone side believes, and whom it had to refuse. */
import type { SipDriver } from '../drivers/sip/driver.ts'
import type { UnroutedCall } from './calls/unrouted.ts'
import { forgeable, forgeableFix, forgeableText } from './config/trust-meaning.ts'
import type { Health } from './health.ts'
import type { Config } from './schema/config.ts'

/** Brings these warnings up to date. */
export function declareSignalling(health: Health, config: Config, driver: Pick<SipDriver, 'refusals'>): void {
  const refused = driver.refusals.recentConnections()
  if (refused === null) health.clear('connections-refused')
  else
    health.warn('connections-refused', {
      severity: 'warning',
      text: `${refused.count} connections to the SIP ports (TCP, TLS) were refused or ended in the last 10 minutes, the last from ${refused.address}`,
      fix: 'let only the networks of the phones and of the provider reach these ports (firewall)',
    })
  const calls = driver.refusals.recentCalls()
  for (const trunk of config.trunks) {
    const lost = calls.find(({ trunkId }) => trunkId === trunk.id)
    if (lost === undefined) health.clear(`unacknowledged ${trunk.id}`)
    else
      health.warn(`unacknowledged ${trunk.id}`, {
        severity: 'warning',
        text:
          `Trunk ${trunk.id}: ${lost.ended} answered calls of the last 10 minutes were never acknowledged and ${lost.refused} were refused therefore, ` +
          `the last from ${lost.address}: either somebody forges calls, or packets of this system do not reach the provider`,
        fix: trunk.authenticateInbound ? 'pbx lines' : forgeableFix,
      })
    if (!trunk.tlsVerify)
      health.warn(`tls-unverified ${trunk.id}`, {
        severity: 'warning',
        text: `Trunk ${trunk.id}: the certificate of ${trunk.server} is not checked: whoever is on the way can listen to its calls and make calls in its name`,
        fix: `trunks: caFile: FILE in place of tlsVerify: false`,
      })
    if (forgeable(trunk))
      health.warn(`forgeable ${trunk.id}`, { severity: 'notice', text: `Trunk ${trunk.id}: ${forgeableText}`, fix: forgeableFix })
  }
}

/** Calls that no rule fits. */
export function declareUnrouted(health: Health, calls: readonly UnroutedCall[]): void {
  const help = calls.filter(({ emergency }) => emergency)
  const other = calls.filter(({ emergency }) => !emergency)
  if (help.length === 0) health.clear('emergency-call')
  else
    health.warn('emergency-call', {
      severity: 'error',
      text: `An emergency number was dialled ${help.length} times in the last day, the last time by ${help.at(-1)!.from}, and could not be put through: phones of this system cannot reach emergency services`,
      fix: 'pbx calls --all; keep a telephone that can call for help, and say so at the phones',
    })
  if (other.length === 0) health.clear('no-route')
  else
    health.warn('no-route', {
      severity: 'warning',
      text: `${other.length} calls of the last hour were refused because no rule fits them, the last from ${other.at(-1)!.from}`,
      fix: 'pbx calls --all, pbx trace CALLID, then a rule under inbound',
    })
}
