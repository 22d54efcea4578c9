/** The other machine of a pair, as the one that serves sees it. A box that is alone pays nothing for it. */
import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { isoTime } from '../base/clock.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning } from '../base/health.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { PairView } from '../schema/operation.ts'
import { standingIn, type PairStanding } from './standing.ts'

/** The agent of the machine writes every 10 s. */
const staleMs = 45_000
/** A witness that is started again is no fault. */
const witnessAwayMs = 60_000
/** Pacemaker forgets in 20 s what made the pair move; a person is to hear of it. */
const failureMs = 600_000

const silent: CodedWarning = {
  code: 'pair-silent',
  severity: 'warning',
  text: 'Pacemaker does not say how the pair stands, so nobody knows whether the other machine would take over',
  fix: 'systemctl status corosync corosync-qdevice pacemaker',
}

const witnessAway: CodedWarning = {
  code: 'pair-witness',
  severity: 'warning',
  text: 'The witness of the pair is away: when a machine dies now, the other one stops, too',
  fix: 'pbx pair test; on the witness: systemctl status corosync-qnetd',
}

/** `here`: the name of this machine, which Pacemaker has from the system. */
export function pairPart({ pairFile, clock }: Pick<Core, 'pairFile' | 'clock'>, here: string = hostname()): Part {
  const name = 'pair'
  if (pairFile === undefined) return { name }
  let witnessAwaySince: number | null = null
  let failed: { readonly what: string; readonly at: number } | null = null
  return {
    name,
    *warnings() {
      const standing = readStanding(pairFile, clock.now())
      const now = clock.elapsed()
      witnessAwaySince = standing?.witness === false ? (witnessAwaySince ?? now) : null
      if (standing === null) yield silent
      else yield* warningsOf(standing, here)
      if (standing !== null && standing.failures.length > 0) failed = { what: standing.failures.join('; '), at: now }
      if (failed !== null && now - failed.at < failureMs) yield failure(failed.what)
      if (witnessAwaySince !== null && now - witnessAwaySince >= witnessAwayMs) yield witnessAway
    },
  }
}

function readStanding(file: string, now: number): PairStanding | null {
  try {
    if (Math.abs(now - statSync(file).mtimeMs) > staleMs) return null
    return standingIn(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** null where the box is one machine. */
export function pairView({ pairFile }: Pick<Core, 'pairFile'>, here: string = hostname()): () => PairView | null {
  return () => (pairFile === undefined ? null : viewOf(pairFile, here))
}

function viewOf(file: string, here: string): PairView {
  const standing = readStanding(file, Date.now())
  return {
    here,
    since: isoTime(whenTouched(join(dirname(file), 'active'))),
    known: standing !== null,
    witness: standing?.witness ?? null,
    machines: (standing?.machines ?? []).map(({ name, role, version, fit }) => ({ name, role, version, fit })),
  }
}

/** The agent makes the mark when this machine is to serve. */
function whenTouched(mark: string): number | null {
  try {
    return Math.round(statSync(mark).mtimeMs)
  } catch {
    return null
  }
}

function failure(what: string): CodedWarning {
  const text = said`Pacemaker says that this failed in the pair: ${ours(what)}`
  return { code: 'pair-failure', severity: 'warning', text, fix: 'pbx pair status; crm_resource --cleanup' }
}

function* warningsOf({ machines }: PairStanding, here: string): Iterable<CodedWarning> {
  for (const { name, role, version, fit } of machines) {
    if (name === here) continue
    const code = `pair-${name}`
    if (role === 'away' || role === 'unknown') {
      const text = said`Machine ${ours(name)} of the pair is away: if this one dies, nobody takes over`
      yield { code, severity: 'warning', text, fix: `switch ${name} on; pbx pair status` }
    } else if (!fit) {
      const text = said`Machine ${ours(name)} of the pair cannot take over: its version ${ours(version || 'is not known and')} is older than the store's`
      yield { code, severity: 'warning', text, fix: `on ${name}: pbx upgrade` }
    }
  }
}
