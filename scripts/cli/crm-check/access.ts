/** Whether the CRM can be reached, and whom it lets in: signatures, their time, tokens, and its clock. */
import { kinds, type Ask, type Heard, type Peer } from './peer.ts'
import { notOffered, shown, type Report } from './report.ts'
import { ownNumber } from './own.ts'

const asks: readonly Ask[] = [
  { kind: 'lookup', path: `lookup/caller/${ownNumber}` },
  { kind: 'status', path: 'sync/status' },
  { kind: 'card', path: `screen-pop/${ownNumber}` },
]
const mostSkewMs = 300_000
const warnedSkewMs = 60_000

/** Whether there is somebody to go on with. */
export async function tryAccess(peer: Peer, report: Report): Promise<boolean> {
  const { url, secret, token } = peer.options
  let heard: Heard | undefined
  let ask = asks[0]!
  for (ask of asks) {
    heard = await peer.ask(ask)
    if (heard.status !== 0 && !notOffered(heard)) break
  }
  if (heard === undefined || heard.status === 0) {
    report.wrong('reach', `${url} cannot be reached: ${heard?.text ?? ''}`, 'check that the program runs, and check the address and port')
    return false
  }
  judgeClock(report, heard)
  const right = heard.status !== 401 && heard.status !== 403
  const why = `a request with ${secret === '' ? 'the token' : 'a valid signature'} is refused with ${heard.status}: ${shown(heard.text)}`
  const fix = /stale/.test(heard.text)
    ? 'set the clock of the CRM (NTP); accept a difference of up to 300 s'
    : 'check that both sides have the same secret and token, and that you verify the signature over the raw body'
  report.judge(right, 'access', 'a valid request is accepted', why, fix)
  if (!right) return false
  await trySignatures(peer, report, ask)
  if (token !== '') await mustRefuse(peer, report, 'token', 'a wrong token', { ...ask, token: 'wrong' })
  return true
}

function judgeClock(report: Report, { skewMs }: Heard): void {
  if (skewMs === null) return report.skipped('clock', 'the answers have no Date header: the clock of the CRM is not known')
  const seconds = Math.round(skewMs / 1000)
  const off = Math.abs(skewMs)
  const words = `its clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the one here`
  if (off < mostSkewMs && off > warnedSkewMs) return report.skipped('clock', `${words}: signatures are refused from 300 s`)
  return report.judge(off <= warnedSkewMs, 'clock', words, words, 'set the clock of the CRM, or the one here (NTP)')
}

async function trySignatures(peer: Peer, report: Report, ask: Ask): Promise<void> {
  const { secret } = peer.options
  if (secret === '') return report.skipped('signature', 'no --secret was given: signatures are not tested')
  await mustRefuse(peer, report, 'signature', 'a wrong signature', { ...ask, secret: `${secret}-wrong` })
  await mustRefuse(peer, report, 'signature', 'a request without a signature', { ...ask, secret: '' })
  await mustRefuse(peer, report, 'signature', 'a signature that is ten minutes old', { ...ask, offMs: -600_000 })
  await mustRefuse(peer, report, 'signature', 'a signature from ten minutes in the future', { ...ask, offMs: 600_000 })
  const page: Ask = { kind: 'page', path: 'sync/full', body: { cursor: null, limit: 1 }, signed: { cursor: null, limit: 2 } }
  await mustRefuse(peer, report, 'signature', 'a body that differs from the signed one', page)
}

async function mustRefuse(peer: Peer, report: Report, check: string, what: string, ask: Ask): Promise<void> {
  const heard = await peer.ask(ask)
  if (heard.status === 401 || heard.status === 403) return report.good(check, `${what} is refused (${heard.status})`)
  if (notOffered(heard)) return
  const got = heard.status === 0 ? heard.text : `it is answered ${heard.status}`
  const fix = `check X-Service-Signature over "<X-Service-Timestamp>.<raw body>" and that the time is within 300 s, before you process the request; answer 401 or 403`
  report.wrong(check, `${what} is not refused: ${got} (${kinds[ask.kind].method} /api/pbx/${ask.path})`, fix)
}
