/** The modem lines of the configuration. */
import type { FaxLine } from '../../drivers/fax.ts'
import { lineDrivers } from '../../drivers/index.ts'
import type { LineStatus } from '../../drivers/line.ts'
import { toneCountryOf } from '../../drivers/tones.ts'
import type { Core } from '../core.ts'
import { lineDigits } from '../fax/modem-line.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import type { Part } from '../part.ts'
import type { ServedLines, Via } from '../routing/lines.ts'
import { modemServices, statusOf, type Modem, type Tracer } from './modem.ts'
import { modemRoutes, type ModemServices } from './routes.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning, PartState } from '../base/health.ts'
import type { Figure, Sample } from '../base/metrics.ts'
import type { Config } from '../schema/config.ts'

/** The modem lines that are for voice, as lines for calls. */
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

/** Whether the modem lines work: for `/readyz`, the warnings and the figures. */
function condition(down: readonly LineStatus[]): PartState {
  const detail = down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; ')
  return { ok: down.length === 0, reason: down.length === 0 ? '' : 'a modem line is down', detail, required: false }
}

/** A modem stays with its machine of a pair, where the other one serves. */
const notHere = 'not here'

function modemWarnings(down: readonly LineStatus[]): CodedWarning[] {
  return down
    .filter(({ state }) => state !== 'starting')
    .map(({ id, state, reason }) => ({
      code: `line-${id}`,
      kind: 'line',
      severity: 'error',
      text: said`Line ${ours(id)}: ${reason === '' ? state : reason}`,
      fix: reason === notHere ? 'pbx pair switch' : `pbx modem test ${id}`,
    }))
}

const shown = ({ pairFile }: Core, line: LineStatus): LineStatus =>
  pairFile !== undefined && line.state === 'unplugged' ? { ...line, reason: notHere } : line

function modemFigures(lines: () => readonly LineStatus[]): readonly Figure[] {
  return [
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
  ]
}

export interface ModemsPart extends Part {
  readonly faxLines: readonly FaxLine[]
  /** All of them: whatever they are for, calls ring on them. */
  readonly ringing: readonly FaxLine[]
  /** Those that are for voice, as lines for calls. */
  readonly voiceLines: ServedLines
  lines(): readonly LineStatus[]
  /** Takes the modem for some seconds. Throws ApiError. */
  readonly test: (id: string) => ReturnType<ModemServices['test']>
}

/** `speed`: of lines that run faster than time, as soft modems may. */
export async function modemsPart(core: Core, { speed }: { readonly speed?: number } = {}): Promise<ModemsPart> {
  const { modems, unplug } = await createModems(core, speed)
  const lines = (): LineStatus[] => modems.map(({ line }) => shown(core, statusOf(line)))
  const down = (): LineStatus[] => lines().filter(({ ok }) => !ok)
  const services = modemServices(modems)
  return {
    name: 'modems',
    faxLines: modems.filter(({ config }) => config.roles.includes('fax')).map(({ line }) => line),
    ringing: modems.map(({ line }) => line),
    voiceLines: voiceLines(core.config, modems),
    lines,
    routes: modemRoutes(services),
    test: (id) => services.test(id, false),
    ...(modems.length === 0 ? {} : { health: { modems: () => condition(down()) } }),
    warnings: () => modemWarnings(down()),
    figures: modemFigures(lines),
    start() {
      for (const { line } of modems) line.start()
    },
    async stop() {
      await Promise.all(modems.map(({ line }) => line.stop()))
      await unplug()
    },
  }
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
    // The modem reports how it rings when it is asked to.
    const setup = rings.length === 0 ? line.setup : [...line.setup, 'AT+VDR=1,0']
    const trace: Tracer = (sent, text) => {
      for (const tell of tracers) tell(sent, text)
    }
    const voice = line.roles.includes('voice') ? { voice: { country: toneCountryOf(config.site.country) } } : {}
    const pace = speed === undefined ? {} : { speed }
    const how = { id, device, number, blindDial, faxClass, carrierSeconds, setup, faxProgram: programs.fax, log, trace }
    return { config: line, tracers, line: create({ ...how, ...voice, ...pace }) }
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
