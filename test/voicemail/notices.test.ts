/** Notices of messages: once each over crashes at every point, what they say, and what becomes of those that cannot be sent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { ApiError } from '../../daemon/errors.ts'
import { newId } from '../../daemon/ids.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/log.ts'
import type { MailRequest } from '../../daemon/mail/desk.ts'
import { noticesByMail } from '../../daemon/mail/notices.ts'
import type { TextRequest } from '../../daemon/messaging/desk.ts'
import { noticesByText } from '../../daemon/messaging/notices.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { MailRow } from '../../daemon/store/tables.ts'
import { Notices } from '../../daemon/voicemail/notices/notices.ts'
import { noticeWords, type NoticeMessage } from '../../daemon/voicemail/notices/words.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'

const log = createLog({ level: 'silent' })
const words = 'My name is Ann and it hurts.'

/** The queues of mails and texts, as durable as the store. */
class Ways {
  readonly mails: MailRequest[] = []
  readonly texts: TextRequest[] = []
  /** Rejects, and stores nothing. */
  mailFault: Error | null = null
  textFault: { code: string; error: string } | null = null
  /** Called after it is durable and before it is known to be. */
  afterMail: Promise<void> = Promise.resolve()
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  readonly all = () => ({
    mail: noticesByMail({
      submit: async (mail, alongside = () => undefined) => {
        const row = {} as MailRow
        if (this.mailFault !== null) throw this.mailFault
        await this.#store.transaction(() => alongside(row))
        this.mails.push(mail)
        await this.afterMail
        return row
      },
    }),
    sms: noticesByText({
      sendText: async (text, alongside = () => undefined) => {
        if (this.textFault !== null) return this.textFault
        await this.#store.transaction(alongside)
        this.texts.push(text)
        return { messageId: 'x' }
      },
    }),
  })
}

async function open(t: Test, mailboxes: object[]) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-notices-'))
  const store = await openStore(join(dir, 'store'), log)
  const clock = new FakeClock()
  const settings = {
    site: { country: 'US', timeZone: 'America/New_York' },
    extensions: [{ number: '101', name: 'Front desk', password: 'a-long-password' }],
    mailboxes,
    mail: { server: '127.0.0.1:25', tls: 'off', from: 'clinic@example.com' },
  }
  const { config } = parseConfig(JSON.stringify(settings), join(dir, 'pbxd.yaml'))
  const inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: ['101', '200'] })
  const ways = new Ways(store)
  const started: Notices[] = []
  const notices = () => {
    const one = new Notices({ config, store, clock, log, inbox, notices: ways.all })
    started.push(one)
    return one
  }
  t.teardown(async () => {
    for (const one of started) await one.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const publish = async (by: Notices, ext = '101', bytes = 1000) => {
    const id = newId()
    const file = join(dir, `${id}.wav`)
    mkdirSync(dir, { recursive: true })
    writeFileSync(file, Buffer.alloc(bytes, 7))
    const from = { from: '+15551230001', to: '+15550001000', callerName: 'ANN LEE', callId: 'CA1' }
    const spoken = { durationSeconds: 42, transcript: words, transcriptStatus: 'done' } as const
    await inbox.publishVoicemail({ id, ext, receivedAt: clock.now(), ...from, ...spoken }, file, () => by.note({ id, ext }))
    return id
  }
  return { store, clock, inbox, ways, notices, publish }
}

t.test('one mail and one text of each message, without its words, to the people of that mailbox alone', async (t) => {
  const { store, ways, notices, publish } = await open(t, [
    { ext: '101', notify: { mail: 'front@example.com', sms: '+15551230000' } },
    { ext: '200', notify: { mail: 'nurse@example.com', attach: true }, transcriptInMail: true },
    { ext: '300' },
  ])
  const by = notices()
  for (const ext of ['101', '200', '300']) by.tell(await publish(by, ext))
  await eventually('all are told', () => store.tables.voicemailNotices.count() === 0)
  await eventually('all are there', () => ways.mails.length === 2 && ways.texts.length === 1)
  const [front, nurse] = ['front@example.com', 'nurse@example.com'].map((to) => ways.mails.find((mail) => mail.to === to)!)
  t.equal(front!.subject, 'Voicemail for Front desk (101) from ANN LEE, +15551230001')
  t.equal(
    front!.text,
    'For: Front desk (101)\nFrom: ANN LEE, +15551230001\nWhen: Mar 2, 2026, 9:05 AM\nLength: 0:42\n',
    'no word of the message',
  )
  t.equal(front!.attachment, undefined)
  t.match(nurse!.text, `Transcript:\n${words}`)
  t.match(nurse!.attachment, { filename: 'voicemail-2026-03-02T14-05-11Z.wav' })
  t.equal((nurse!.attachment?.decoded as Uint8Array).length, 1000)
  const body = 'Voicemail for Front desk (101). From: ANN LEE, +15551230001. When: Mar 2, 2026, 9:05 AM. Length: 0:42'
  t.match(ways.texts, [{ to: '+15551230000', body }])
})

t.test('a crash before, between and after: nothing is lost and nothing comes twice', async (t) => {
  const { store, ways, notices, publish } = await open(t, [{ ext: '101', notify: { mail: 'front@example.com', sms: '+15551230000' } }])
  const first = notices()
  await publish(first)
  await first.stop()
  t.same([ways.mails.length, ways.texts.length], [0, 0], 'it was published, and nobody told: the daemon died')
  const second = notices()
  const gate = Promise.withResolvers<void>()
  ways.afterMail = gate.promise
  ways.textFault = { code: 'overloaded', error: 'later' }
  second.start()
  await eventually('the mail is in its queue', () => ways.mails.length === 1)
  const third = notices()
  ways.textFault = null
  third.start()
  await eventually('the text is in its queue', () => ways.texts.length === 1)
  gate.resolve()
  await third.stop()
  notices().start()
  await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
  t.same([ways.mails.length, ways.texts.length], [1, 1])
})

t.test('a full queue is waited for, a refusal and a deleted message are not; nothing waits for longer than a day', async (t) => {
  const { clock, inbox, store, ways, notices, publish } = await open(t, [
    { ext: '101', notify: { mail: 'front@example.com', sms: '+15551230000' } },
  ])
  const by = notices()
  by.start()
  const waits = (count: number) => eventually(`${count} wait`, () => store.tables.voicemailNotices.count() === count)
  ways.mailFault = new ApiError('overloaded', 'full')
  ways.textFault = { code: 'opted_out', error: 'no texts, please' }
  const id = await publish(by)
  by.tell(id)
  await eventually('the text is given up', () => store.tables.voicemailNotices.get(id)?.ways.join() === 'mail')
  await eventually('it waits', () => clock.pending === 1)
  t.match(by.waiting(), { count: 1, oldestAt: clock.now() })
  ways.mailFault = null
  clock.advance(60_000)
  await waits(0)
  t.equal(ways.mails.length, 1)
  ways.mailFault = new ApiError('overloaded', 'full')
  const gone = await publish(by)
  by.tell(gone)
  await eventually('it waits', () => clock.pending === 1)
  await inbox.remove('voicemails', gone, () => undefined)
  ways.mailFault = null
  clock.advance(60_000)
  await waits(0)
  ways.mailFault = new Error('the disk is broken')
  by.tell(await publish(by))
  for (const hours of [23, 2]) {
    await eventually('it waits', () => clock.pending === 1)
    t.equal(store.tables.voicemailNotices.count(), 1)
    clock.set(clock.now() + hours * 3_600_000)
    clock.advance(60_000)
  }
  await waits(0)
  t.equal(ways.mails.length, 1, 'nobody is told of what is gone, or old')
})

t.test('a recording above 10 MiB is not attached, and the mail says so', async (t) => {
  const { ways, notices, publish } = await open(t, [{ ext: '101', notify: { mail: 'front@example.com', attach: true } }])
  const by = notices()
  by.tell(await publish(by, '101', 11 * 1024 * 1024))
  await eventually('told', () => ways.mails.length === 1)
  t.equal(ways.mails[0]?.attachment, undefined)
  t.match(ways.mails[0]?.text, 'too large to be attached')
})

t.test('withheld numbers, long names and hours, other languages, and what was not understood', (t) => {
  const message: NoticeMessage = {
    from: '',
    callerName: '',
    receivedAt: Date.parse('2026-03-02T14:05:11Z'),
    durationSeconds: 3727,
    transcript: '',
    transcriptStatus: 'empty',
  }
  const setting = { timeZone: 'Europe/Berlin', box: '200', transcript: true, tooLarge: false }
  const german = noticeWords(message, { ...setting, language: 'de-DE' })
  t.equal(german.brief, 'Sprachnachricht für 200. Von: unterdrückte Nummer. Wann: 02.03.2026, 15:05. Dauer: 1:02:07')
  t.match(german.text, 'Abschrift:\nEs wurde nichts verstanden.')
  for (const language of ['fr-FR', 'es-ES', 'en-US', 'it-IT', 'de-DE']) {
    const { text, brief, subject } = noticeWords({ ...message, callerName: 'D'.repeat(120), from: '+4930' }, { ...setting, language })
    t.ok(brief.length < 200, language)
    t.match(brief, `${'D'.repeat(60)}, +4930`)
    t.notMatch(`${text}${brief}${subject}`, /\b[BWL]\b/, language)
  }
  t.notMatch(noticeWords({ ...message, transcriptStatus: 'off' }, { ...setting, language: 'en' }).text, 'Transcript')
  t.end()
})
