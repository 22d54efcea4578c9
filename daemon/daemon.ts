/** The composition of the daemon: which part gets which, and in what order they start and stop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineDrivers } from '../drivers/index.ts'
import { Calls } from './calls/calls.ts'
import { Originator } from './calls/originate.ts'
import { recoverCalls } from './calls/recovery.ts'
import { systemClock } from './clock.ts'
import { startControl } from './control/server.ts'
import { controlServices, createToken } from './control-services.ts'
import { engineSettings } from './engine-settings.ts'
import { faxControl } from './fax/control.ts'
import { createFax } from './fax/fax.ts'
import { Health } from './health.ts'
import { accessTokens } from './http/auth.ts'
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
import { checkUrl, guardedAgent } from './outbox/address.ts'
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
import { LiveCalls } from './voice/live.ts'
import { Recordings } from './voice/recordings.ts'
import { Requestor } from './voice/requestor.ts'
import { applicationAlerts } from './voice/ask.ts'
import { Transcripts } from './voice/transcripts.ts'
import { Voice } from './voice/voice.ts'
import { watchHealth } from './watch.ts'

export interface DaemonOptions {
  readonly config: Config
  readonly configFile: string | null
  /** The checkout, or the folder of the installed program. */
  readonly root: string
  readonly enginePath: string
  /** The built pbx-fax. */
  readonly faxProgram: string
  /** The built pbx-pty, for simulated GSM modems. */
  readonly ptyProgram: string
  /** Of modem lines that run faster than time. */
  readonly modemSpeed?: number
  readonly log: Log
}

export interface Daemon {
  readonly httpAddress: string
  readonly sip: readonly string[]
  /** Set when this start made the first access token of the box: the only time it is shown. */
  readonly firstToken: string | null
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
  const health = new Health()
  const metrics = new Metrics()

  const policies = policiesOf(config)
  const outbox = createOutbox({
    store,
    clock,
    log,
    policy: policies.callback,
    // A late transcript goes to the application's own address, as record.completed did.
    policyOfKind: { 'record.transcribed': policies.control },
    secret: (name) => secretOf(config, name),
    version,
  })

  const createSipDriver = await lineDrivers.sip()
  const driver = createSipDriver({
    enginePath: options.enginePath,
    configure: engineSettings(config, store, startedAt),
    log,
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
  const recordings = new Recordings({
    dir: join(config.storage.dir, 'recordings'),
    store,
    clock,
    log,
    keepDays: config.voice.recordingDays,
  })
  const requestor = new Requestor({
    dispatcher: controlAgent,
    checkUrl: (url) => checkUrl(url, policies.control),
    clock,
    log,
    userAgent: `pbx/${version}`,
    endpointRequests: config.voice.endpointRequests,
  })
  const { ear, transcriber } = engines
  const transcripts = new Transcripts({ transcriber, store, outbox, recordings, call: (id) => calls.get(id), clock, log })
  const voice = new Voice(config, {
    ear,
    transcripts,
    requestor,
    promptSource: speech.prompts,
    speaker: speech.speaker,
    recordings,
    clock,
    log,
    guards: { redirects: config.voice.redirects, documents: config.voice.documents, silentGathers: config.voice.silentGathers },
    alert: (code, text, facts) => {
      log.error({ code, ...facts }, text)
      health.warn(`${code} ${String(facts.url ?? '')}`, { severity: 'error', text, fix: `pbx trace ${String(facts.callId ?? '')}` })
    },
    recovered: (url) => {
      for (const code of applicationAlerts) health.clear(`${code} ${url}`)
    },
    connect: (call, destination) => calls.connect(call, destination),
  })
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
  const reminders = createReminders({ config, store, outbox, caller, texts: texts.messaging, clock, log, policy: policies.callback })
  const mail = createMail({ config, store, clock, log })
  calls.setRunner(fax.shares(voice), (call) => fax.receiver.receive(call))
  const originator = new Originator({ config, calls, driver, store, clock })
  const live = new LiveCalls(calls, voice, store)
  const retention = new Retention({ store, recordings, clock, log })

  let http: HttpServer | null = null
  let stopping = false
  measure(metrics, { calls, driver, outbox, store, faxes: fax.queue, modems, mail, texts: texts.queue, http: () => http })
  texts.measure(metrics)
  measureReminders(metrics, reminders.queue)
  const served = routes({
    health,
    metrics,
    voice: { config, originator, live, policies, clock },
    recordings,
    live,
    fax: { queue: fax.queue, desk: fax.desk, hasLine: () => fax.hasLine() },
    inbox,
    mail,
    sms: texts.routes,
    reminders: { ...reminders, store },
  })
  const watch = watchHealth(health, {
    config,
    store,
    driver,
    modems,
    speech,
    outbox,
    fax,
    mail,
    texts,
    reminders,
    openCircuits: () => requestor.openCircuits(),
    clock,
    draining: () => stopping,
  })
  http = await startHttp({
    listen: config.http.listen,
    ...(config.http.tls === undefined ? {} : { tls: config.http.tls }),
    routes: served,
    tokens: accessTokens(config.auth.tokens, store.tables.tokens),
    limits: config.limits,
    store,
    log,
    clock,
  })
  const httpAddress = `${config.http.tls ? 'https' : 'http'}://${http.address}:${http.port}`
  const control = await startControl({
    socket: config.control.socket,
    log,
    services: controlServices({
      config,
      configFile: options.configFile,
      version,
      enginePath: options.enginePath,
      startedAt,
      store,
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
        faxes: faxControl(fax),
        inbox: inboxControl(inbox),
        mail: mailControl(mail, config.site.name),
        reminders: reminders.control,
        sms: texts.control,
      },
      queues: () => [
        { name: 'faxes to send', waiting: fax.queue.waiting, oldestAt: fax.queue.oldestAt() },
        { name: 'texts to send', waiting: texts.queue.waiting, oldestAt: texts.queue.oldestAt() },
        { name: 'reminders', waiting: reminders.queue.waiting, oldestAt: null },
        { name: 'mails to send', ...mail.condition() },
      ],
      transcriber,
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
  const firstToken = await firstAccessToken(options, store, clock)
  // Before the first call can end: what is enqueued from here on is seen.
  outbox.start()
  await driver.start({ inbound: (call) => void calls.inbound(call), statusChanged: () => undefined })
  recoverCalls({ store, calls, originator, clock, log })
  modems.start()
  fax.start()
  texts.start()
  reminders.start()
  mail.start()
  inbox.start()
  retention.start()
  engines.start()
  transcripts.start()
  void speech.warm().catch((error: unknown) => log.error({ err: error }, 'the box could not try its voice'))
  const bound = driver.bound()

  return {
    httpAddress,
    sip: [bound.udp && `udp ${bound.udp}`, bound.tcp && `tcp ${bound.tcp}`, bound.tls && `tls ${bound.tls}`].filter(
      (text) => typeof text === 'string',
    ),
    firstToken,
    alive: () => watch.alive(),
    stop: async (drainMs) => {
      stopping = true
      originator.stop()
      fax.drain()
      reminders.drain()
      texts.drain()
      driver.drain()
      await transcripts.stop()
      await calls.drain(drainMs)
      // Before the faxes: the ends of their calls are to be written.
      await modems.stop()
      await fax.stop()
      await reminders.stop()
      await Promise.all([mail.stop(), texts.stop()])
      inbox.stop()
      retention.stop()
      watch.stop()
      await outbox.stop()
      await driver.stop()
      await engines.stop()
      await http?.close()
      await control.close()
      await controlAgent.close()
      await store.close()
    },
  }
}

/** A box that has no token at all gets one with every right, so that the first request can be made. */
async function firstAccessToken(
  options: DaemonOptions,
  store: Awaited<ReturnType<typeof openStore>>,
  clock: typeof systemClock,
): Promise<string | null> {
  if (options.config.auth.tokens.length > 0 || store.tables.tokens.count() > 0) return null
  const { token } = await createToken(store, clock, options.config, 'first', ['send', 'inbox', 'voice', 'crm', 'admin'])
  return token
}
