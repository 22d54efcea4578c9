/** The modem lines of the configuration. */
import type { FaxLine } from '../../drivers/fax.ts'
import type { LineStatus } from '../../drivers/line.ts'
import { lineDrivers } from '../../drivers/index.ts'
import type { ModemLine } from '../../drivers/modem/driver.ts'
import { toneCountryOf } from '../../drivers/tones.ts'
import { isoTime } from '../base/clock.ts'
import type { Core } from '../core.ts'
import { ours, said } from '../base/for-log.ts'
import { ApiError } from '../base/errors.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { lineDigits } from '../fax/line-dialling.ts'
import { modemServes } from '../fax/modem-line.ts'
import type { ServedLines, Via } from '../routing/lines.ts'
import type { PartState } from '../base/health.ts'
import { modemRoutes, type ModemServices } from '../modems/routes.ts'
import type { Sample } from '../base/metrics.ts'
import type { Part } from '../part.ts'
import type { Config } from '../schema/config.ts'
import type { LineConfig } from '../schema/config/lines.ts'
import type { ModemView } from '../schema/modems.ts'

export interface ModemsPart extends Part {
  readonly faxLines: readonly FaxLine[]
  /** All of them: whatever they are for, calls ring on them. */
  readonly ringing: readonly FaxLine[]
  /** Those that are for voice, as lines for calls. */
  readonly voiceLines: ServedLines
  lines(): readonly LineStatus[]
}

type Tracer = (sent: boolean, text: string) => void
type Modem = {
  readonly config: LineConfig
  readonly line: ModemLine
  readonly tracers: Set<Tracer>
}

/** `speed`: of lines that run faster than time, as soft modems may. */
export async function modemsPart(core: Core, { speed }: { readonly speed?: number } = {}): Promise<ModemsPart> {
  const { modems, unplug } = await createModems(core, speed)
  const lines = (): LineStatus[] => modems.map(({ line }) => statusOf(line))
  const down = (): LineStatus[] => lines().filter(({ ok }) => !ok)
  return {
    name: 'modems',
    faxLines: modems.filter(({ config }) => config.roles.includes('fax')).map(({ line }) => line),
    ringing: modems.map(({ line }) => line),
    voiceLines: voiceLines(core.config, modems),
    lines,
    routes: modemRoutes(modemServices(modems)),
    ...(modems.length === 0 ? {} : { health: { modems: () => condition(down()) } }),
    warnings: () =>
      down()
        .filter(({ state }) => state !== 'starting')
        .map(({ id, state, reason }) => ({
          code: `line-${id}`,
          severity: 'error',
          text: said`Line ${ours(id)}: ${reason === '' ? state : reason}`,
          fix: `pbx modem test ${id}`,
        })),
    figures: [
      {
        name: 'pbx_modem_up',
        help: 'Whether a modem line works, now or as soon as its call has ended.',
        type: 'gauge',
        read: () => lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
      },
      {
        name: 'pbx_modem_state',
        help: 'State of a modem line: 1 for the current state.',
        type: 'gauge',
        read: () => lines().map((line): Sample => [{ line: line.id, state: line.state }, 1]),
      },
      {
        name: 'pbx_modem_underruns_total',
        help: 'Gaps in the audio of a line because the box was too slow.',
        type: 'counter',
        read: () => lines().flatMap(({ id, underruns }): Sample[] => (underruns === undefined ? [] : [[{ line: id }, underruns]])),
      },
    ],
    start() {
      for (const { line } of modems) line.start()
    },
    async stop() {
      await Promise.all(modems.map(({ line }) => line.stop()))
      await unplug()
    },
  }
}

function condition(down: readonly LineStatus[]): PartState {
  const detail = down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; ')
  return { ok: down.length === 0, reason: down.length === 0 ? '' : 'a modem line is down', detail, required: false }
}

interface Plugged {
  readonly modems: readonly Modem[]
  /** Takes away what is simulated. */
  unplug(): Promise<void>
}

async function createModems(core: Core, speed: number | undefined): Promise<Plugged> {
  const { config, programs, log } = core
  if (config.lines.length === 0) return { modems: [], unplug: () => Promise.resolve() }
  const [create, simulated] = await Promise.all([lineDrivers.modem(), simulatedLines(core)])
  const modems = config.lines.map((line): Modem => {
    const tracers = new Set<Tracer>()
    const {
      id,
      device = simulated.devices.get(id) ?? '',
      number = config.site.number ?? '',
      blindDial,
      faxClass,
      carrierSeconds,
      rings,
    } = line
    // The modem tells how it rings when it is asked to.
    const setup = rings.length === 0 ? line.setup : [...line.setup, 'AT+VDR=1,0']
    const trace: Tracer = (sent, text) => {
      for (const tell of tracers) tell(sent, text)
    }
    const voice = line.roles.includes('voice') ? { voice: { country: toneCountryOf(config.site.country) } } : {}
    const options = { ...voice, id, device, number, blindDial, faxClass, carrierSeconds, setup, faxProgram: programs.fax, log, trace }
    return { config: line, tracers, line: create({ ...options, ...(speed === undefined ? {} : { speed }) }) }
  })
  return { modems, unplug: () => simulated.close() }
}

/** The devices of the lines of kind sim, by id. One that cannot be had is a modem that is unplugged. */
async function simulatedLines({
  config: { lines, site },
  programs,
  log,
}: Core): Promise<{ devices: Map<string, string>; close(): Promise<void> }> {
  const simulated = lines.filter(({ kind }) => kind === 'sim')
  const devices = new Map<string, string>()
  if (simulated.length === 0) return { devices, close: () => Promise.resolve() }
  const sims = new (await lineDrivers.analogSim())(programs, toneCountryOf(site.country))
  // As the country dials it, which is how the other lines do.
  const digitsOf = (number: string): string => {
    const { e164, dial } = normaliseNumber(number, site.country)
    return lineDigits(e164 ?? dial, site.country, { prefix: '', pulse: false })
  }
  for (const { id, number = '', rings } of simulated) {
    const others = rings.map((ring) => ({ digits: digitsOf(ring.number), cadence: ring.cadence }))
    try {
      devices.set(id, await sims.plug(digitsOf(number), others))
    } catch (error) {
      log.error({ line: id, error: (error as Error).message }, 'the simulated modem could not be started')
      devices.set(id, `/dev/null/${id}`)
    }
  }
  return { devices, close: () => sims.close() }
}

function voiceLines(config: Config, modems: readonly Modem[]): ServedLines {
  const voiced = modems.filter(({ config: { roles } }) => roles.includes('voice'))
  const find = (via: Via): Modem | undefined => voiced.find(({ line }) => via.kind === 'trunk' && line.id === via.trunkId)
  return {
    serves: (via) => find(via) !== undefined,
    driver: {
      isUp: voiced.length > 0,
      lines: () => voiced.map(({ line }) => statusOf(line)),
      dial: ({ via, to, timeoutSeconds }) => {
        const { line, config: own } = find(via)!
        return line.placeCall(lineDigits(to, config.site.country, own.dial), timeoutSeconds)
      },
    },
  }
}

function modemServices(modems: readonly Modem[]): ModemServices {
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

function statusOf(line: ModemLine): LineStatus {
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
