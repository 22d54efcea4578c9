/**
 * pbxd: `main.ts [--config FILE]`. Exit codes: 0 stopped, 1 fault, 2 configuration refused. SIGTERM and SIGINT drain
 * calls and stop; a second one stops at once. After SIGTERM people who talk go on, for the next run to take up.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultConfig } from './config/default.ts'
import { ConfigDesk } from './config/desk.ts'
import { keepLastGood, lastGood, lastGoodPlace, revisionsPlace } from './config/last-good.ts'
import { faultInFile, faultLine } from './config/source.ts'
import { ConfigError, loadConfig, parseConfig, type ConfigFault, type Loaded } from './config/load.ts'
import { Revisions } from './config/revisions.ts'
import { systemClock } from './base/clock.ts'
import { ours } from './base/for-log.ts'
import { freeListeners } from './config/free-port.ts'
import { createLog, type Log } from './base/log.ts'
import { rest, goFirst } from './base/rest.ts'
import { programVersion, root } from './base/root.ts'
import { Runs } from './runs.ts'
import type { Config } from './schema/config.ts'
import { systemdNotifier } from './base/systemd.ts'
import type { Daemon } from './daemon.ts'

/** What a person at the terminal sees after the start of a new box: addresses, the first token, and what to do next. */
function welcome(config: Config, daemon: Daemon, configFile: string | null): string {
  const lines = [
    '',
    `pbxd is running. HTTP ${daemon.httpAddress}, SIP ${daemon.sip.join(', ') || 'not available (see: scripts/pbx doctor)'}`,
  ]
  if (daemon.firstToken !== null) {
    const { firstToken } = daemon
    lines.push(
      '',
      ...('token' in firstToken
        ? [`  ACCESS_TOKEN=${firstToken.token}`, '  This is the first access token. It is shown only once.']
        : [
            `  ACCESS_TOKEN=$(cat ${firstToken.file})`,
            '  The first access token is in that file: store it elsewhere and remove the file.',
          ]),
      '  More: scripts/pbx token create --name NAME',
    )
  }
  const [extension] = config.extensions
  const [endpoint] = config.voice.endpoints
  if (configFile === null && extension && endpoint) {
    const server = daemon.sip[0]?.split(' ')[1] ?? config.sip.udp ?? ''
    const rule = config.inbound.find((candidate) => candidate.destination === `endpoint:${endpoint.id}`)
    lines.push(
      '',
      'Next:',
      `  1. Register a SIP phone: user ${extension.number}, password ${extension.password}, server ${server}`,
      `  2. Run the sample application: scripts/run scripts/examples/app.ts   (it listens at ${endpoint.controlUrl}, the address of the endpoint ${endpoint.id})`,
      `  3. Call ${rule?.to ?? ''} from the phone. No phone at hand: npm run demo, or scripts/pbx simulate inbound --from ${extension.number} --to ${rule?.to ?? ''}`,
      `  The API: ${daemon.httpAddress}/docs   The box: scripts/pbx status`,
    )
  }
  return `${lines.join('\n')}\n\n`
}

const drainMs = 20_000

const help = `pbxd, the daemon of a small telephone system

  npm start                     run with the built-in configuration; all data is under var/
  npm start -- --config FILE    run with a configuration file (or set PBXD_CONFIG)

Exit codes: 0 stopped, 1 fault, 2 configuration refused (as a service, only if there was no earlier good one).
`

function readArguments(): { configFile: string | null } {
  try {
    const { values } = parseArgs({ options: { config: { type: 'string' }, help: { type: 'boolean', short: 'h' } } })
    if (values.help) {
      process.stdout.write(help)
      process.exit(0)
    }
    return { configFile: values.config ?? process.env.PBXD_CONFIG ?? null }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`)
    process.exit(2)
  }
}

interface Read extends Pick<Loaded, 'config' | 'warnings'> {
  /** Of the file, where it is in use. */
  readonly text?: string
  readonly refused?: { readonly text: string; readonly since: number; readonly faults: readonly ConfigFault[] }
}

async function embedded(): Promise<Read> {
  return { config: await freeListeners(defaultConfig(root)), warnings: [] }
}

/** A person who starts it by hand is there to repair the file; a box that starts by itself goes on with the last good one. */
function loadOrLast(configFile: string): Read {
  try {
    return appliedLater(configFile, loadConfig(configFile))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) process.stderr.write(`${faultLine(fault)}\n`)
    const place = lastGoodPlace()
    const kept = place === undefined ? null : lastGood(place, configFile, programVersion(root))
    if (kept === null) process.exit(2)
    const [first] = error.faults
    const text = first === undefined ? 'it cannot be read' : faultInFile(first)
    return { config: kept.config, warnings: [], refused: { text, since: kept.keptAt, faults: error.faults } }
  }
}

/** What was applied while the file could not be written, unless somebody has changed the file since. */
function appliedLater(configFile: string, loaded: Loaded): Loaded {
  const later = new Revisions(revisionsPlace(loaded.config.storage.dir)).laterThan(loaded.text)
  if (later === null) return loaded
  try {
    return parseConfig(later.text, configFile)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) process.stderr.write(`revision ${later.revision}, which was applied last: ${faultLine(fault)}\n`)
    return loaded
  }
}

function keep(configFile: string | null, config: Config, log: Log): void {
  const place = lastGoodPlace()
  if (place === undefined || configFile === null) return
  const fault = keepLastGood(place, { configFile, version: programVersion(root), keptAt: Date.now(), config })
  if (fault !== '') log.warn({ reason: fault }, 'the configuration could not be kept for a start with a broken one')
}

interface RunsOptions {
  readonly configFile: string | null
  readonly storageDir: string
  readonly terminal: boolean
  readonly log: Log
}

function runsOf({ configFile, storageDir, terminal, log }: RunsOptions): { runs: Runs; desk: ConfigDesk } {
  const revisions = new Revisions(revisionsPlace(storageDir))
  const desk: ConfigDesk = new ConfigDesk({
    configFile,
    revisions,
    clock: systemClock,
    log,
    restart: (next, leave) => runs.restart(next, leave),
    keep: (stood) => keep(configFile, stood, log),
  })
  const runs = new Runs(
    {
      configFile,
      configuration: { desk, revisions },
      root,
      programs: {
        engine: process.env.PBXD_ENGINE ?? join(root, '.cache/engine/pbx-engine'),
        fax: process.env.PBXD_FAX ?? join(root, '.cache/fax/pbx-fax'),
        pty: process.env.PBXD_PTY ?? join(root, '.cache/sim/pbx-pty'),
        simFax: process.env.PBXD_SIM_FAX ?? join(root, '.cache/sim/pbx-sim-fax'),
        peer: process.env.PBXD_PEER ?? join(root, '.cache/pbxd-peer'),
      },
      ...(process.env.PBXD_PAIR === undefined ? {} : { pairFile: process.env.PBXD_PAIR }),
      terminal,
      // Soft modems can run faster than time.
      ...(process.env.PBXD_MODEM_SPEED === undefined ? {} : { modemSpeed: Number(process.env.PBXD_MODEM_SPEED) }),
      log,
    },
    drainMs,
  )
  return { runs, desk }
}

async function main(): Promise<void> {
  const { configFile } = readArguments()
  const { config, warnings, text, refused } = configFile === null ? await embedded() : loadOrLast(configFile)
  const log = createLog({ level: config.log.level })
  for (const fault of refused?.faults ?? [])
    log.error({ path: ours(fault.path) }, '%s', ours(`refused: ${fault.file}:${fault.line}:${fault.column}: ${fault.text}`))
  if (refused !== undefined)
    log.error({ keptAt: new Date(refused.since).toISOString() }, 'safe mode: the last good configuration is in use')
  for (const warning of warnings)
    log.warn({ path: ours(warning.path) }, '%s', ours(`${warning.file}:${warning.line}:${warning.column}: ${warning.text}`))
  // Before there are threads and children, which take it over.
  goFirst(log)
  const notifier = systemdNotifier({ helper: join(root, '.cache/pbxd-notify'), log })
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault that nothing handled')
    process.exit(1)
  })

  const terminal = process.stderr.isTTY
  const { runs, desk } = runsOf({ configFile, storageDir: config.storage.dir, terminal, log })
  const starting = runs.start(config, refused)
  // A request to stop that comes while it starts is kept until it has started: nothing is left half open.
  let stopping = false
  const stop = (signal: string, leave: boolean) => {
    if (stopping) process.exit(0)
    stopping = true
    log.info({ signal }, 'stopping: calls in progress may end')
    notifier.stopping()
    starting
      .then(() => runs.stop(leave))
      .then(() => {
        notifier.close()
        process.exit(0)
      })
      .catch((error: unknown) => {
        log.fatal({ err: error }, 'the stop failed')
        process.exit(1)
      })
  }
  process.on('SIGTERM', () => stop('SIGTERM', true))
  process.on('SIGINT', () => stop('SIGINT', false))
  const daemon = await starting
  if (stopping) return
  if (refused === undefined) keep(configFile, config, log)
  if (text !== undefined) desk.found(text)
  const sayReady = () => log.info({ http: daemon.httpAddress, sip: daemon.sip }, 'ready')
  if (daemon.missing().length === 0) sayReady()
  else {
    log.error({ missing: daemon.missing() }, 'started, but not ready')
    const asking = setInterval(() => {
      if (runs.missing().length > 0) return
      clearInterval(asking)
      sayReady()
    }, 1000)
    asking.unref()
  }
  notifier.ready()
  notifier.watch(() => runs.alive())
  rest(() => runs.busy())
  if (configFile === null || (terminal && daemon.firstToken !== null)) process.stderr.write(welcome(config, daemon, configFile))
}

main().catch((error: unknown) => {
  process.stderr.write(`pbxd: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
