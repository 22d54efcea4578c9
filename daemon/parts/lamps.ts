/** The lamps of phones. */
import { derived } from '../base/derived.ts'
import type { PbxLamps } from '../../drivers/pbx.ts'
import type { Calls } from '../calls/calls.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { Overrides } from '../pbx/hours/overrides.ts'
import { DialogLamps, type Watched } from '../pbx/lamps/dialog-lamps.ts'
import { dialogsOf, seesNumbers, statesOf } from '../pbx/lamps/dialogs.ts'
import { Lamps } from '../pbx/lamps/lamps.ts'
import { queueMemberDialogs } from '../pbx/lamps/queue-members.ts'
import type { Parking } from '../pbx/parking/parking.ts'
import type { Queues } from '../pbx/queues/queues.ts'
import { MessageLamps } from '../pbx/lamps/message-lamps.ts'
import { mailboxNumbers } from '../schema/config/mailboxes.ts'
import type { Boxes } from '../voicemail/boxes.ts'
import { sipRealm } from './engine-settings.ts'
import type { SipPart } from './sip.ts'

export interface LampsPartOptions {
  readonly sip: Pick<SipPart, 'onRegistered'> & { readonly driver: { readonly lamps: PbxLamps } }
  readonly boxes: Boxes
  readonly calls: Calls
  readonly overrides: Overrides
  readonly parking: Parking
  readonly callQueues: Pick<Queues, 'all' | 'members'>
}

/** Behind SIP in the list: at the start phones that registered before are told. */
export function lampsPart(core: Core, { sip, boxes, calls, overrides, parking, callQueues }: LampsPartOptions): Part {
  const { config, clock } = core
  const { lamps } = sip.driver
  const extensions = derived(config, () => config.extensions.map(({ number }) => number))
  const mailboxes = derived(config, () => mailboxNumbers(config))
  const counts = (ext: string): ReturnType<Boxes['counts']> => boxes.counts(ext)
  const messages = new MessageLamps({ lamps, extensions, mailboxes, codes: () => config.featureCodes, counts })
  const phones: Watched = {
    has: (name) => extensions().includes(name),
    dialogs(name, watcher) {
      const dialogs = dialogsOf(calls.live(), name, sipRealm)
      return seesNumbers(config, name, watcher) ? dialogs : statesOf(dialogs)
    },
  }
  const dialog = new DialogLamps([phones, hoursWatched(config, overrides, clock), parking, membersWatched(config, callQueues)])
  const lit = new Lamps({ 'message-summary': messages, dialog })
  lamps.onLamp = (lamp) => lit.light(lamp)
  calls.onChange = ({ party, row }) => {
    dialog.changed(party.extension)
    for (const { to, trunkId } of row.legs ?? []) if (trunkId === '') dialog.changed(to)
  }
  parking.onChange = (slot) => dialog.changed(slot)
  callQueues.members.onChange = (extension) => {
    const code = memberLamp(config)
    for (const name of [code, `${code}${extension}`]) dialog.changed(name)
  }
  overrides.onChange(() => dialog.changed(hoursLamp(config)))
  sip.onRegistered((extension) => messages.registered(extension))
  boxes.onChange((ext) => messages.changed(ext))
  // The engine keeps those of talks that go on, and ends them with itself.
  return { name: 'lamps', start: () => messages.tellAll(), stop: () => (core.leaving ? undefined : lit.stop()) }
}

/** The key for hours that are set by hand: what is dialled to set them. '' where that is switched off. */
function hoursLamp({ featureCodes }: Core['config']): string {
  return featureCodes.hoursOverride === false ? '' : featureCodes.hoursOverride
}

/** It is lit while any hours are set by hand. */
function hoursWatched(config: Core['config'], overrides: Pick<Overrides, 'at'>, clock: Core['clock']): Watched {
  return {
    has: (asked) => asked !== '' && asked === hoursLamp(config),
    dialogs: () => {
      const set = config.hours.filter(({ id }) => overrides.at(id, clock.now()) !== null)
      return set.map(({ id }) => ({ id: `hours-${id}`, state: 'confirmed', direction: 'recipient' }))
    },
  }
}

/** The key for a member of queues: what is dialled to log in and out, alone for the own phone. '' where that is switched off. */
function memberLamp({ featureCodes }: Core['config']): string {
  return featureCodes.queueLogin === false ? '' : featureCodes.queueLogin
}

function membersWatched(config: Core['config'], queues: LampsPartOptions['callQueues']): Watched {
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
