/** The lamps of phones. */
import type { PbxLamps } from '../../drivers/pbx.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { lampOwner } from '../pbx/lamps/lamps.ts'
import { MessageLamps } from '../pbx/lamps/message-lamps.ts'
import { mailboxNumbers } from '../schema/config-mailboxes.ts'
import type { Boxes } from '../voicemail/boxes.ts'
import type { SipPart } from './sip.ts'

export interface LampsPartOptions {
  readonly sip: Pick<SipPart, 'onRegistered'> & { readonly driver: { readonly lamps: PbxLamps } }
  readonly boxes: Boxes
}

/** Behind SIP in the list: at the start phones that registered before are told. */
export function lampsPart({ config }: Core, { sip, boxes }: LampsPartOptions): Part {
  const { lamps } = sip.driver
  const extensions = config.extensions.map(({ number }) => number)
  const messages = new MessageLamps({ lamps, extensions, mailboxes: mailboxNumbers(config), counts: (ext) => boxes.counts(ext) })
  lamps.onLamp = lampOwner({ 'message-summary': messages })
  sip.onRegistered((extension) => messages.registered(extension))
  boxes.onChange((ext) => messages.changed(ext))
  return { name: 'lamps', start: () => messages.tellAll() }
}
