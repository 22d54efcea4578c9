/** A modem line as it is shown, tried out and listened to. */
import type { LineStatus } from '../../drivers/line.ts'
import type { ModemLine } from '../../drivers/modem/driver.ts'
import { isoTime } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { modemServes } from '../fax/modem-line.ts'
import type { LineConfig } from '../schema/config/lines.ts'
import type { ModemView } from '../schema/modems.ts'
import type { ModemServices } from './routes.ts'

export type Tracer = (sent: boolean, text: string) => void

export interface Modem {
  readonly config: LineConfig
  readonly line: ModemLine
  readonly tracers: Set<Tracer>
}

export function modemServices(modems: readonly Modem[]): ModemServices {
  const find = (id: string): Modem => {
    const found = modems.find(({ line }) => line.id === id)
    if (found !== undefined) return found
    const known = modems.length === 0 ? 'none is configured' : `there are ${modems.map(({ line }) => line.id).join(', ')}`
    throw new ApiError('not_found', `There is no modem line ${id}; ${known}.`)
  }
  return {
    list: () => modems.map(viewOf),
    async test(id, voice) {
      const modem = find(id)
      const before = viewOf(modem)
      const found = await modem.line.test(voice)
      return { ...before, test: found }
    },
    trace(id, onLine, signal) {
      const { tracers } = find(id)
      const tell: Tracer = (sent, text) => onLine({ at: new Date().toISOString(), sent, text: masked(text) })
      tracers.add(tell)
      return new Promise((resolve) => {
        const end = (): void => {
          tracers.delete(tell)
          resolve()
        }
        if (signal.aborted) end()
        else signal.addEventListener('abort', end, { once: true })
      })
    },
  }
}

export function statusOf(line: ModemLine): LineStatus {
  const { duplex = null, underruns = 0 } = line.voice ?? {}
  const { state, text, since } = line.status()
  const busy = state === 'dialing' || state === 'sending' || state === 'receiving' || state === 'talking'
  const at = { since: new Date(since).toISOString(), activeCalls: busy ? 1 : 0, channels: 1 }
  return {
    id: line.id,
    kind: 'line',
    ok: modemServes(state),
    state,
    reason: text,
    ...at,
    ...(duplex === null ? {} : { duplex, underruns }),
  }
}

function viewOf({ line, config }: Modem): ModemView {
  const { state, text, model, faxClass, modems, since } = line.status()
  const { device = 'simulated', blindDial } = config
  return {
    id: line.id,
    device,
    number: line.number,
    state,
    ok: modemServes(state),
    reason: text,
    since: isoTime(since),
    model,
    faxClass,
    modems: [...modems],
    roles: [...config.roles],
    duplex: line.voice?.duplex ?? '',
    underruns: line.voice?.underruns ?? 0,
    blindDial,
  }
}

/** Numbers that are dialled or that call: all but the last four digits of seven and more. */
function masked(text: string): string {
  return text.replace(/\d{7,}/g, (digits) => `***${digits.slice(-4)}`)
}
