/**
 * Message lamps (RFC 3842): how many messages of a mailbox are new and how many were heard, also none. Phones that watch are notified when
 * they ask and at each change; the phones of an extension, whether they watch or not, also whenever one of them registers.
 */
import type { Lamp, LampOwner, MessageCounts, PbxLamps } from '../../../drivers/pbx.ts'
import type { FeatureCodesConfig } from '../../schema/config/pbx-codes.ts'
import { featureIn } from '../codes/dialled.ts'
import type { LampServer } from './lamps.ts'

export interface MessageLampsOptions {
  readonly lamps: Pick<PbxLamps, 'tellMessages'>
  /** Numbers of the mailboxes. */
  readonly mailboxes: () => readonly string[]
  readonly extensions: () => readonly string[]
  readonly codes: () => FeatureCodesConfig
  readonly counts: (ext: string) => MessageCounts
}

export class MessageLamps implements LampServer {
  readonly #options: MessageLampsOptions
  readonly #lit = new Map<string, Set<Lamp>>()

  constructor(options: MessageLampsOptions) {
    this.#options = options
  }

  watch(lamp: Lamp): LampOwner | null {
    const ext = this.#mailboxOf(lamp)
    if (!this.#options.mailboxes().includes(ext)) return null
    const lit = this.#lit.get(ext) ?? new Set()
    this.#lit.set(ext, lit.add(lamp))
    const show = (): void => lamp.showMessages(ext, this.#options.counts(ext))
    show()
    return { refreshed: show, ended: () => void lit.delete(lamp) }
  }

  /** Phones are set up with what is dialled to hear messages, or with nobody's name: both mean the own mailbox. */
  #mailboxOf({ watches, extension }: Lamp): string {
    const code = featureIn(this.#options.codes(), watches)
    if (watches === '' || code?.name === 'ownMailbox') return extension
    return code?.name === 'anyMailbox' ? code.argument || extension : watches
  }

  /** Something in this mailbox is otherwise. */
  changed(ext: string): void {
    for (const lamp of this.#lit.get(ext) ?? []) lamp.showMessages(ext, this.#options.counts(ext))
    this.registered(ext)
  }

  /** Phones of the extension have registered again. */
  registered(extension: string): void {
    const { lamps, counts, extensions, mailboxes } = this.#options
    if (extensions().includes(extension) && mailboxes().includes(extension)) lamps.tellMessages(extension, counts(extension))
  }

  /** After a start: phones that registered with the run before do not ask. */
  tellAll(): void {
    for (const extension of this.#options.extensions()) this.registered(extension)
  }
}
