/** Keys that are lit for something else than a phone: hours that are set by hand, and members of queues. */
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../schema/config.ts'
import type { Overrides } from '../hours/overrides.ts'
import type { Queues } from '../queues/queues.ts'
import type { Watched } from './dialog-lamps.ts'
import type { WatchedDialog } from '../../../drivers/pbx.ts'

// What a key shows of a member of queues: lit while it is logged in, as ringing while it is paused, off while it is logged out.

/** One for each queue of which it is a member, and into which it is logged in. */
function queueMemberDialogs(queues: Pick<Queues, 'all' | 'members'>, extension: string): WatchedDialog[] {
  const { members } = queues
  return queues.all().flatMap(({ settings: { id, members: own } }): WatchedDialog[] => {
    if (!own.includes(extension) || !members.isLoggedIn(id, extension)) return []
    return [{ id: `queue-${id}`, state: members.isReady(id, extension) ? 'confirmed' : 'early', direction: 'recipient' }]
  })
}

/** The key for hours that are set by hand: what is dialled to set them. '' where that is switched off. */
export function hoursLamp({ featureCodes }: Config): string {
  return featureCodes.hoursOverride === false ? '' : featureCodes.hoursOverride
}

/** It is lit while any hours are set by hand. */
export function hoursWatched(config: Config, overrides: Pick<Overrides, 'at'>, clock: Pick<Clock, 'now'>): Watched {
  return {
    has: (asked) => asked !== '' && asked === hoursLamp(config),
    dialogs: () => {
      const set = config.hours.filter(({ id }) => overrides.at(id, clock.now()) !== null)
      return set.map(({ id }) => ({ id: `hours-${id}`, state: 'confirmed', direction: 'recipient' }))
    },
  }
}

/** The key for a member of queues: what is dialled to log in and out, alone for the own phone. '' where that is switched off. */
export function memberLamp({ featureCodes }: Config): string {
  return featureCodes.queueLogin === false ? '' : featureCodes.queueLogin
}

export function membersWatched(config: Config, queues: Pick<Queues, 'all' | 'members'>): Watched {
  const member = (name: string, watcher: string): string => {
    const code = memberLamp(config)
    return name === code ? watcher : name.slice(code.length)
  }
  return {
    has(name) {
      const code = memberLamp(config)
      if (code === '') return false
      return name === code || (name.startsWith(code) && config.extensions.some(({ number }) => number === member(name, '')))
    },
    dialogs: (name, watcher) => queueMemberDialogs(queues, member(name, watcher)),
  }
}
