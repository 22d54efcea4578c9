/** The composition of the daemon: which part gets which, and in what order they start and stop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineDrivers } from '../drivers/index.ts'
import { ApplicationAlerts } from './application-alerts.ts'
import { Trail } from './audit/trail.ts'
import { Calls } from './calls/calls.ts'
import { Originator } from './calls/originate.ts'
import { recoverCalls } from './calls/recovery.ts'
import { systemClock } from './clock.ts'
import { startControl } from './control/server.ts'
import { peerReader } from './control/peer.ts'
import { controlServices } from './control-services.ts'
import { engineSettings } from './engine-settings.ts'
import { faxControl } from './fax/control.ts'
import { createFax } from './fax/fax.ts'
import { erasureControl } from './erasure/control.ts'
import { Erasure } from './erasure/erasure.ts'
import { Health } from './health.ts'
import { routes } from './http/routes/index.ts'
import { startHttp } from './http/server.ts'
import type { HttpServer } from './http/server.ts'
import { inboxControl } from './inbox/control.ts'
import { Inbox, mailboxNumbers } from './inbox/inbox.ts'
import type { Log } from './log.ts'
import { mailControl } from './mail/control.ts'
import { createMail } from './mail/mail.ts'
import { createModems } from './modems.ts'
import { Metrics } from './metrics.ts'
import { measure } from './measurements.ts'
import { createOutbox } from './outbox/outbox.ts'
import { guardedAgent } from './outbox/address.ts'
import { policiesOf, secretOf } from './policies.ts'
import { Retention } from './retention.ts'
import { measureReminders } from './reminder-measurements.ts'
import { createReminderCaller } from './reminders/call/caller.ts'
import { createReminders } from './reminders/reminders.ts'
import type { Config } from './schema/config.ts'
import { createSpeech } from './speech/speech.ts'
import { createSpeechEngines } from './speech-engines.ts'
import { openStore } from './store/store.ts'
import { createTexts } from './texts.ts'
import { createTime } from './time-services.ts'
import { Tokens, type FirstToken } from './tokens.ts'
import { LiveCalls } from './voice/live.ts'
import { createVoice } from './voice-services.ts'
import { watchHealth } from './watch.ts'

export interface DaemonOptions {
  readonly config: Config
  readonly configFile: string | null
  /** The checkout, or the folder of the installed program. */
  readonly root: string
  readonly enginePath: string
  /** The built pbx-fax. */
  readonly faxProgram: string
  /** The built pbx-pty, for simulated GSM modems, and pbxd-peer. */
  readonly ptyProgram: string
  readonly peerProgram: string
  /** Whether somebody at a terminal sees the first token; otherwise it is written to a file. */
  readonly terminal: boolean
  /** Of modem lines that run faster than time. */
  readonly modemSpeed?: number
  readonly log: Log
}

export interface Daemon {
  readonly httpAddress: string
  readonly sip: readonly string[]
  readonly firstToken: FirstToken | null
  missing: Health['missing']
  /** Whether the event loop, the store and the engine are alive: the watchdog's question. */
  alive(): boolean
  /** Ends calls in progress when they are over or `drainMs` is up, then everything else. */
  stop(drainMs: number): Promise<void>
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, log, root } = options
  const clock = systemClock
  const startedAt = clock.now()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const store = await openStore(join(config.storage.dir, 'store'), log)
  const trail = new Trail({ store, clock, log })
  const tokens = new Tokens({ store, clock, log, config, trail })
  const health = new Health()
  const alerts = new ApplicationAlerts(health, log)
  const metrics = new Metrics()
  const policies = policiesOf(config)
  const outbox = createOutbox({
    store,
    clock,
    log,
    policy: policies.callback,
    // What is told late of a call goes to the application's own address.
    policyOfKind: { 'record.transcribed': policies.control, 'gather.completed': policies.control, 'record.completed': policies.control },
    secret: (name) => secretOf(config, name),
    deadDays: config.callbacks.deadDays,
    version,
  })

  const createSipDriver = await lineDrivers.sip()
  const driver = createSipDriver({
    enginePath: options.enginePath,
    configure: engineSettings(config, store, startedAt),
    log,
    onBanned: (address) => trail.banned(address),
    onRegistration: (extension, contacts, userAgent) => {
      store
        .transaction(() =>
          store.tables.registrations.put(extension, {
            extension,
            contacts: contacts.map((contact) => ({ ...contact })),
            userAgent,
            updatedAt: clock.now(),
          }),
        )
        .catch((error: unknown) => log.error({ err: error, extension }, 'a registration could not be stored'))
    },
  })

  const controlAgent = guardedAgent(policies.control, { connectTimeoutMs: 2000, connections: 20 })
  const engines = await createSpeechEngines({ config, clock, log })
  const speech = await createSpeech({
    ...engines.speakers(),
    config,
    log,
    dispatcher: controlAgent,
    renderedDir: join(root, '.cache', 'prompts'),
  })
  const calls = new Calls({ config, store, outbox, driver, clock, log })
  const application = createVoice({ config, store, outbox, calls, speech, engines, alerts, dispatcher: controlAgent, version, clock, log })
  const { voice, recordings } = application
  const inbox = new Inbox({
    store,
    clock,
    log,
    dir: config.storage.dir,
    keepDays: config.inbox.days,
    mailboxes: mailboxNumbers(config.mailboxes),
  })
  const { faxProgram, modemSpeed } = options
  const modems = await createModems({ config, log, faxProgram, ...(modemSpeed === undefined ? {} : { speed: modemSpeed }) })
  const fax = createFax({
    modems: modems.faxLines,
    config,
    store,
    outbox,
    calls,
    driver,
    inbox,
    clock,
    log,
    policy: policies.callback,
    alert: (code, text) => {
      log.error({ code }, text)
      health.warn(code, { severity: 'error', text, fix: 'pbx fax list --state failed' })
    },
    mended: (code) => health.clear(code),
  })
  const texts = await createTexts({ config, store, inbox, driver, clock, log, ptyProgram: options.ptyProgram })
  const caller = createReminderCaller({ config, store, calls, driver, voice, clock, log })
  const time = createTime({ config, store, health, clock, log })
  const clockTrusted = () => time.trusted()
  const { messaging } = texts
  const reminders = createReminders({
    config,
    store,
    outbox,
    caller,
    texts: messaging,
    clock,
    log,
    policy: policies.callback,
    clockTrusted,
  })
  const mail = createMail({ config, store, clock, log })
  calls.setRunner(fax.shares(voice), (call) => fax.receiver.receive(call))
  const originator = new Originator({ config, calls, driver, store, clock })
  const live = new LiveCalls(calls, voice, store)
  const retention = new Retention({ store, recordings, audit: trail.audit, config, clock, log })

  let http: HttpServer | null = null
  let stopping = false
  measure(metrics, { calls, driver, outbox, store, faxes: fax.queue, modems, mail, texts: texts.queue, http: () => http })
  texts.measure(metrics)
  measureReminders(metrics, reminders.queue)
  const erasure = new Erasure({ store, calls, recordings, inbox, fax, texts: texts.queue, mails: mail.queue })
  const served = routes({
    erasure,
    health,
    metrics,
    voice: { config, originator, live, policies, clock, abilities: engines.abilities },
    recordings,
    live,
    fax: { queue: fax.queue, desk: fax.desk, hasLine: () => fax.hasLine() },
    inbox,
    mail,
    sms: texts.routes,
    reminders: { ...reminders, store, hasTrunk: () => config.trunks.length > 0 },
  })
  const watch = watchHealth(health, {
    config,
    store,
    driver,
    unrouted: calls.unrouted,
    modems,
    speech,
    outbox,
    fax,
    mail,
    texts,
    reminders,
    log,
    openCircuits: application.openCircuits,
    clock,
    clockTrusted,
    calls: () => calls.live().length,
    draining: () => stopping,
  })
  http = await startHttp({
    listen: config.http.listen,
    ...(config.http.tls === undefined ? {} : { tls: config.http.tls }),
    routes: served,
    tokens: tokens.all,
    tokenUsed: tokens.used,
    limits: config.limits,
    store,
    trail,
    log,
    clock,
  })
  const httpAddress = `${config.http.tls ? 'https' : 'http'}://${http.address}:${http.port}`
  const control = await startControl({
    socket: config.control.socket,
    log,
    audited: { trail, peerOf: peerReader({ helper: options.peerProgram, log }) },
    services: controlServices({
      config,
      configFile: options.configFile,
      version,
      enginePath: options.enginePath,
      startedAt,
      store,
      tokens,
      outbox,
      calls,
      originator,
      live,
      driver,
      modems,
      faxProgram,
      health,
      refresh: () => watch.refresh(),
      speaker: speech.speaker,
      capabilities: {
        audit: trail.control,
        faxes: faxControl(fax),
        inbox: inboxControl(inbox),
        mail: mailControl(mail, config.site.name),
        reminders: reminders.control,
        sms: texts.control,
        stored: erasureControl(erasure, store),
      },
      queues: () => [
        { name: 'faxes to send', waiting: fax.queue.waiting, oldestAt: fax.queue.oldestAt() },
        { name: 'texts to send', waiting: texts.queue.waiting, oldestAt: texts.queue.oldestAt() },
        { name: 'reminders', waiting: reminders.queue.waiting, oldestAt: null },
        { name: 'mails to send', ...mail.condition() },
      ],
      transcriber: engines.transcriber,
      speechView: () => engines.view(),
      reloadSpeech: async () => {
        engines.reload()
        await speech.replace(engines.speakers())
      },
      log,
      clock,
      httpAddress: () => httpAddress,
      draining: () => stopping,
    }),
  })
  await trail.started(options.configFile)
  const firstToken = await tokens.first(options.terminal)
  // Before the first call can end: what is enqueued from here on is seen.
  outbox.start()
  await driver.start({ inbound: (call) => void calls.inbound(call), statusChanged: () => undefined })
  recoverCalls({ store, calls, originator, clock, log, tellInputs: application.tellInputs })
  time.start([fax.queue, texts.queue, reminders.queue, mail.queue])
  modems.start()
  fax.start()
  texts.start()
  reminders.start()
  mail.start()
  inbox.start()
  retention.start()
  engines.start()
  application.start()
  void speech.warm().catch((error: unknown) => log.error({ err: error }, 'the box could not try its voice'))
  const bound = driver.bound()

  return {
    httpAddress,
    sip: (['udp', 'tcp', 'tls'] as const).flatMap((kind) => (bound[kind] === null ? [] : [`${kind} ${bound[kind]}`])),
    firstToken,
    missing: () => health.missing(),
    alive: () => watch.alive(),
    stop: async (drainMs) => {
      stopping = true
      originator.stop()
      fax.drain()
      reminders.drain()
      texts.drain()
      driver.drain()
      await application.stop()
      await calls.drain(drainMs)
      // Before the faxes: the ends of their calls are to be written.
      await modems.stop()
      await fax.stop()
      await reminders.stop()
      await Promise.all([mail.stop(), texts.stop()])
      inbox.stop()
      retention.stop()
      watch.stop()
      time.stop()
      await outbox.stop()
      await driver.stop()
      await engines.stop()
      await http?.close()
      await control.close()
      await trail.stop()
      await controlAgent.close()
      await store.close()
    },
  }
}
