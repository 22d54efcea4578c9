/** Who calls: the look-up before the phones ring, the card, who sits at an extension. */
import { ownNumber } from './own.ts'
import type { Ask, Peer } from './peer.ts'
import type { Report } from './report.ts'

interface Found {
  readonly found: boolean
  readonly matchType?: string
  readonly customer?: { readonly id: string | number } | null
}

export async function tryCallers(peer: Peer, report: Report): Promise<void> {
  await report.play(peer, 'status', { kind: 'status', path: 'sync/status' }, 'status')
  for (const [what, number] of [
    ['an unknown number', ownNumber],
    ['a number with its + as %2B', encodeURIComponent(ownNumber)],
    ['a withheld number', 'anonymous'],
  ] as const) {
    const found = await report.play<Found>(peer, 'lookup', { kind: 'lookup', path: `lookup/caller/${number}` }, 'lookup')
    if (found === null) break
    judge(report, 'lookup', what, found)
  }
  const query = 'callId=CA00000000000070008000000000000000&extension=101&direction=inbound'
  const card = await report.play<Found>(peer, 'card', { kind: 'card', path: `screen-pop/${ownNumber}?${query}` }, 'screen-pop')
  if (card !== null) judge(report, 'card', 'an unknown number', card)
  await report.play(peer, 'user', { kind: 'user', path: 'users/extension/101' }, 'extension')
}

/** That the CRM answers for the number of one of its customers. */
export async function tryKnown(
  peer: Peer,
  report: Report,
  { id, number }: { readonly id: string; readonly number: string },
): Promise<void> {
  const ask: Ask = { kind: 'lookup', path: `lookup/caller/${encodeURIComponent(number)}` }
  const heard = await peer.ask(ask)
  if (heard.status !== 200) {
    // What was not offered, or wrong, is already reported.
    return
  }
  const { found, matchType, customer } = (heard.body ?? {}) as Found
  const right = found === true && (matchType === 'ambiguous' || String(customer?.id) === id)
  const fault = `the number of customer ${id} is found as ${matchType ?? `found: ${found}`}, customer ${customer?.id ?? 'none'}`
  const fix = 'compare numbers as E.164, without spaces, dashes and brackets'
  report.judge(right, 'lookup', `the number of a customer is found (${matchType ?? 'exact'})`, fault, fix)
}

function judge(report: Report, check: string, what: string, { found, matchType = 'none', customer = null }: Found): void {
  const right = !found && matchType === 'none' && customer === null
  const fix = 'answer 200 with found: false'
  report.judge(right, check, `${what}: nobody`, `${what} is answered with found: ${found}, matchType: ${matchType}`, fix)
}
