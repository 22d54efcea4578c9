/**
 * Who is told of a new message, by mail and by text, once each. What is still to be told is on the disk from the moment at which the message
 * is in its mailbox, and leaves it in the transaction in which the mail or the text comes into its own queue: so it is neither lost nor told
 * twice, whenever the daemon dies.
 */
import { readFile, stat } from 'node:fs/promises'
import { pause, type Clock } from '../../clock.ts'
import { ApiError } from '../../errors.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { keep } from '../../jobs/keep.ts'
import { UnderWay } from '../../jobs/under-way.ts'
import type { Log } from '../../log.ts'
import type { MailNotice, NoticeWays } from '../../notice-ways.ts'
import type { Config } from '../../schema/config.ts'
import { mailboxOf, type MailboxConfig } from '../../schema/config-mailboxes.ts'
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

type Way = VoicemailNoticeRow['ways'][number]

/** What mail servers of our kind of account take. */
const mostAttachmentBytes = 10 * 1024 * 1024
const retryMs = 60_000
/** Older news is no notice: the lamp and the feed have told it. */
const longestMs = 24 * 3_600_000
/** Refusals that pass. */
const passing: readonly string[] = ['overloaded', 'storage_full', 'daily_limit']

/** It will not be told, for this reason. */
class Refused extends Error {}

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
    const { mail, sms } = mailboxOf(config, ext)?.notify ?? {}
    const ways: Way[] = [...(mail === undefined ? [] : (['mail'] as const)), ...(sms === undefined ? [] : (['text'] as const))]
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

  async #tellBy(id: string, way: Way): Promise<void> {
    const { store, clock, log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const row = store.tables.voicemailNotices.get(id)
      if (row?.ways.includes(way) !== true) return
      try {
        return await this.#hand(id, row, way)
      } catch (error) {
        const old = clock.now() - row.createdAt > longestMs
        if (error instanceof Refused || old) {
          log.error({ err: error, ext: row.ext, voicemail: id, way }, 'nobody is told of a voicemail')
          return this.#drop(id, way)
        }
        log.warn({ err: error, ext: row.ext, voicemail: id, way }, 'a notice of a voicemail has to wait')
        await pause(clock, retryMs, signal)
      }
    }
  }

  /** Into the queue of mails or texts. */
  async #hand(id: string, { ext }: VoicemailNoticeRow, way: Way): Promise<void> {
    const { config, inbox } = this.#options
    const box = mailboxOf(config, ext)
    const message = inbox.voicemails.find((item) => item.id === id)?.item
    const to = way === 'mail' ? box?.notify?.mail : box?.notify?.sms
    // Deleted meanwhile, or nobody is to be told any more.
    if (box === undefined || message === undefined || to === undefined) return this.#drop(id, way)
    const told = (): void => this.#told(id, way)
    if (way === 'mail') await this.#mail(await this.#mailOf(message, box, to), told)
    else await this.#text({ to, body: this.#words(message, box, false).text, subject: `voicemail:${id}` }, told)
  }

  async #mail(notice: MailNotice, told: () => void): Promise<void> {
    const { mail } = this.#options.notices()
    if (mail === null) throw new Refused('no mail account is configured')
    try {
      await mail.submit(notice, told)
    } catch (error) {
      if (error instanceof ApiError && !passing.includes(error.code)) throw new Refused(error.message, { cause: error })
      throw error
    }
  }

  async #text(text: Parameters<NoticeWays['texts']['sendText']>[0], told: () => void): Promise<void> {
    const answer = await this.#options.notices().texts.sendText(text, told)
    if ('messageId' in answer) return
    throw passing.includes(answer.code) ? new Error(answer.error) : new Refused(answer.error)
  }

  async #mailOf(message: InboxVoicemailRow, box: MailboxConfig, to: string): Promise<MailNotice> {
    const { inbox } = this.#options
    const media = box.notify?.attach === true ? inbox.media('voicemails', message.id) : undefined
    const file = media === undefined || media === 'purged' ? null : media.file
    const tooLarge = file !== null && (await stat(file)).size > mostAttachmentBytes
    const { subject, mail } = this.#words(message, box, tooLarge)
    if (file === null || tooLarge) return { to, subject, text: mail }
    const name = `voicemail-${new Date(message.receivedAt).toISOString().slice(0, 19).replaceAll(':', '-')}Z.wav`
    return { to, subject, text: mail, attachment: { filename: name, base64: '', decoded: new Uint8Array(await readFile(file)) } }
  }

  #words(message: InboxVoicemailRow, { ext, transcriptInMail }: MailboxConfig, tooLarge: boolean): ReturnType<typeof noticeWords> {
    const { site, extensions } = this.#options.config
    const name = extensions.find(({ number }) => number === ext)?.name ?? ''
    return noticeWords(message, { ...site, box: name === '' ? ext : `${name} (${ext})`, transcript: transcriptInMail, tooLarge })
  }

  /** Inside a transaction. */
  #told(id: string, way: Way): void {
    const { voicemailNotices } = this.#options.store.tables
    const row = voicemailNotices.get(id)
    const ways = row?.ways.filter((other) => other !== way) ?? []
    if (row === undefined || ways.length === 0) voicemailNotices.remove(id)
    else voicemailNotices.put(id, { ...row, ways })
  }

  async #drop(id: string, way: Way): Promise<void> {
    const { store, clock, log } = this.#options
    await keep(() => store.transaction(() => this.#told(id, way)), {
      clock,
      signal: this.#stopping.signal,
      stopped: () => this.#stopping.signal.aborted,
      failed: (err) => log.warn({ err, voicemail: id }, 'a notice that is over could not be removed; trying again'),
    })
  }
}
