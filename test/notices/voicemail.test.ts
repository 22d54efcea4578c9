/** Notices of messages: once each over crashes at every point, what they say, and what becomes of those that cannot be sent. */
import t from 'tap'
import { ApiError } from '../../daemon/base/errors.ts'
import { eventually } from '../harness/scene.ts'
import { open, words } from './stage.ts'

t.test('one mail and one text of each message, without its words, to the people of that mailbox alone', async (t) => {
  const { store, ways, notices, publish } = await open(t, [
    { ext: '101', notify: { mail: 'front@example.com', sms: '+15551230000' } },
    { ext: '200', notify: { mail: 'nurse@example.com', attach: true }, transcriptInMail: true },
    { ext: '300' },
  ])
  const by = notices()
  by.start()
  for (const ext of ['101', '200', '300']) await publish(ext)
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
  await first.stop()
  await publish()
  t.same([ways.mails.length, ways.texts.length], [0, 0], 'it was published, and nobody notified: the daemon died')
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
  const id = await publish()
  await eventually('the text is given up', () => store.tables.voicemailNotices.get(id)?.ways.join() === 'mail')
  await eventually('it waits', () => clock.pending === 1)
  t.match(by.waiting(), { count: 1, oldestAt: clock.now() })
  ways.mailFault = null
  clock.advance(60_000)
  await waits(0)
  t.equal(ways.mails.length, 1)
  ways.mailFault = new ApiError('overloaded', 'full')
  const gone = await publish()
  await eventually('it waits', () => clock.pending === 1)
  await inbox.remove('voicemails', gone, () => undefined)
  ways.mailFault = null
  clock.advance(60_000)
  await waits(0)
  ways.mailFault = new Error('the disk is broken')
  await publish()
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
  notices()
  await publish('101', 11 * 1024 * 1024)
  await eventually('told', () => ways.mails.length === 1)
  t.equal(ways.mails[0]?.attachment, undefined)
  t.match(ways.mails[0]?.text, 'too large to be attached')
})
