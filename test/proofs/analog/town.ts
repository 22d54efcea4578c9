/**
 * A town in a process of its own: an exchange, a telephone, and a modem on a pseudo terminal. It takes its orders by messages, so that a
 * driver whose process stands still does not stand still with it. Times are those of the machine's monotonic clock, in ms.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Exchange, frame } from '../../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../../drivers/sim/analog/handset.ts'
import { AnalogHost } from '../../../drivers/sim/analog/host.ts'
import { realClock } from '../../../drivers/sim/time.ts'
import { programs } from '../../modem-voice/rig.ts'
import { rankAsHardware } from './rank.ts'

export type TownOrder =
  | { readonly t: 'call' | 'lift' | 'hang-up' | 'plug' | 'unplug' | 'underruns' }
  | { readonly t: 'press'; readonly key: string }
  /** Report when it is loud, or quiet, for the first time from now on. */
  | { readonly t: 'watch'; readonly loud: boolean }

export type TownWord =
  | { readonly t: 'open'; readonly device: string }
  | { readonly t: 'heard'; readonly loud: boolean; readonly at: number }
  | { readonly t: 'pressed'; readonly at: number }
  /** `stoodMs`: the longest time that this process stood still since the last such word. */
  | { readonly t: 'underruns'; readonly count: number; readonly stoodMs: number }
  | { readonly t: 'done' }

rankAsHardware()
const now = (): number => Number(process.hrtime.bigint()) / 1e6
const say = (word: TownWord): void => void process.send!(word)
const exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 2000 })
const host = new AnalogHost(programs, exchange.line('200'))
const handset = new Handset(exchange.line('5550100'), realClock)
let watched: boolean | null = null
const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()

/** Sees each frame of the telephone as it comes. */
const pushed = handset.heard.push.bind(handset.heard)
handset.heard.push = (...frames) => {
  for (const each of frames) {
    const loud = each.some((sample) => Math.abs(sample) > 500)
    if (watched !== null && loud === watched && each.length === frame) {
      watched = null
      say({ t: 'heard', loud, at: now() })
    }
  }
  if (handset.heard.length > 500) handset.heard.length = 0
  return pushed(...frames)
}

async function obey(order: TownOrder): Promise<void> {
  switch (order.t) {
    case 'call':
      return handset.call('200')
    case 'lift':
      return handset.lift()
    case 'hang-up':
      return handset.hangUp()
    case 'plug':
      return host.plug()
    case 'unplug':
      return host.unplug()
    case 'press':
      handset.press(order.key)
      return say({ t: 'pressed', at: now() })
    case 'watch':
      watched = order.loud
      return
    case 'underruns':
      say({ t: 'underruns', count: host.modem?.underruns ?? 0, stoodMs: delays.max / 1e6 })
      return delays.reset()
  }
}

process.on('message', (order: TownOrder) => void obey(order).then(() => say({ t: 'done' })))
process.on('disconnect', () => void host.close().finally(() => process.exit(0)))
const device = await host.open()
await host.plug()
say({ t: 'open', device })
