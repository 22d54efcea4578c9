/** Alarms: who is notified of faults of the box. */
import { AlarmCall } from './call.ts'
import { Alarms } from './alarms.ts'
import { AlarmDesk } from './desk.ts'
import { webhookWay, writtenWay } from './ways.ts'
import type { BoxEvents } from '../box-events/box-events.ts'
import type { Core } from '../core.ts'
import { alarmRoutes } from './routes.ts'
import type { NoticeWays } from '../base/notice-ways.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Part } from '../part.ts'
import type { Routing } from '../routing/routing.ts'
import { alarmWays } from '../schema/alarm-ways.ts'
import type { Voice } from '../voice/voice.ts'

export interface AlarmsPartOptions {
  readonly events: BoxEvents
  readonly outbox: Outbox
  readonly notices: Pick<NoticeWays, 'find'>
  readonly routing: Pick<Routing, 'originator' | 'trunks'>
  readonly voice: Pick<Voice, 'serve'>
}

/** A person who cannot be notified is a fault for so long after the last try. */
const untoldMs = 86_400_000

export function alarmsPart(core: Core, { events, outbox, notices, routing, voice }: AlarmsPartOptions): Part {
  const { config, store, clock, log, health, policies, trail } = core
  const { site, alarms: rules } = config
  const acknowledge = async (eventIds: readonly string[], to: string): Promise<void> => {
    const about = eventIds.join(' ')
    await events.acknowledge(eventIds, `phone ${to}`, () =>
      trail.audit.record({ actor: `phone:${to}`, address: '', deed: 'alarm.acknowledge', object: about }),
    )
  }
  const { originator, trunks } = routing
  const open = () => events.lasting().filter(({ acknowledgedAt }) => acknowledgedAt === null)
  const call = new AlarmCall({ config, originator, trunks, clock, log, acknowledge, open })
  voice.serve(call)
  const ways = {
    ...Object.fromEntries(alarmWays.map((way) => [way, writtenWay(way, notices, site)])),
    webhook: webhookWay({ outbox, store, clock, policy: policies.callback, site }),
    call,
  }
  const shared = { rules, timeZone: site.timeZone, events, clock, ways }
  const alarms = new Alarms({
    ...shared,
    store,
    log,
    untold(rule, { way, to }, reason) {
      const code = `alarm-untold ${rule} ${way} ${to}`
      const text = `The alarm ${rule} cannot reach ${to} by ${way}: ${reason}`
      if (reason === '') health.clear(code)
      else health.warn(code, { severity: 'error', text, fix: `pbx alarms test ${rule}`, lastsMs: untoldMs })
    },
  })
  return {
    name: 'alarms',
    stepped: (stepMs) => void alarms.stepped(stepMs).catch((error: unknown) => log.error({ err: error }, 'alarms could not be moved')),
    routes: alarmRoutes(new AlarmDesk({ ...shared, alarms })),
    looked: () => alarms.look(),
    figures: [
      {
        name: 'pbx_alarms',
        help: 'Open events for which an alarm was sent or is due.',
        type: 'gauge',
        read: () => [[{}, alarms.rows().length]],
      },
    ],
    start: () => alarms.start(),
    async stop() {
      call.stop()
      await alarms.stop()
    },
  }
}
