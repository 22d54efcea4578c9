/** Warnings of the telephone side: the engine, its listeners and trunks, whom it believes, and whom it had to refuse. */
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { listenerNames } from '../../drivers/sip/listeners.ts'
import { forgeable, forgeableFix, forgeableText } from '../config/checks/trust.ts'
import { trunkMend } from '../doctor/doctor.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { Config } from '../schema/config.ts'
import { nameOfTrunk, siteOfTrunk } from '../schema/config/sites.ts'
import { startOf } from '../base/services.ts'

/** Fewer come without any ill will: what was on its way when a far end moved. */
const foreignToWarn = 10

/** Of the room for calls. */
const nearlyFull = 0.8

export function* sipWarnings(config: Config, driver: SipDriver): Iterable<CodedWarning> {
  yield* engineWarnings(driver)
  for (const line of driver.lines()) {
    if (line.kind !== 'trunk' || line.ok) continue
    const name = nameOfTrunk(line.id)
    const text = said`${ours(name.charAt(0).toUpperCase() + name.slice(1))}: ${line.reason === '' ? line.state : line.reason}`
    const configured = config.trunks.find(({ id }) => id === line.id) ?? siteOfTrunk(config, line.id)
    const fix = trunkMend({ id: line.id, state: line.state, server: configured?.server, transport: configured?.transport })
    yield { code: `line-${line.id}`, kind: 'line', severity: 'error', text, fix }
  }
  yield* signallingWarnings(config, driver)
  const closed = driver.closedListeners()
  for (const name of listenerNames) {
    const fault = closed.find(({ part }) => part === name)
    if (fault === undefined) continue
    yield {
      code: `listener-${name}`,
      severity: 'error',
      text: `SIP does not listen on ${name.toUpperCase()}: ${fault.text}; the daemon keeps trying`,
      fix: `pbx config check; stop the program that uses the port, or set sip.${name} to another address or to off`,
    }
  }
}

function* engineWarnings(driver: Pick<SipDriver, 'health'>): Iterable<CodedWarning> {
  const { ok, reason, facts } = driver.health()
  const fix = startOf(reason) ?? 'pbx doctor'
  if (!ok) yield { code: 'engine-down', severity: 'error', text: `There are no SIP calls: ${reason}`, fix }
  if (facts.realtime === false) {
    const why = String(facts.realtimeReason ?? '')
    const text = `The media clock has no real-time priority (${why}): audio may stutter when the machine is busy`
    yield { code: 'no-realtime', severity: 'warning', text, fix: 'pbx doctor' }
  }
  const lostMs = Number(facts.lostAudioRecentMs ?? 0)
  if (lostMs > 0)
    yield {
      code: 'machine-too-slow',
      severity: 'warning',
      text: `The machine was too slow for its calls: ${(lostMs / 1000).toFixed(1)} s of audio were lost within the last hour`,
      fix: 'pbx doctor; look with top what else takes the processor, or give pbxd a faster machine',
    }
  const [inUse, limit] = [Number(facts.callsInUse ?? 0), Number(facts.callsLimit ?? 0)]
  if (limit > 0 && inUse >= limit * nearlyFull)
    yield {
      code: 'calls-nearly-full',
      severity: 'warning',
      text: `${inUse} of at most ${limit} calls are in progress; further calls are refused, except emergency calls`,
      fix: 'set a larger sip.calls (at most 1000), or use another box',
    }
  const foreign = Number(facts.foreignPacketsRecent ?? 0)
  if (foreign >= foreignToWarn)
    yield {
      code: 'foreign-media',
      severity: 'warning',
      text: `${foreign} audio or fax packets that did not come from the far end of a call were dropped within the last hour: an attacker on the network tries to get into calls, or, if callers cannot hear each other, a provider sends from an address that it did not announce`,
      fix: 'look for "not its far end" in the log: add addresses of the provider to trunks[].allow and block others with a firewall; srtp protects against both',
    }
}

function* signallingWarnings(config: Config, driver: Pick<SipDriver, 'refusals'>): Iterable<CodedWarning> {
  const refused = driver.refusals.recentConnections()
  if (refused !== null)
    yield {
      code: 'connections-refused',
      severity: 'warning',
      text: said`${refused.count} connections to the SIP ports (TCP, TLS) were refused or ended in the last 10 minutes, the last from ${ours(refused.address)}`,
      fix: 'allow only the networks of the phones and of the provider to reach these ports (firewall)',
    }
  const calls = driver.refusals.recentCalls()
  for (const trunk of config.trunks) {
    const lost = calls.find(({ trunkId }) => trunkId === trunk.id)
    if (lost !== undefined)
      yield {
        code: `unacknowledged ${trunk.id}`,
        severity: 'warning',
        text: said`Trunk ${ours(trunk.id)}: ${lost.ended} answered calls of the last 10 minutes were never acknowledged and ${lost.refused} were refused for that reason, the last from ${ours(lost.address)}: either calls are forged, or packets of this system do not reach the provider`,
        fix: trunk.authenticateInbound ? 'pbx lines' : forgeableFix,
      }
    if (!trunk.tlsVerify)
      yield {
        code: `tls-unverified ${trunk.id}`,
        severity: 'warning',
        text: said`Trunk ${ours(trunk.id)}: the certificate of ${ours(trunk.server)} is not checked: an attacker on the network path can listen to its calls and make calls in its name`,
        fix: `trunks: caFile: FILE instead of tlsVerify: false`,
      }
    if (forgeable(trunk))
      yield {
        code: `forgeable ${trunk.id}`,
        severity: 'notice',
        text: said`Trunk ${ours(trunk.id)}: ${ours(forgeableText)}`,
        fix: forgeableFix,
      }
  }
}
