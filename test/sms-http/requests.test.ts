/** What providers put into one request: several texts or receipts, parts of a text, times. */
import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { timeAt, type Template } from '../../drivers/sms-http/template.ts'
import { trunkAt } from './providers.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

/** A trunk whose provider calls with these, and a call of it: the status of the answer. */
function called(t: Test, webhook: object) {
  const signature = { kind: 'hmac-sha256', header: 'X-Signature', prefix: '', encoding: 'hex' }
  const answer = { type: 'application/json', body: '{}' }
  const template = {
    auth: 'none',
    send: { method: 'POST', path: '/' },
    answer: { id: '', code: '', text: '' },
    temporary: { statuses: [], codes: [] },
    webhook: { signature, content: 'json', answer, ...webhook },
  } as unknown as Template
  const trunk = trunkAt('http://127.0.0.1:1', { provider: 'generic', template, webhook: { secret: 'shared' } })
  const kept = new KeptTexts(true)
  trunk.start(kept)
  t.teardown(() => trunk.stop())
  const call = async (document: unknown): Promise<number> => {
    const body = Buffer.from(JSON.stringify(document))
    const headers = new Map([['x-signature', createHmac('sha256', 'shared').update(body).digest('hex')]])
    return (await trunk.webhook({ method: 'POST', url: 'http://box/', headers, body })).status
  }
  return { kept, call }
}

/** Several texts or receipts in one request, as providers write them, and what the box is to keep of it. */
const several: readonly (readonly [
  what: string,
  webhook: object,
  document: unknown,
  texts: readonly string[],
  reports: readonly string[],
])[] = [
  [
    'a list under a name (Infobip)',
    { text: { fields: { from: '/results/0/from', body: '/results/0/text', id: '/results/0/messageId' } } },
    { results: ['1', '2', '3'].map((id) => ({ messageId: id, from: '+1555', text: `text ${id}` })), messageCount: 3 },
    ['text 1', 'text 2', 'text 3'],
    [],
  ],
  [
    'the request is the list (Bandwidth), of both kinds',
    {
      text: { when: { '/0/type': 'message-received' }, fields: { from: '/0/message/from', body: '/0/message/text', id: '/0/message/id' } },
      receipt: {
        when: { '/0/type': 'message-delivered' },
        id: '/0/message/id',
        state: '/0/type',
        states: { 'message-delivered': 'delivered' },
      },
    },
    [
      { type: 'message-received', message: { id: 'a', from: '+1555', text: 'one' } },
      { type: 'message-delivered', message: { id: 'sent-1' } },
      { type: 'message-delivered', message: { id: 'sent-2' } },
      { type: 'message-received', message: { id: 'b', from: '+1555', text: 'two' } },
    ],
    ['one', 'two'],
    ['sent-1', 'sent-2'],
  ],
  [
    'lists within lists',
    { text: { fields: { from: '/entry/0/changes/0/from', body: '/entry/0/changes/0/text', id: '/entry/0/changes/0/id' } } },
    {
      entry: [
        {
          changes: [
            { id: 1, from: '1', text: 'a' },
            { id: 2, from: '1', text: 'b' },
          ],
        },
        { changes: [{ id: 3, from: '1', text: 'c' }] },
      ],
    },
    ['a', 'b', 'c'],
    [],
  ],
  [
    'receipts alone',
    { receipt: { id: '/results/0/messageId', state: '/results/0/status', states: { OK: 'delivered' } } },
    {
      results: [
        { messageId: 'x', status: 'OK' },
        { messageId: 'y', status: 'NO' },
        { messageId: 'z', status: 'OK' },
      ],
    },
    [],
    ['x', 'z'],
  ],
  [
    'a list that is no list of texts',
    { text: { fields: { from: '/from', body: '/parts/0', to: '/to/0', id: '/id' } } },
    { id: 1, from: '+1555', to: ['+1666', '+1777'], parts: ['only', 'this'] },
    ['only'],
    [],
  ],
]

t.test('a request that brings several texts or receipts: each is taken, and all again where one could not be kept', async (t) => {
  const empty = { id: '', to: '', at: '', code: '', text: '' }
  for (const [what, { text, receipt }, document, texts, reports] of several as readonly [string, any, unknown, string[], string[]][]) {
    const webhook = {
      text: text === undefined ? undefined : { ...text, fields: { ...empty, ...text.fields } },
      receipt: receipt === undefined ? undefined : { ...empty, ...receipt },
    }
    const { kept, call } = called(t, webhook)
    t.equal(await call(document), 200, what)
    t.same([kept.texts.map((one) => one.body), kept.reports.map(({ reference }) => reference)], [texts, reports], what)
    kept.store = () => Promise.reject(new Error('the disk is full'))
    t.equal(await call(document), 503, `${what}: to come again`)
  }
})

t.test('a long text whose parts come by themselves says which part each is', async (t) => {
  const part = { reference: '/concat-ref', total: '/concat-total', index: '/concat-part' }
  const fields = { id: '/messageId', from: '/msisdn', to: '/to', body: '/text', at: '/message-timestamp', part }
  const { kept, call } = called(t, { text: { fields } })
  let id = 0
  for (const more of [
    { 'concat-ref': '17', 'concat-total': '3', 'concat-part': '2' },
    { 'concat-ref': 'a8f5', 'concat-total': 2, 'concat-part': 1 },
    { 'concat-ref': 'a8f5', 'concat-total': 2, 'concat-part': 2 },
    { 'concat-ref': 'a8f6', 'concat-total': 2, 'concat-part': 2 },
    { 'concat-ref': '17', 'concat-total': '3', 'concat-part': '4' },
    { concat: 'false' },
  ])
    await call({ messageId: String(++id), msisdn: '447700900000', to: '1', text: 'x', ...more })
  const [first, second, third, fourth, ...whole] = kept.texts.map((text) => text.part)
  t.same(first, { reference: 17, total: 3, index: 2 })
  t.match(second, { total: 2, index: 1 })
  t.equal(second?.reference, third?.reference)
  t.not(third?.reference, fourth?.reference)
  t.same(whole, [undefined, undefined], 'what cannot be a part is a text of its own')
})

t.test('a time without a zone is UTC, wherever the box is', async (t) => {
  const zone = process.env['TZ']
  t.teardown(() => (zone === undefined ? delete process.env['TZ'] : (process.env['TZ'] = zone)))
  for (const here of ['America/New_York', 'Australia/Sydney', 'UTC']) {
    process.env['TZ'] = here
    for (const text of [
      '2026-03-02 14:05:11',
      '2026-03-02T14:05:11',
      '2026-03-02T14:05:11.000',
      '2026-03-02T14:05:11Z',
      '2026-03-02T15:05:11.000+0100',
      '2026-03-02 09:05:11-05:00',
      'Mon, 02 Mar 2026 14:05:11 +0000',
      '1772460311',
      '1772460311000',
    ])
      t.equal(timeAt({ at: text }, '/at'), Date.UTC(2026, 2, 2, 14, 5, 11), `${here}: ${text}`)
    t.equal(timeAt({ at: 'later' }, '/at'), null)
  }
})
