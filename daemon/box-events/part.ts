/** The history of the box: what its parts, lines and warnings have been, when the daemon did not run, who was shut out. */
import type { LineStatus } from '../../drivers/line.ts'
import { BoxEvents } from './box-events.ts'
import { conditionsOf } from './conditions.ts'
import type { Core } from '../core.ts'
import { failedStarts, forgetFailedStarts, type FailedStarts } from '../failed-starts.ts'
import { ours, said } from '../base/for-log.ts'
import { boxEventRoutes } from './routes.ts'
import type { Part } from '../part.ts'

export interface EventsPart extends Part {
  readonly events: BoxEvents
}

const versionKey = 'boxVersion'
const stoppedKey = 'boxStoppedAt'
const heartbeatKey = 'heartbeat'
/** Wrong passwords are reported for so long after the last one. */
const shutOutMs = 900_000
/** Shorter is a restart that somebody asked for, or the watchdog's. */
const shortMs = 60_000

/** `lines`: trunks, phones and modem lines. */
export function eventsPart(core: Core, { lines }: { readonly lines: () => readonly LineStatus[] }): EventsPart {
  const { health, store, clock, log, trail } = core
  const events = new BoxEvents({ store, clock, log, keepDays: core.config.events.keepDays })
  // Before this run writes its own.
  const before = lastRun(core)
  return {
    name: 'events',
    events,
    routes: boxEventRoutes(events),
    looked() {
      if (core.stopping) return
      const { parts } = health.report()
      events.look(conditionsOf({ warnings: health.warnings(), parts, lines: lines(), now: clock.now() }))
    },
    stepped: (stepMs) => events.stepped(stepMs),
    figures: [
      {
        name: 'pbx_box_events_total',
        help: 'Events of the box since the start: lines, parts, warnings, disk, clock, updates, logins.',
        type: 'counter',
        read: () => events.begun(),
      },
      { name: 'pbx_box_events_lasting', help: 'Open events of the box.', type: 'gauge', read: () => events.lastingCounts() },
    ],
    sweeps: [{ what: 'events of the box', sweep: () => events.sweep() }],
    start() {
      trail.refusals.watch(({ deed, outcome, address }) => {
        if (deed === 'ban.set')
          shutOut('phones', 'notice', `${address} is banned for a time after wrong passwords of phones`, 'pbx lines bans')
        else if (deed === 'session.failed') signInFailed(outcome, address)
        else if (outcome === 'rate_limited')
          shutOut('web', 'warning', `${address} is refused for a time after wrong access tokens`, 'pbx audit list --deed token.failed')
      })
      noteStart(core, events, before)
    },
    async stop() {
      await events.stop()
      await store
        .transaction(() => store.tables.meta.put(stoppedKey, clock.now()))
        .catch((error: unknown) => log.warn({ err: error }, 'the stop could not be stored'))
    },
  }

  function signInFailed(outcome: string, address: string): void {
    const fix = 'pbx audit list --deed session.failed'
    if (outcome === 'rate_limited')
      shutOut('locked', 'warning', `sign-ins from ${address} are refused for a time after wrong passwords`, fix)
    else if (outcome === 'sign_in_failed') shutOut('refused', 'notice', `a sign-in from ${address} was refused`, fix)
    else if (outcome === 'invitation_void') shutOut('invitation', 'notice', `an invitation from ${address} was not valid`, fix)
  }

  function shutOut(what: string, severity: 'notice' | 'warning', text: string, fix: string): void {
    health.warn(`login-${what}`, { kind: 'login', severity, text, fix, lastsMs: shutOutMs })
  }
}

interface LastRun {
  readonly version: unknown
  /** When it was asked to end, and when it was last seen alive. */
  readonly stopped: unknown
  readonly lived: unknown
  readonly failed: FailedStarts | null
}

function lastRun({ store }: Core): LastRun {
  const { meta } = store.tables
  return { version: meta.get(versionKey), stopped: meta.get(stoppedKey), lived: meta.get(heartbeatKey), failed: failedStarts({ store }) }
}

/** That the daemon did not run, and that another version does now. */
function noteStart({ store, version, startedAt, log }: Core, events: BoxEvents, last: LastRun): void {
  const { meta } = store.tables
  if (last.failed !== null) {
    const { count, since, reason } = last.failed
    const away = Math.round((startedAt - since) / 1000)
    const text = said`pbxd failed to start ${count} times and did not run for ${away} s: ${reason}`
    events.note({ kind: 'daemon', code: 'daemon-died', severity: 'error', text, fix: 'pbx doctor', since })
  } else if (typeof last.lived === 'number') {
    const asked = typeof last.stopped === 'number'
    const since = Math.min(typeof last.stopped === 'number' ? last.stopped : last.lived, startedAt)
    const away = Math.round((startedAt - since) / 1000)
    events.note({
      kind: 'daemon',
      code: asked ? 'daemon-stopped' : 'daemon-died',
      severity: !asked ? 'error' : startedAt - since > shortMs ? 'warning' : 'notice',
      text: asked ? `pbxd was stopped and did not run for ${away} s` : `pbxd ended unexpectedly and did not run for ${away} s`,
      fix: asked ? '' : 'journalctl -u pbxd -p warning',
      since,
    })
  }
  if (typeof last.version === 'string' && last.version !== version)
    events.note({
      kind: 'update',
      code: 'update',
      severity: 'notice',
      text: ours(`pbxd ${version} replaced ${last.version}`),
      fix: '',
    })
  // Nobody waits for it: a disk that hangs keeps no telephone from ringing.
  store
    .transaction(() => {
      meta.put(versionKey, version)
      meta.remove(stoppedKey)
      forgetFailedStarts({ store })
    })
    .catch((error: unknown) => log.warn({ err: error }, 'the start could not be stored'))
}
