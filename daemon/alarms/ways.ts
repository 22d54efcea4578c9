/** By a way that a part brings, and by webhook. */
import { newId } from '../base/ids.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import { NoticeRefused, type NoticeWays } from '../base/notice-ways.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { AlarmEvent } from '../schema/events.ts'
import type { Store } from '../store/store.ts'
import type { AlarmWay } from './alarms.ts'
import { briefOf, subjectOf, textOf, type Site, type Told } from './words.ts'

export function writtenWay(name: string, notices: Pick<NoticeWays, 'find'>, site: Site): AlarmWay {
  return {
    async tell({ to, ...told }, alongside) {
      const way = notices.find(name)
      if (way === undefined) throw new NoticeRefused(`this box cannot send alarms by ${name}`)
      const about = `alarm:${told.rule}`
      await way.tell({ to, subject: subjectOf(told, site), text: textOf(told, site), brief: briefOf(told, site), about }, alongside)
    },
  }
}

export interface WebhookOptions {
  readonly outbox: Pick<Outbox, 'enqueue' | 'wake'>
  readonly store: Store
  readonly clock: Clock
  readonly policy: AddressPolicy
  readonly site: Site
}

export function webhookWay({ outbox, store, clock, policy, site }: WebhookOptions): AlarmWay {
  return {
    async tell({ to, ...told }, alongside) {
      const checked = checkUrl(to, policy)
      if (!checked.ok) throw new NoticeRefused(checked.reason)
      const event = eventOf(told, site.name, clock.now())
      await store.transaction(() => {
        // In order (`fifo`), so that the receiver knows what lasts.
        outbox.enqueue({ event, subject: `alarm:${told.rule}`, url: to, secret: 'callbacks', schedule: 'standard', fifo: `alarm ${to}` })
        alongside()
      })
      outbox.wake()
    },
  }
}

const names = { lasts: 'alarm.raised', ended: 'alarm.ended', test: 'alarm.test' } as const

function eventOf({ rule, news, events }: Told, site: string, now: number): AlarmEvent {
  return {
    event: names[news],
    eventId: newId(),
    timestamp: isoTime(now),
    site,
    rule,
    conditions: events.map(({ eventId, kind, code, severity, since, until, text, fix }) => ({
      boxEventId: eventId,
      kind,
      code,
      severity,
      since: isoTime(since),
      until: isoTime(until),
      text,
      fix,
    })),
  }
}
