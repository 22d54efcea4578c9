/** How the things of the house look on the live stream, for those who see all of it and for those who see it masked. */
import { masked } from '../http/mask.ts'
import type { KeptList, ShownList, ShownName } from '../schema/shown-list.ts'
import { listsShown } from '../schema/shown-lists.ts'
import type { Live } from './live.ts'
import type { State, InMailbox, LiveThings } from './thing.ts'
import { watchList } from './watched.ts'

const both = <T extends object>(whole: T): State => ({ whole, masked: masked(whole) as object })
/** What says nothing of patients. */
const alike = <T extends object>(whole: T): State => ({ whole, masked: whole })
/** What is nothing but a patient's words and documents. */
const whole = <T extends object>(item: T): State => ({ whole: item, masked: null })

function found<T extends object>(item: T | undefined, state: (item: T) => State): State | null {
  return item === undefined ? null : state(item)
}

function inMailbox<T extends object>(found: InMailbox<T> | undefined, state: (item: T) => State): State | null {
  if (found === undefined) return null
  const { item, mailbox } = found
  return { ...state(item), ...(mailbox === undefined ? {} : { mailbox }) }
}

function watchListOf(live: Live, topic: ShownName, kept: KeptList<object>): () => void {
  const { id, plain = false }: ShownList = listsShown[topic]
  return watchList(live, { topic, kept, idOf: (thing) => (thing as Record<string, string>)[id]!, state: plain ? alike : both })
}

/** Gives back how to look at what does not say by itself that it has changed. */
export function sourcesOf(live: Live, things: LiveThings): { lookAtPhones(): void; lookAtBox(): void } {
  const { calls, work, emergency, lists, inbox, faxes, texts, reminders, event, phone } = things
  live.source('calls', (id) => found(calls.get(id), both))
  live.source('work', (id, kind) => inMailbox(work(kind, id), both))
  live.source('emergency', (id) => {
    const call = emergency(id)
    return call === undefined || call.closedAt !== null ? null : alike(call)
  })
  live.source('inbox', (id, kind) => inMailbox(inbox(kind, id), whole))
  live.source('faxes', (id) => found(faxes.get(id), both))
  live.source('texts', (id, kind) => found(texts(kind, id), whole))
  live.source('reminders', (id) => found(reminders(id), both))
  live.source('session', (sessionId) => {
    const session = things.session(sessionId)
    return session === undefined ? null : { ...alike(session), sessionId }
  })
  const lookAtQueues = watchList(live, {
    topic: 'queues',
    kept: { list: things.queues },
    idOf: ({ id }) => id,
    state: both,
    // A page counts the seconds by itself.
    compared: ({ callers, ...rest }) => [rest, callers.map(({ waitedSeconds: _, since: __, ...caller }) => caller)],
  })
  const looks = new Map(Object.entries<KeptList<object>>(lists).map(([name, kept]) => [name, watchListOf(live, name as ShownName, kept)]))
  const lookAtPhones = (): void => {
    looks.get('extensions')!()
    lookAtQueues()
  }
  const lookAtBox = watchList(live, { topic: 'box', kept: { list: () => [things.box()] }, idOf: () => 'box', state: alike })
  const ofBox = live.sourceOf('box')
  live.source('box', (id, kind) => {
    if (kind === 'event') return found(event(id), alike)
    return kind === 'phone' ? found(phone(id), alike) : ofBox(id, kind)
  })
  return { lookAtPhones, lookAtBox }
}
