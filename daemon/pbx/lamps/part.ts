/** The lamps of phones. */
import { derived } from '../../base/derived.ts'
import type { MessageCounts, PbxLamps } from '../../../drivers/pbx.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Core } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Overrides } from '../hours/overrides.ts'
import { DialogLamps, type Watched } from './dialog-lamps.ts'
import { dialogsOf, seesNumbers, statesOf } from './dialogs.ts'
import { Lamps } from './lamps.ts'
import { hoursLamp, hoursWatched, memberLamp, membersWatched } from './keys.ts'
import type { Queues } from '../queues/queues.ts'
import { MessageLamps } from './message-lamps.ts'
import { mailboxNumbers } from '../../schema/config.ts'

/** Messages that wait. */
export interface Mailboxes {
  counts(ext: string): MessageCounts
  onChange(tell: (ext: string) => void): void
}

export interface LampsPartOptions {
  readonly sip: {
    readonly driver: { readonly lamps: PbxLamps }
    /** How the box calls itself in SIP. */
    readonly realm: string
    onRegistered(tell: (extension: string) => void): void
  }
  readonly boxes: Mailboxes
  readonly calls: Calls
  readonly overrides: Overrides
  /** What else lamps may watch, and its changes. */
  readonly others: readonly (Watched & { onChange(tell: (name: string) => void): void })[]
  readonly callQueues: Pick<Queues, 'all' | 'members'>
}

/** Behind SIP in the list: at the start phones that registered before are notified. */
export function lampsPart(core: Core, { sip, boxes, calls, overrides, others, callQueues }: LampsPartOptions): Part {
  const { config, clock } = core
  const { lamps } = sip.driver
  const extensions = derived(config, () => config.extensions.map(({ number }) => number))
  const mailboxes = derived(config, () => mailboxNumbers(config))
  const counts = (ext: string): MessageCounts => boxes.counts(ext)
  const messages = new MessageLamps({ lamps, extensions, mailboxes, codes: () => config.featureCodes, counts })
  const phones: Watched = {
    has: (name) => extensions().includes(name),
    dialogs(name, watcher) {
      const dialogs = dialogsOf(calls.live(), name, sip.realm)
      return seesNumbers(config, name, watcher) ? dialogs : statesOf(dialogs)
    },
  }
  const dialog = new DialogLamps([phones, hoursWatched(config, overrides, clock), ...others, membersWatched(config, callQueues)])
  const lit = new Lamps({ 'message-summary': messages, dialog })
  lamps.onLamp((lamp) => lit.light(lamp))
  calls.onChange(({ party, row }) => {
    dialog.changed(party.extension)
    for (const { to, trunkId } of row.legs ?? []) if (trunkId === '') dialog.changed(to)
  })
  for (const other of others) other.onChange((name) => dialog.changed(name))
  callQueues.members.onChange((extension) => {
    const code = memberLamp(config)
    for (const name of [code, `${code}${extension}`]) dialog.changed(name)
  })
  overrides.onChange(() => dialog.changed(hoursLamp(config)))
  sip.onRegistered((extension) => messages.registered(extension))
  boxes.onChange((ext) => messages.changed(ext))
  // The engine keeps those of talks that go on, and ends them with itself.
  return { name: 'lamps', start: () => messages.tellAll(), stop: () => (core.leaving ? undefined : lit.stop()) }
}
