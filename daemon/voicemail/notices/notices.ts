/**
 * Who is told of a new message, once by each way that its mailbox names. What is still to be told is on the disk from the moment at which the
 * message is in its mailbox, and leaves it in the transaction in which that way has it on the disk: so it is neither lost nor told twice,
 * whenever the daemon dies.
 */
import { readFile, stat } from 'node:fs/promises'
import { pause, type Clock } from '../../clock.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { keep } from '../../jobs/keep.ts'
import { UnderWay } from '../../jobs/under-way.ts'
import type { Log } from '../../log.ts'
import { addressees, NoticeRefused, type Notice, type NoticeAttachment, type NoticeWays } from '../../notice-ways.ts'
import type { Config } from '../../schema/config.ts'
import { mailboxOf } from '../../schema/config-mailboxes.ts'
import type { MailboxConfig } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { InboxVoicemailRow, VoicemailNoticeRow } from '../../store/tables.ts'
import { noticeWords } from './words.ts'

export interface NoticesOptions {
  readonly config: Pick<Config, 'mailboxes' | 'extensions' | 'site'>
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly inbox: Pick<Inbox, 'media' | 'voicemails'>
  /** Not before the first message. */
  readonly notices: () => NoticeWays
}

const retryMs = 60_000
/** Older news is no notice: the lamp and the feed have told it. */
const longestMs = 24 * 3_600_000

export class Notices {
  readonly #options: NoticesOptions
  readonly #stopping = new AbortController()
  readonly #underWay: UnderWay

  constructor(options: NoticesOptions) {
    this.#options = options
    this.#underWay = new UnderWay((err) => options.log.error({ err }, 'a notice of a voicemail failed'))
  }

  /** Inside the transaction in which the message comes into its mailbox. */
  note({ id, ext }: Pick<InboxVoicemailRow, 'id' | 'ext'>): void {
    const { config, store, clock } = this.#options
    const ways = addressees(mailboxOf(config, ext)?.notify ?? {}).map(({ way }) => way)
    if (ways.length > 0) store.tables.voicemailNotices.put(id, { ext, ways, createdAt: clock.now() })
  }

  /** Tells of a message that is in its mailbox; nobody waits for that. */
  tell(id: string): void {
    const row = this.#options.store.tables.voicemailNotices.get(id)
    for (const way of row?.ways ?? []) void this.#underWay.track(this.#tellBy(id, way))
  }

  /** What is still to be told. */
  waiting(): { readonly count: number; readonly oldestAt: number | null } {
    const rows = Array.from(this.#options.store.tables.voicemailNotices.range(), ({ value }) => value.createdAt)
    return { count: rows.length, oldestAt: rows.length === 0 ? null : Math.min(...rows) }
  }

  /** Takes up what the last run of the daemon left. */
  start(): void {
    for (const { key } of [...this.#options.store.tables.voicemailNotices.range()]) this.tell(key)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#underWay.lastWord(this.#options.clock)
  }

  async #tellBy(id: string, way: string): Promise<void> {
    const { store, clock, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const row = store.tables.voicemailNotices.get(id)
      if (row?.ways.includes(way) !== true) return
      try {
        return await this.#hand(id, row, way)
      } catch (error) {
        const old = clock.now() - row.createdAt > longestMs
        if (error instanceof NoticeRefused || old) {
          log.error({ err: error, ext: row.ext, voicemail: id, way }, 'nobody is told of a voicemail')
          return this.#drop(id, way)
        }
        log.warn({ err: error, ext: row.ext, voicemail: id, way }, 'a notice of a voicemail has to wait')
        await pause(clock, retryMs, signal)
      }
    }
  }

  async #hand(id: string, { ext }: VoicemailNoticeRow, way: string): Promise<void> {
    const { config, inbox, notices } = this.#options
    const box = mailboxOf(config, ext)
    const message = inbox.voicemails.find((item) => item.id === id)?.item
    const to = addressees(box?.notify ?? {}).find((other) => other.way === way)?.to
    // Deleted meanwhile, or nobody is to be told any more.
    if (box === undefined || message === undefined || to === undefined) return this.#drop(id, way)
    const by = notices()[way]
    if (by === undefined) throw new NoticeRefused(`nobody is told by ${way}`)
    await by.tell({ to, ...(await this.#contentOf(message, box, by.mostAttachmentBytes)) }, () => this.#told(id, way))
  }

  async #contentOf(message: InboxVoicemailRow, box: MailboxConfig, mostBytes: number): Promise<Omit<Notice, 'to'>> {
    const { inbox } = this.#options
    const media = box.notify?.attach === true && mostBytes > 0 ? inbox.media('voicemails', message.id) : undefined
    const file = media === undefined || media === 'purged' ? null : media.file
    const tooLarge = file !== null && (await stat(file)).size > mostBytes
    const content = { ...this.#words(message, box, tooLarge), about: `voicemail:${message.id}` }
    return file === null || tooLarge ? content : { ...content, attachment: await attachmentOf(message, file) }
  }

  #words(message: InboxVoicemailRow, { ext, transcriptInMail }: MailboxConfig, tooLarge: boolean): ReturnType<typeof noticeWords> {
    const { site, extensions } = this.#options.config
    const name = extensions.find(({ number }) => number === ext)?.name ?? ''
    return noticeWords(message, { ...site, box: name === '' ? ext : `${name} (${ext})`, transcript: transcriptInMail, tooLarge })
  }

  /** Inside a transaction. */
  #told(id: string, way: string): void {
    const { voicemailNotices } = this.#options.store.tables
    const row = voicemailNotices.get(id)
    const ways = row?.ways.filter((other) => other !== way) ?? []
    if (row === undefined || ways.length === 0) voicemailNotices.remove(id)
    else voicemailNotices.put(id, { ...row, ways })
  }

  async #drop(id: string, way: string): Promise<void> {
    const { store, clock, log } = this.#options
    await keep(() => store.transaction(() => this.#told(id, way)), {
      clock,
      signal: this.#stopping.signal,
      stopped: () => this.#stopping.signal.aborted,
      failed: (err) => log.warn({ err, voicemail: id }, 'a notice that is over could not be removed; trying again'),
    })
  }
}

async function attachmentOf({ receivedAt }: InboxVoicemailRow, file: string): Promise<NoticeAttachment> {
  const time = new Date(receivedAt).toISOString().slice(0, 19).replaceAll(':', '-')
  return { filename: `voicemail-${time}Z.wav`, content: new Uint8Array(await readFile(file)) }
}
