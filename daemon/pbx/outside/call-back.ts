/** Whom the house may call back by the number that they showed. Whoever calls from outside writes that number themselves. Pure. */
import { emergencyNumberIn } from '../emergency/numbers.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { createReach } from '../../numbers/reach.ts'
import { callLines } from '../../schema/call-lines.ts'
import type { Config } from '../../schema/config.ts'

/** A phone of the house, or a telephone outside: never a call for help, a code, or the house itself; false for a withheld number. */
export function canCallBack(config: Config, number: string): boolean {
  if (number === '' || emergencyNumberIn(config, number) !== null) return false
  if (config.extensions.some((extension) => extension.number === number)) return true
  return isOutside(config, number)
}

/** A telephone outside, and no number at which the house is called itself. */
export function isOutside(config: Config, number: string): boolean {
  const { country } = config.site
  const read = normaliseNumber(number, country)
  if (emergencyNumberIn(config, number) !== null || isOwn(config, [number, read.dial])) return false
  return read.kind === 'e164' || (read.kind === 'short' && createReach(config).mayReach(read, 'call').allowed)
}

/** A number of a line, of an extension, or one that a rule of `inbound` leads on; a rule for every number says nothing of this one. */
function isOwn(config: Config, spellings: readonly string[]): boolean {
  const { site, extensions, inbound } = config
  const same = (own: string | undefined): boolean => own !== undefined && spellings.includes(normaliseNumber(own, site.country).e164 ?? own)
  const routed = inbound.some(({ to, extension }) =>
    extension !== undefined || to === '*' ? false : to.endsWith('*') ? spellings.some((one) => one.startsWith(to.slice(0, -1))) : same(to),
  )
  return (
    routed ||
    same(site.number) ||
    extensions.some(({ number }) => same(number)) ||
    callLines(config).some(({ numbers }) => numbers.some(same))
  )
}
