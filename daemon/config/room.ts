/** How many calls the box has room for at once. */
import type { Config } from '../schema/config.ts'
import type { MeaningContext } from './checks/context.ts'

/** What a clinic never reaches. */
const usualCalls = 400
/** The least and the most that `sip.calls` may be. */
export const leastCalls = 50
export const mostCalls = 1000
/** Legs beyond `sip.calls`, for calls for help (drivers/sip/engine/sip/room.h). */
const forHelp = 4
/** RTP and RTCP, and some more: a port is left alone for as long as there are others, and a few are other programs'. */
const portsPerCall = 2.2
/** Each has an account in PJSUA, which has room for 128 with those of the phones and of trunks that carry their last calls. */
const mostTrunks = 100

const portsFor = (calls: number): number => Math.ceil((calls + forHelp) * portsPerCall)

/** Written as a pair once it is loaded, and as `10000-19999` before. */
function portsIn(rtpPorts: unknown): number {
  const [low = 0, high = 0] = Array.isArray(rtpPorts) ? rtpPorts.map(Number) : String(rtpPorts).split('-').map(Number)
  return high - low + 1
}

/** `sip.calls`, or what `sip.rtpPorts` has room for where that is less than usual and nothing is written. */
export function callsAtOnce({ calls, rtpPorts }: Config['sip']): number {
  return calls ?? Math.max(1, Math.min(usualCalls, Math.floor(portsIn(rtpPorts) / portsPerCall) - forHelp))
}

export function checkRoom({ sip, trunks }: Config, { fault }: MeaningContext): void {
  const most = callsAtOnce(sip)
  const ports = portsIn(sip.rtpPorts)
  if (sip.calls !== undefined && ports < portsFor(sip.calls)) {
    const [low = 0] = Array.isArray(sip.rtpPorts) ? sip.rtpPorts : String(sip.rtpPorts).split('-').map(Number)
    const high = low + portsFor(sip.calls) - 1
    const wider = high <= 65535 ? `write rtpPorts: ${low}-${high}` : `write rtpPorts: 10000-19999`
    fault(['sip', 'rtpPorts'], `${ports} ports are too few for ${sip.calls} calls at once (sip.calls); ${wider}`)
  }
  if (trunks.length > mostTrunks) fault(['trunks', mostTrunks], `there are ${trunks.length} trunks; at most ${mostTrunks} are possible`)
  const sum = trunks.reduce((channels, trunk) => channels + trunk.channels, 0)
  if (trunks.length === 0 || sum <= most) return
  const text = `all trunks together have ${sum} channels, but at most ${most} calls are possible at once`
  const last = trunks.length - 1
  const more = `write sip: { calls: ${sum} }`
  const remedy = sum > mostCalls ? `write fewer channels: sip.calls can be at most ${mostCalls}` : `${more}, or fewer channels`
  fault(['trunks', last, 'channels'], `${text}; ${remedy}`)
}
