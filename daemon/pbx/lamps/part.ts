/** The lamps of phones. */
import { derived } from '../../base/derived.ts'
import type { MessageCounts, PbxLamps } from '../../../drivers/pbx.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Core } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Overrides } from '../hours/overrides.ts'
import { DialogLamps, type Watched } from './dialog-lamps.ts'
import { dialogsOf, seesNumbers, statesOf } from './dialogs.ts'
import { Lamps, type RemoteLamps } from './lamps.ts'
import { hoursLamp, hoursWatched, memberLamp, membersWatched } from './keys.ts'
import type { Queues } from '../queues/queues.ts'
import { MessageLamps } from './message-lamps.ts'
import { ShownLamps, type ShownLampsOptions } from './shown.ts'
import { lampRoutes } from '../extensions/routes.ts'
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
  /** Phones and mailboxes of other sites. */
  readonly remote: RemoteLamps
  readonly live: ShownLampsOptions['live']
}

/** Behind SIP in the list: at the start phones that registered before are notified. */
export function lampsPart(core: Core, options: LampsPartOptions): Part {
  const { config, clock } = core
  const { sip, boxes, calls, overrides, others, callQueues, remote } = options
  const { lamps } = sip.driver
  const extensions = derived(config, () => config.extensions.map(({ number }) => number))
  const mailboxes = derived(config, () => mailboxNumbers(config))
  const counts = (ext: string): MessageCounts => boxes.counts(ext)
  const messages = new MessageLamps({ lamps, extensions, mailboxes, codes: () => config.featureCodes, counts, elsewhere: remote })
  const phones: Watched = {
    has: (name) => extensions().includes(name),
    dialogs(name, watcher) {
      const dialogs = dialogsOf(calls.live(), name, sip.realm)
      return seesNumbers(config, name, watcher) ? dialogs : statesOf(dialogs)
    },
  }
  const shown = new ShownLamps({ live: options.live, phones, extensions, mailboxes, counts })
  const members = membersWatched(config, callQueues)
  const dialog = new DialogLamps([phones, hoursWatched(config, overrides, clock), ...others, members, remote])
  const lit = new Lamps({ 'message-summary': messages, dialog })
  lamps.onLamp((lamp) => lit.light(lamp))
  const phoneChanged = (extension: string): void => {
    if (extension === '') return
    dialog.changed(extension)
    shown.changed(extension)
  }
  calls.onChange(({ party, row }) => {
    phoneChanged(party.extension)
    for (const { to, trunkId } of row.legs ?? []) if (trunkId === '') phoneChanged(to)
  })
  remote.onChange((number, ofMessages) => {
    dialog.changed(number)
    if (ofMessages) messages.changed(number)
  })
  for (const other of others) other.onChange((name) => dialog.changed(name))
  callQueues.members.onChange((extension) => {
    const code = memberLamp(config)
    for (const name of [code, `${code}${extension}`]) dialog.changed(name)
  })
  overrides.onChange(() => dialog.changed(hoursLamp(config)))
  sip.onRegistered((extension) => messages.registered(extension))
  boxes.onChange((ext) => {
    messages.changed(ext)
    shown.changed(ext)
  })
  // The engine keeps those of talks that go on, and ends them with itself.
  return {
    name: 'lamps',
    routes: lampRoutes(shown),
    reconfigured: () => shown.reconfigured(),
    start: () => messages.tellAll(),
    stop: () => (core.leaving ? undefined : lit.stop()),
  }
}
