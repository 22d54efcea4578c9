/** What lies in the mailboxes, new and heard: for lamps, the phone menu and the technician. The feed of the inbox knows nothing of it. */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { InboxVoicemailRow } from '../store/tables.ts'

export interface BoxesOptions {
  readonly store: Store
  readonly inbox: Pick<Inbox, 'voicemails' | 'onVoicemail'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

export interface BoxCounts {
  /** Not heard yet. */
  readonly fresh: number
  readonly old: number
}

export interface BoxMessage {
  readonly message: InboxVoicemailRow
  readonly heard: boolean
}

export class Boxes {
  readonly #options: BoxesOptions
  readonly #observers = new Set<(ext: string) => void>()
  /** Ids by mailbox; null until somebody asked. */
  #ids: Map<string, Set<string>> | null = null

  constructor(options: BoxesOptions) {
    this.#options = options
    options.inbox.onVoicemail(({ id, ext, gone }) => {
      if (gone) {
        this.#known().get(ext)?.delete(id)
        this.#forget(id)
      } else this.#of(ext).add(id)
      this.#tell(ext)
    })
  }

  counts(ext: string): BoxCounts {
    const { voicemailHeard } = this.#options.store.tables
    const ids = this.#known().get(ext) ?? new Set()
    const old = [...ids].filter((id) => voicemailHeard.get(id) !== undefined).length
    return { fresh: ids.size - old, old }
  }

  /** Oldest first. */
  messages(ext: string): readonly BoxMessage[] {
    const { inboxVoicemails, voicemailHeard } = this.#options.store.tables
    return Array.from(inboxVoicemails.range(), ({ value }) => value)
      .filter((message) => message.ext === ext)
      .map((message) => ({ message, heard: voicemailHeard.get(message.id) !== undefined }))
  }

  /** Resolves when it is durable. `alongside` runs in the transaction. Throws ApiError not_found. */
  async mark(ext: string, id: string, heard: boolean, alongside: () => void = () => undefined): Promise<void> {
    const { store, clock } = this.#options
    const { voicemailHeard } = store.tables
    if (this.#known().get(ext)?.has(id) !== true) throw new ApiError('not_found', `There is no such message in the mailbox ${ext}.`)
    await store.transaction(() => {
      if (heard) voicemailHeard.put(id, { ext, heardAt: clock.now() })
      else voicemailHeard.remove(id)
      alongside()
    })
    this.#tell(ext)
  }

  /** The observer is called with the number of a mailbox in which something has changed. */
  onChange(tell: (ext: string) => void): void {
    this.#observers.add(tell)
  }

  #tell(ext: string): void {
    for (const observe of this.#observers) observe(ext)
  }

  #of(ext: string): Set<string> {
    const known = this.#known()
    const ids = known.get(ext) ?? new Set()
    known.set(ext, ids)
    return ids
  }

  #known(): Map<string, Set<string>> {
    if (this.#ids !== null) return this.#ids
    const ids = (this.#ids = new Map<string, Set<string>>())
    for (const { value } of this.#options.store.tables.inboxVoicemails.range()) {
      const of = ids.get(value.ext) ?? new Set()
      ids.set(value.ext, of.add(value.id))
    }
    return ids
  }

  #forget(id: string): void {
    const { store, log } = this.#options
    const { voicemailHeard } = store.tables
    if (voicemailHeard.get(id) === undefined) return
    store
      .transaction(() => voicemailHeard.remove(id))
      .catch((error: unknown) => log.warn({ err: error, voicemail: id }, 'the mark of a deleted message is still stored'))
  }
}
