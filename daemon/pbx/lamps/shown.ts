/** The lamps of this house as a program or the box of another site reads them: a list, and its changes on the live stream. */
import type { MessageCounts } from '../../../drivers/pbx.ts'
import type { LampView } from '../../schema/extensions.ts'
import type { Watched } from './dialog-lamps.ts'

export interface ShownLampsOptions {
  /** The live stream. */
  readonly live: {
    /** Whether anybody reads it, or may go on from what was read. */
    readonly isWanted: boolean
    source(topic: 'lamps', state: (number: string) => { readonly whole: object; readonly masked: object } | null): void
    changed(topic: 'lamps', number: string): void
  }
  /** The extensions, and what their lamps show. */
  readonly phones: Watched
  readonly extensions: () => readonly string[]
  readonly mailboxes: () => readonly string[]
  readonly counts: (ext: string) => MessageCounts
}

/** No extension: it sees that there is a call, and nothing of who has it. */
const nobody = ''

export class ShownLamps {
  readonly #options: ShownLampsOptions
  /** As they were put on the stream last. */
  readonly #last = new Map<string, string>()
  #numbersThen: readonly string[]

  constructor(options: ShownLampsOptions) {
    this.#options = options
    this.#numbersThen = this.#numbers()
    options.live.source('lamps', (number) => {
      const view = this.#of(number)
      return view === null ? null : { whole: view, masked: view }
    })
  }

  list(): LampView[] {
    return this.#numbers().flatMap((number) => this.#of(number) ?? [])
  }

  /** Something may be otherwise there. Most changes of a call change no lamp. */
  changed(number: string): void {
    const { live } = this.#options
    // The next reader loads the list first.
    if (!live.isWanted) return this.#last.clear()
    const text = JSON.stringify(this.#of(number))
    if (this.#last.get(number) === text) return
    this.#last.set(number, text)
    live.changed('lamps', number)
  }

  /** There are others by now. */
  reconfigured(): void {
    const now = this.#numbers()
    for (const number of new Set([...this.#numbersThen, ...now])) this.changed(number)
    this.#numbersThen = now
  }

  #numbers(): string[] {
    const { extensions, mailboxes } = this.#options
    return [...new Set([...extensions(), ...mailboxes()])]
  }

  #of(number: string): LampView | null {
    const { phones, extensions, mailboxes, counts } = this.#options
    const [isPhone, isMailbox] = [extensions().includes(number), mailboxes().includes(number)]
    if (!isPhone && !isMailbox) return null
    const dialogs = isPhone ? (phones.dialogs(number, nobody) ?? []) : []
    return {
      number,
      calls: dialogs.map(({ id, state, direction }) => ({ id, state, direction })),
      messages: isMailbox ? { urgentFresh: 0, urgentOld: 0, ...counts(number) } : null,
    }
  }
}
