/** What the daemon reports of its parts, what it warns of, and whether it lives. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { confinementState } from '../drivers/confine.ts'
import type { LineStatus } from '../drivers/line.ts'
import type { SipDriver } from '../drivers/sip/driver.ts'
import type { UnroutedCall } from './calls/unrouted.ts'
import type { Clock, Timer } from './clock.ts'
import { cleartextOf } from './config/cleartext.ts'
import type { FaxCondition } from './fax/condition.ts'
import { Ceilings } from './ceilings/ceilings.ts'
import { ceilingWarnings } from './ceiling-warnings.ts'
import type { Health } from './health.ts'
import { declareListeners, reportListeners } from './listener-health.ts'
import type { Log } from './log.ts'
import type { MailCondition } from './mail/queue.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { Config } from './schema/config.ts'
import { declareSignalling, declareUnrouted } from './signalling-warnings.ts'
import type { Store } from './store/store.ts'

export interface Watched {
  readonly config: Config
  readonly store: Store
  readonly driver: SipDriver
  readonly unrouted: { recent(): readonly UnroutedCall[] }
  readonly modems: { lines(): readonly LineStatus[] }
  readonly outbox: Outbox
  readonly speech: { state(): { ok: boolean; reason: string } }
  readonly fax: { condition(): FaxCondition }
  readonly mail: { condition(): MailCondition }
  readonly texts: { report(health: Health): void; declare(health: Health): void }
  readonly reminders: { condition(): { readonly ok: boolean; readonly reason: string; readonly detail: string } }
  /** Applications that are not asked at the moment, by endpoint. */
  readonly openCircuits: () => readonly { readonly endpoint: string; readonly openUntil: number }[]
  readonly clock: Clock
  readonly log: Log
  /** Whether the time of day can be believed. */
  readonly clockTrusted: () => boolean
  /** Calls that live. */
  readonly calls: () => number
  readonly draining: () => boolean
}

export interface Watch {
  /** Whether the store still answers: the watchdog asks. A full disk is answered too and is no reason to be restarted. */
  alive(): boolean
  /** Brings the warnings up to date, for somebody who looks now. */
  refresh(): void
  stop(): void
}

const beatMs = 5000
const lostMs = 15_000
/** Calls do without the disk: while there are any, one that takes its time ends none of them. */
const lostInCallsMs = 300_000

export function watchHealth(health: Health, watched: Watched): Watch {
  const { config, store, driver, modems, outbox, speech, fax, mail, clock } = watched
  health.part('store', () => store.health())
  health.part('engine', () => {
    const { ok, reason, facts } = driver.health()
    const running = facts.pid !== undefined
    return { ok, reason: ok ? '' : running ? 'the SIP engine has nothing to listen on' : 'the SIP engine is not running', detail: reason }
  })
  reportListeners(health, driver)
  health.part('trunks', () => {
    const down = driver.lines().filter((line) => line.kind === 'trunk' && !line.ok)
    return {
      ok: down.length === 0,
      reason: down.length === 0 ? '' : 'a trunk is down',
      detail: down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; '),
      required: false,
    }
  })
  if (modems.lines().length > 0) {
    health.part('modems', () => {
      const down = modems.lines().filter((line) => !line.ok)
      const detail = down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; ')
      return { ok: down.length === 0, reason: down.length === 0 ? '' : 'a modem line is down', detail, required: false }
    })
  }
  health.part('speech', () => ({ ...speech.state(), required: false }))
  health.part('fax', () => ({ ...fax.condition(), required: false }))
  watched.texts.report(health)
  health.part('reminders', () => ({ ...watched.reminders.condition(), required: false }))
  if (config.mail !== undefined) health.part('mail', () => ({ ...mail.condition(), required: false }))
  health.part('stopping', () => ({ ok: !watched.draining(), reason: watched.draining() ? 'stopping' : '' }))

  for (const { path, text, fix } of cleartextOf(config)) health.warn(`cleartext-${path.join('.')}`, { severity: 'warning', text, fix })
  const declareCeilings = ceilingWarnings(new Ceilings(watched), health, watched.log)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  let answered = clock.elapsed()
  let timer: Timer | null = null
  let open: readonly string[] = []
  const refresh = () => {
    declare(health, config, driver, outbox, store)
    const { room } = fax.condition()
    if (room) health.clear('fax-room')
    else
      health.warn('fax-room', {
        severity: 'error',
        text: `Less than ${config.fax.freeMegabytes} MB are free: fax calls are not answered`,
        fix: `free space on the file system of ${config.storage.dir}`,
      })
    const { ok: mails, reason: mailFault } = mail.condition()
    if (mails) health.clear('mail')
    else health.warn('mail', { severity: 'error', text: mailFault, fix: 'pbx mail test' })
    for (const { id, ok, state, reason } of modems.lines()) {
      const code = `line-${id}`
      if (ok || state === 'starting') health.clear(code)
      else health.warn(code, { severity: 'error', text: `Line ${id}: ${reason === '' ? state : reason}`, fix: `pbx modem test ${id}` })
    }
    watched.texts.declare(health)
    const slowMs = clock.elapsed() - answered
    if (slowMs < lostMs) health.clear('store-slow')
    else
      health.warn('store-slow', {
        severity: 'error',
        text: `The disk has not answered for ${Math.round(slowMs / 1000)} s: nothing is stored`,
        fix: `look at the disk of ${config.storage.dir}`,
      })
    if (watched.clockTrusted()) health.clear('clock-untrusted')
    else
      health.warn('clock-untrusted', {
        severity: 'warning',
        text: 'The clock does not follow a time server yet: reminder calls wait',
        fix: 'timedatectl set-ntp true; where nothing sets the clock and it is right: reminders: { clock: any }',
      })
    declareCeilings()
    declareSignalling(health, config, driver)
    declareListeners(health, driver)
    declareUnrouted(health, watched.unrouted.recent())
    open = declareCircuits(health, config, watched.openCircuits(), open)
  }
  const beat = () => {
    store
      .transaction(() => store.tables.meta.put('heartbeat', clock.now()))
      .catch(() => undefined)
      .finally(() => (answered = clock.elapsed()))
    refresh()
    if (delay.max / 1e6 > 500) {
      health.warn('event-loop', {
        severity: 'notice',
        text: `the daemon was busy for ${Math.round(delay.max / 1e6)} ms at a stretch`,
        fix: 'pbx doctor',
      })
    } else health.clear('event-loop')
    delay.reset()
    timer = clock.after(beatMs, beat)
  }
  timer = clock.after(1000, beat)
  return {
    refresh,
    alive: () => clock.elapsed() - answered < (watched.calls() > 0 ? lostInCallsMs : lostMs),
    stop: () => {
      timer?.cancel()
      delay.disable()
    },
  }
}

/** Fewer come without any ill will: what was on its way when a far end moved. */
const foreignToWarn = 10

function declare(health: Health, config: Config, driver: SipDriver, outbox: Outbox, store: Store): void {
  const set = (code: string, on: boolean, severity: 'notice' | 'warning' | 'error', text: string, fix: string) =>
    on ? health.warn(code, { severity, text, fix }) : health.clear(code)
  const engine = driver.health()
  set('engine-down', !engine.ok, 'error', `There are no SIP calls: ${engine.reason}`, 'pbx doctor')
  set(
    'no-realtime',
    engine.facts.realtime === false,
    'warning',
    `The media clock has no real-time priority (${String(engine.facts.realtimeReason ?? '')}): audio may stutter when the machine is busy`,
    'pbx doctor',
  )
  const foreign = Number(engine.facts.foreignPacketsRecent ?? 0)
  set(
    'foreign-media',
    foreign >= foreignToWarn,
    'warning',
    `${foreign} audio or fax packets that did not come from the far end of a call were dropped within the hour: somebody on the network tries to get into calls, or, when callers hear nothing of each other, a provider sends from an address that it does not name`,
    'look for "not its far end" in the log: an address of the provider belongs into trunks[].allow, any other behind a firewall; srtp protects against both',
  )
  for (const line of driver.lines()) {
    const down = line.kind === 'trunk' && !line.ok
    set(`line-${line.id}`, down, 'error', `Trunk ${line.id}: ${line.reason === '' ? line.state : line.reason}`, 'pbx lines')
  }
  const { dead } = outbox.stats()
  set('dead-callbacks', dead > 0, 'warning', `${dead} callbacks were given up`, 'pbx callbacks list --state dead')
  const { ok, reason } = store.health()
  set('store', !ok, 'error', reason, 'pbx doctor')
  const { filtered, reason: unconfined, fix } = confinementState()
  set(
    'confinement',
    unconfined !== '',
    filtered ? 'warning' : 'error',
    `${unconfined}: ${filtered ? 'what reads PDFs and speech could read other files of the daemon' : 'PDFs are not read, and speech programs are not confined'}`,
    fix,
  )
  const loopbackRefused =
    !config.callbacks.allowLoopback &&
    config.voice.endpoints.some((endpoint) => /\/\/(localhost|127\.)/.test(endpoint.statusCallbackUrl ?? ''))
  set(
    'loopback-callbacks',
    loopbackRefused,
    'warning',
    'A statusCallbackUrl is on this machine, and callbacks.allowLoopback is off',
    'callbacks: { allowLoopback: true }',
  )
}

/** One warning for each application whose circuit is open; those of before that are closed again are taken back. */
function declareCircuits(
  health: Health,
  config: Config,
  circuits: readonly { readonly endpoint: string }[],
  before: readonly string[],
): string[] {
  const codes = circuits.map(({ endpoint }) => {
    const code = `circuit ${endpoint}`
    const url = config.voice.endpoints.find(({ id }) => id === endpoint)?.controlUrl
    health.warn(code, {
      severity: 'error',
      text: `The application ${endpoint}${url === undefined ? '' : ` (${url})`} is down: its calls go to the fallback`,
      fix: 'pbx calls --all, then pbx trace CALL',
    })
    return code
  })
  for (const code of before) if (!codes.includes(code)) health.clear(code)
  return codes
}
