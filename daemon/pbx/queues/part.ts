/** Queues: callers wait for the first member who is free. */
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Talks } from '../../routing/connect.ts'
import type { Routing } from '../../routing/routing.ts'
import type { QueueView } from '../../schema/queues.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { Attendant } from '../codes/attendant.ts'
import type { SettingsOfExtensions } from '../extensions/settings.ts'
import type { Music } from '../talk/music.ts'
import { Queues } from './queues.ts'
import { queueRoutes } from './routes.ts'
import { queueFigures, queueServices, sweepQueueDays } from './services.ts'
import type { Features } from '../../routing/desks.ts'

/** The code by which members log in to their queues, and out. */
interface QueueCodesOptions {
  readonly attendant: Attendant
  readonly queues: Pick<Queues, 'toggle'>
}

function queueCodes({ attendant, queues }: QueueCodesOptions) {
  return {
    queueLogin: async (call, extension) => {
      const now = await queues.toggle(extension)
      await attendant.say(call, now === null ? 'noQueue' : now === 'in' ? 'queueIn' : 'queueOut')
      return null
    },
  } satisfies Partial<Features>
}

export interface QueuesPart extends Part {
  readonly callQueues: Queues
  readonly list: () => readonly QueueView[]
}

export interface QueuesPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'features' | 'takers' | 'trunks'>
  readonly calls: Calls
  readonly talks: Talks
  readonly music: Music
  readonly attendant: Attendant
  readonly settings: SettingsOfExtensions
  readonly speaker: Pick<Speaker, 'prepare'>
}

export function queuesPart(
  { config, store, clock, log }: Ground,
  { routing, calls, talks, music, attendant, settings, speaker }: QueuesPartOptions,
): QueuesPart {
  const { destinations, features, takers, trunks } = routing
  const queues = new Queues({
    ...{ config, store, calls, trunks, clock, log, speaker, destinations, settings, talks },
    music: () => music.now(),
  })
  takers.add('queue', (call, { id }, request) => queues.take(call, id, request))
  features.addAll(queueCodes({ attendant, queues }))
  const { site, voice } = config
  const services = queueServices({ config, clock }, queues)
  return {
    name: 'queues',
    callQueues: queues,
    list: services.list,
    routes: queueRoutes(services),
    figures: queueFigures({ config, clock }, queues),
    sweeps: [
      { what: 'figures of queues', sweep: () => sweepQueueDays({ store, clock, timeZone: site.timeZone, keepDays: voice.historyDays }) },
    ],
    stepped: (stepMs) =>
      void queues.callbacks
        .stepped(stepMs)
        .catch((error: unknown) => log.error({ err: error }, 'the places of call-backs could not be moved')),
    reconfigured: () => queues.reconfigure(),
    start: () => queues.start(),
    stop: () => queues.stop(),
  }
}
