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
  /** Mailboxes that are not of this house. */
  readonly elsewhere: MailboxesElsewhere
}

export interface MailboxesElsewhere {
  has(ext: string): boolean
  /** null: nobody knows now. */
  counts(ext: string): MessageCounts | null
}

export class MessageLamps implements LampServer {
  readonly #options: MessageLampsOptions
  readonly #lit = new Map<string, Set<Lamp>>()

  constructor(options: MessageLampsOptions) {
    this.#options = options
  }

  watch(lamp: Lamp): LampOwner | null {
    const ext = this.#mailboxOf(lamp)
    if (!this.#options.mailboxes().includes(ext) && !this.#options.elsewhere.has(ext)) return null
    const lit = this.#lit.get(ext) ?? new Set()
    this.#lit.set(ext, lit.add(lamp))
    const show = (): void => this.#show(lamp, ext)
    show()
    return { refreshed: show, ended: () => void lit.delete(lamp) }
  }

  /** Phones are set up with what is dialled to hear messages, or with nobody's name: both mean the own mailbox. */
  #mailboxOf({ watches, extension }: Lamp): string {
    const code = featureIn(this.#options.codes(), watches)
    if (watches === '' || code?.name === 'ownMailbox') return extension
    return code?.name === 'anyMailbox' ? code.argument || extension : watches
  }

  #show(lamp: Lamp, ext: string): void {
    const { mailboxes, counts, elsewhere } = this.#options
    const waiting = mailboxes().includes(ext) ? counts(ext) : elsewhere.counts(ext)
    if (waiting === null) lamp.showUnknown()
    else lamp.showMessages(ext, waiting)
  }

  /** Something in this mailbox is otherwise. */
  changed(ext: string): void {
    for (const lamp of this.#lit.get(ext) ?? []) this.#show(lamp, ext)
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
