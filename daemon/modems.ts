/** The modem lines of the configuration as the daemon and its technician see them. */
import type { FaxLine, FaxLineTest } from '../drivers/fax.ts'
import type { LineStatus } from '../drivers/line.ts'
import { lineDrivers } from '../drivers/index.ts'
import { isoTime } from './clock.ts'
import type { ModemServicesView, ModemView } from './control/services.ts'
import { ApiError } from './errors.ts'
import { modemServes } from './fax/modem-line.ts'
import type { Log } from './log.ts'
import type { Config, LineConfig } from './schema/config.ts'

export interface ModemsOptions {
  readonly config: Config
  readonly log: Log
  /** The built pbx-fax. */
  readonly faxProgram: string
  /** Of a line that runs faster than time, as soft modems may. */
  readonly speed?: number
}

export interface Modems {
  readonly faxLines: readonly FaxLine[]
  lines(): readonly LineStatus[]
  readonly services: ModemServicesView
  start(): void
  stop(): Promise<void>
}

type Tracer = (sent: boolean, text: string) => void
type Modem = {
  readonly config: LineConfig
  readonly line: FaxLine & { test(): Promise<FaxLineTest | null> }
  readonly tracers: Set<Tracer>
}

export async function createModems({ config, log, faxProgram, speed }: ModemsOptions): Promise<Modems> {
  const served = config.lines.filter((line) => line.roles.includes('fax'))
  const create = served.length === 0 ? null : await lineDrivers.modem()
  const modems = served.flatMap((line): Modem[] => {
    if (create === null) return []
    const tracers = new Set<Tracer>()
    const { id, device, number = config.site.number ?? '', blindDial, faxClass, carrierSeconds, setup } = line
    const trace: Tracer = (sent, text) => {
      for (const tell of tracers) tell(sent, text)
    }
    const options = { id, device, number, blindDial, faxClass, carrierSeconds, setup, faxProgram, log, trace }
    return [{ config: line, tracers, line: create({ ...options, ...(speed === undefined ? {} : { speed }) }) }]
  })
  const find = (id: string): Modem => {
    const found = modems.find(({ line }) => line.id === id)
    if (found !== undefined) return found
    const known = modems.length === 0 ? 'none is configured' : `there are ${modems.map(({ line }) => line.id).join(', ')}`
    throw new ApiError('not_found', `There is no modem line ${id}; ${known}.`)
  }
  return {
    faxLines: modems.map(({ line }) => line),
    lines: () => modems.map(({ line }) => statusOf(line)),
    services: {
      list: () => modems.map(viewOf),
      async test(id) {
        const modem = find(id)
        const before = viewOf(modem)
        const found = await modem.line.test()
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
    },
    start() {
      for (const { line } of modems) line.start()
    },
    async stop() {
      await Promise.all(modems.map(({ line }) => line.stop()))
    },
  }
}

function statusOf(line: FaxLine): LineStatus {
  const { state, text, since } = line.status()
  const busy = state === 'dialing' || state === 'sending' || state === 'receiving'
  const at = { since: new Date(since).toISOString(), activeCalls: busy ? 1 : 0, channels: 1 }
  return { id: line.id, kind: 'line', ok: modemServes(state), state, reason: text, ...at }
}

function viewOf({ line, config }: Modem): ModemView {
  const { state, text, model, faxClass, modems, since } = line.status()
  const { device, blindDial } = config
  return {
    id: line.id,
    device,
    number: line.number,
    state,
    ok: modemServes(state),
    reason: text,
    since: isoTime(since) ?? '',
    model,
    faxClass,
    modems,
    blindDial,
  }
}

/** Numbers that are dialled or that call: all but the last four digits of seven and more. */
function masked(text: string): string {
  return text.replace(/\d{7,}/g, (digits) => `***${digits.slice(-4)}`)
}
