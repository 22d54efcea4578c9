/** Plays every request that the box ever sends against a CRM, and says what is wrong. */
import { tryAccess } from './access.ts'
import { tryCallers, tryKnown } from './callers.ts'
import { tryCalls } from './calls.ts'
import { tryCustomers } from './customers.ts'
import { Peer, type PeerOptions } from './peer.ts'
import { Report, type Finding } from './report.ts'

export interface Trial {
  readonly findings: readonly Finding[]
  readonly wrongs: number
  /** Calls that were written into the CRM. */
  readonly wrote: readonly string[]
}

/** `told`: of each finding at once. */
export async function tryCrm(options: PeerOptions, told?: (finding: Finding) => void): Promise<Trial> {
  const peer = new Peer(options)
  const report = new Report(told)
  let wrote: string[] = []
  if (await tryAccess(peer, report)) {
    await tryCallers(peer, report)
    const known = await tryCustomers(peer, report, Date.now())
    if (known !== null) await tryKnown(peer, report, known)
    wrote = await tryCalls(peer, report, Date.now())
  }
  return { findings: report.findings, wrongs: report.wrongs, wrote }
}
