/** The live stream, and what it shows of each part of the house. */
import { Alarm } from '../base/clock.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { Live } from './live.ts'
import { liveRoutes } from './routes.ts'
import { sourcesOf } from './sources.ts'
import type { LiveThings } from './thing.ts'
import { watchRows, type RowWatch } from './watched.ts'

export interface LivePartOptions {
  readonly live: Live
  readonly things: LiveThings
  /** That are good now. */
  readonly tokens: () => Iterable<{ readonly name: string; readonly expiresAt?: number }>
}

/** Before the other parts: the lists of all of them say up to where it is. */
export const openLive = ({ clock }: Pick<Core, 'clock'>): Live => new Live({ clock })

/** Phones ring and talk several times within a moment. */
const momentMs = 100

export function livePart({ store, clock, log }: Pick<Core, 'store' | 'clock' | 'log'>, { live, things, tokens }: LivePartOptions): Part {
  const isGood = ({ expiresAt = Infinity }: { readonly expiresAt?: number }): boolean => expiresAt > clock.now()
  const hasToken = (name: string): boolean => [...tokens()].some((token) => token.name === name && isGood(token))
  const { lookAtPhones, lookAtBox } = sourcesOf(live, things)
  const soon = new Alarm(clock, lookAtPhones)
  things.faxes.watchAll((id) => live.changedSoon('faxes', id))
  const shownCalls = new Map<string, string>()
  const callChanged = changesOfCalls(live, things, shownCalls)
  const watch: RowWatch = {
    calls(id, row) {
      callChanged(id, row)
      if (live.readers > 0) soon.within(momentMs)
    },
    extensionSettings: () => soon.within(momentMs),
    queueMembers: () => soon.within(momentMs),
    boxEvents(id) {
      live.changed('box', id, 'event')
      lookAtBox()
      soon.within(momentMs)
    },
    ...rowsShown(live),
  }
  watchRows(store, {
    watch,
    isWanted: () => live.isWanted,
    skip() {
      live.skip()
      shownCalls.clear()
    },
    failed: (error) => log.error({ err: error }, 'a change could not be shown on the live stream'),
  })
  return {
    name: 'live',
    routes: liveRoutes(live, hasToken),
    figures: [
      {
        name: 'pbx_live_readers',
        help: 'Browsers and programs that read the live stream.',
        type: 'gauge',
        read: () => [[{}, live.readers]],
      },
    ],
    stop() {
      soon.stop()
      live.close()
    },
  }
}

const feeds = { faxes: 'fax', sms: 'text', voicemails: 'voicemail' } as const

/** Rows of which each change is one of the thing with its key, or its id. */
function rowsShown(live: Live): RowWatch {
  return {
    // Of a call that has ended: a note, a transcript, what another system reported of it.
    history: (_, row) => void (row !== null && live.changed('calls', row.callId)),
    work: (key) => live.changed('work', key.slice(key.indexOf('/') + 1), key.slice(0, key.indexOf('/'))),
    helpCalls: (id) => live.changed('emergency', id),
    inboxFaxes: (_, row) => void (row !== null && live.changed('inbox', row.id, 'fax')),
    inboxVoicemails: (_, row) => void (row !== null && live.changed('inbox', row.id, 'voicemail')),
    inboxSms(_, row) {
      if (row === null) return
      live.changed('inbox', row.id, 'text')
      live.changed('texts', row.id, 'in')
    },
    textMedia: (_, row) => void (row !== null && live.changed('texts', row.itemId, 'in')),
    inboxMedia: (id, row) => void (row !== null && row.purgedAt !== null && live.changed('inbox', id, feeds[row.feed])),
    sessions: (_, row) => void (row !== null && live.changed('session', row.sessionId)),
    voicemailHeard: (id) => live.changed('inbox', id, 'voicemail'),
    faxes: (id) => live.changedSoon('faxes', id),
    sms: (id) => live.changed('texts', id, 'out'),
    reminders: (id) => live.changed('reminders', id),
    phones: (id) => live.changed('box', id, 'phone'),
  }
}

/** A row of a call is written more often than what is shown of it changes. `before`: what was shown last. */
function changesOfCalls(live: Live, { calls }: LiveThings, before: Map<string, string>): NonNullable<RowWatch['calls']> {
  return (id, row) => {
    // Past its time: nobody has it on a page.
    if (row === null) return
    const now = calls.shown(row)
    if (now === 'waits') return
    if (now === 'ended') {
      before.delete(id)
      return live.changed('calls', id)
    }
    const text = JSON.stringify(now)
    if (before.get(id) === text) return
    before.set(id, text)
    live.changed('calls', id)
  }
}
