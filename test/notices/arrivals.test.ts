/** Notices of faxes, texts and their pictures: who is notified, of what, and with which file. */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { newId } from '../../daemon/base/ids.ts'
import { eventually } from '../harness/scene.ts'
import { NoticeRefused } from '../../daemon/base/notice-ways.ts'
import { open, words } from './stage.ts'

const house = { mail: 'front@example.com', attach: true }
const noticeTable: readonly [
  what: string,
  more: object,
  facts: object,
  expected: { to?: string; subject?: RegExp; text?: RegExp; file?: boolean },
][] = [
  ['the default of the house', { fax: { notify: house } }, {}, { to: 'front@example.com', file: true }],
  [
    'a rule before the default',
    { fax: { notify: house }, inbound: [{ trunk: 'main', to: '+15550001999', destination: 'fax', notify: { mail: 'rx@example.com' } }] },
    {},
    { to: 'rx@example.com', file: false },
  ],
  [
    'a rule that writes the number as people there do',
    { inbound: [{ to: '5550001999', destination: 'fax', notify: { mail: 'rx@example.com' } }] },
    {},
    { to: 'rx@example.com' },
  ],
  [
    'the rule of another number',
    {
      inbound: [
        { to: '+15550001998', destination: 'fax', notify: house },
        { to: '+1555*', destination: 'fax' },
      ],
    },
    {},
    {},
  ],
  [
    'a rule that names nobody leaves it to the house',
    { fax: { notify: house }, inbound: [{ to: '+15550001999', destination: 'fax' }] },
    {},
    { to: 'front@example.com', file: true },
  ],
  ['nobody', {}, {}, {}],
  [
    'one that broke off',
    { fax: { notify: house } },
    { status: 'partial', pages: 1 },
    { to: 'front@example.com', text: /Pages: 1\nThe fax is incomplete/, file: true },
  ],
  ['withheld', { fax: { notify: house } }, { from: '', callerName: '' }, { to: 'front@example.com', subject: /from withheld number$/ }],
]

for (const [what, more, facts, expected] of noticeTable)
  t.test(`a fax, ${what}`, async (t) => {
    const trunks = [{ id: 'main', kind: 'sip', server: '127.0.0.1:5090', register: false, numbers: ['+15550001999'] }]
    const { store, ways, notices, fax } = await open(t, [], { trunks, ...more })
    notices().start()
    await fax(facts)
    await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
    t.same(
      ways.mails.map(({ to }) => to),
      expected.to === undefined ? [] : [expected.to],
    )
    const [mail] = ways.mails
    if (mail === undefined) return
    t.match(mail.subject, expected.subject ?? /^Fax for \+15550001999 from ANN LEE, \+15551230001$/)
    if (expected.text !== undefined) t.match(mail.text, expected.text)
    if (expected.file !== undefined) t.equal(/^fax-.*Z\.pdf$/.test(mail.attachment?.filename ?? ''), expected.file)
    await notices().start()
    t.equal(ways.mails.length, 1, 'once')
  })

t.test('a fax that is too large is notified without its file, with a sentence', async (t) => {
  const { ways, notices, fax } = await open(t, [], { fax: { notify: house } })
  notices()
  await fax({}, 11 * 1024 * 1024)
  await eventually('notified', () => ways.mails.length === 1)
  t.equal(ways.mails[0]?.attachment, undefined)
  t.match(ways.mails[0]?.text, 'The fax is too large to be attached.')
})

const trunk = { id: 'gsm1', kind: 'sim', number: '+15550002000' }

t.test('a text is notified without its words, but where the trunk says textInMail; its sender alone never by text', async (t) => {
  for (const textInMail of [false, true]) {
    const notify = { mail: 'front@example.com', sms: '+15551230009' }
    const { store, ways, notices, text } = await open(t, [], { sms: { trunks: [{ ...trunk, notify, textInMail }] } })
    notices()
    await text()
    await text({ from: '+15551230009', body: 'OK' })
    await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
    await eventually('all are there', () => ways.mails.length === 2)
    const [mail] = ways.mails
    t.equal(mail?.subject, 'Text for +15550002000 from +15551230001')
    t.equal(mail?.text?.includes(words), textInMail)
    t.notMatch(mail?.subject, words)
    t.equal(ways.texts.length, 1, 'whoever is notified by text and writes back is not notified of that')
    t.notMatch(ways.texts[0]?.body, words)
  }
})

t.test('a picture of a text is waited for and attached; one that does not come is not, and the mail goes', async (t) => {
  const notify = { mail: 'front@example.com', attach: true }
  const { store, clock, inbox, ways, notices, text } = await open(t, [], { sms: { trunks: [{ ...trunk, notify }] } })
  notices()
  const send = async (): Promise<string> => {
    const media = newId()
    const row = {
      id: media,
      itemId: '',
      trunkId: 'gsm1',
      url: 'https://example.com/1',
      contentType: 'image/png',
      state: 'fetching',
    } as const
    await store.transaction(() => inbox.textMedia.add([{ ...row, reason: '', bytes: 0, attempts: 0, nextAt: 0, receivedAt: clock.now() }]))
    await text({ media: [media] })
    await eventually('it waits', () => clock.pending === 1)
    return media
  }
  const came = await send()
  writeFileSync(inbox.textMedia.place(came), 'the picture')
  await inbox.textMedia.keep(came, inbox.textMedia.place(came), 'image/png')
  clock.advance(1000)
  await eventually('the mail', () => ways.mails.length === 1)
  t.match(ways.mails[0]?.attachment?.filename, /^picture-.*Z\.png$/)
  t.match(ways.mails[0]?.text, 'Pictures: 1')
  await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
  await send()
  clock.advance(120_000)
  await eventually('the mail without it', () => ways.mails.length === 2)
  t.equal(ways.mails[1]?.attachment, undefined)
  const lost = 'The picture could not be fetched from the provider.'
  t.match(ways.mails[1]?.text, lost)
  t.notMatch(ways.mails[0]?.text, lost)
  await inbox.textMedia.failed(await send(), 'the provider does not have it (HTTP 404)', null)
  clock.advance(1000)
  await eventually('the mail of what is not there', () => ways.mails.length === 3)
  t.equal(ways.mails[2]?.attachment, undefined)
  t.match(ways.mails[2]?.text, lost)
})

const ofTexts: readonly [what: string, sms: object, expected: string[]][] = [
  ['the house', { notify: { mail: 'front@example.com' } }, ['front@example.com']],
  ['its trunk before the house', { notify: { mail: 'front@example.com' }, own: { mail: 'nurse@example.com' } }, ['nurse@example.com']],
  ['the house where the trunk names nobody', { notify: { mail: 'front@example.com' }, own: { attach: true } }, ['front@example.com']],
  ['nobody', {}, []],
]

for (const [what, { own, ...sms }, expected] of ofTexts as [string, { own?: object }, string[]][])
  t.test(`a text is notified to ${what}`, async (t) => {
    const more = { sms: { ...sms, trunks: [{ ...trunk, ...(own === undefined ? {} : { notify: own }) }] } }
    const { store, ways, notices, text } = await open(t, [], more)
    notices()
    await text()
    await eventually('nothing waits', () => store.tables.voicemailNotices.count() === 0)
    t.same(
      ways.mails.map(({ to }) => to),
      expected,
    )
  })

t.test('that nobody was notified is known after a restart, too, and for a day', async (t) => {
  const trunks = [{ id: 'main', kind: 'sip', server: '127.0.0.1:5090', register: false, numbers: ['+15550001999'] }]
  const { store, ways, notices, fax, clock } = await open(t, [], { trunks, fax: { notify: { mail: 'front@example.com' } } })
  const before = notices()
  t.equal(before.lost(), null)
  ways.mailFault = new NoticeRefused('no such address')
  await fax()
  await eventually('it is dropped', () => store.tables.voicemailNotices.count() === 0)
  const loss = { kind: 'fax', at: clock.now(), text: 'no such address' }
  t.same(before.lost(), loss)
  const after = notices()
  t.same(after.lost(), loss)
  await clock.advance(24 * 3_600_000)
  t.equal(after.lost(), null)
})
