/** Texts of which parts are missing are given to the inbox as they are, when no further part is to be expected: looked at each minute. */
import { repeated, type Clock, type Repeated } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { SmsInbound } from './inbound.ts'

const times = { firstMs: 20_000, everyMs: 60_000 }

export function watchIncomplete({ inbound, clock, log }: { inbound: SmsInbound; clock: Clock; log: Log }): Repeated {
  return repeated(clock, times, () =>
    inbound.flush().catch((error: unknown) => log.error({ err: error }, 'texts without all of their parts could not be stored')),
  )
}
