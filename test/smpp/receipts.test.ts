/** Delivery receipts as services write them, and texts of people that only look alike. */
import t from 'tap'
import { readReceiptText } from '../../drivers/smpp/receipt-text.ts'
import { answered, connected, never, text, type ServiceSession } from './service.ts'

const head = { source_addr_ton: 1, source_addr: '15550177', dest_addr_ton: 1, destination_addr: '15550100' }
const utf16 = (words: string): Buffer => Buffer.from(words, 'utf16le').swap16()

const delivering =
  (session: ServiceSession) =>
  async (fields: object): Promise<number> =>
    (await answered((done) => session.deliver_sm({ ...head, ...fields }, done))).command_status as number

t.test('the text of a receipt, in the forms that services write', async (t) => {
  const table: readonly (readonly [text: string, id: string, state: number | undefined, error?: string])[] = [
    ['id:IIIIIIIIII sub:001 dlvrd:001 submit date:2603021200 done date:2603021201 stat:DELIVRD err:000 Text:Your', 'IIIIIIIIII', 2],
    ['id:117062714244798261 submit date:1706271624 done date:1706271624 stat:DELIVRD err:0000 text:Hllo world', '117062714244798261', 2],
    ['stat:UNDELIV err:075 id:abc-7', 'abc-7', 5, '075'],
    [
      'id:a29f6845555647139e5c8f3b817f2c9a sub:001 dlvrd:001 submit date:141023215253 done date:141023215259 stat:DELIVRD err:000 text:',
      'a29f6845555647139e5c8f3b817f2c9a',
      2,
    ],
    ['id:0654354026 submit date:2302101454 done date:2302101454 stat:DELIVRD err:000', '0654354026', 2],
    ['ID: 42 Stat: Delivered', '42', 2],
    ['id=42;stat=EXPIRED;err=1b', '42', 3, '1b'],
    ['id:"9f-3", stat:"REJECTED"', '9f-3', 8],
    ['Message ID: 77 Status: UNDELIVERABLE Error code: 8', '77', 5, '8'],
    ['msgid:5 state:ENROUTE', '5', 1],
    ['id:1 stat:ACCEPTD', '1', 6],
    ['id:1 stat:ACCEPTED', '1', 6],
    ['id:1 stat:UNKNOWN err:001', '1', 7, '001'],
    ['id:1 stat:DELETED', '1', 4],
    ['id:1 stat:002', '1', 2],
    ['id:1 stat:8', '1', 8],
    ['id:1\r\nstat:DELIV\r\n', '1', 2],
    ['id: sub:001 dlvrd:001 stat:DELIVRD', '', 2],
    ['id:1 stat:', '1', undefined],
    ['id:1 stat:FOOBAR', '1', undefined],
    ['id:1 stat:DELIVRD text:id:2 stat:UNDELIV', '1', 2],
    ['text:Hello id:1 stat:DELIVRD', '1', 2],
    ['id:0x1a2b stat:DELIVRD', '0x1a2b', 2],
    ['id:1|stat:DELIVRD|err:0x00', '1', 2],
    ['{"id":"9f-3","status":"Delivered","err":"000"}', '9f-3', 2],
    ['smsid:1 status:READ', '1', 2],
    ['id:1 stat:DLVRD', '1', 2],
    ['id:1 stat:SUBMITD', '1', 6],
    ['id:1 stat:FAIL', '1', 5],
    ['id:1 stat:NOROUTE err:069', '1', 5, '069'],
    ['id:1 stat:BLOCKED', '1', 8],
    ['id:1 stat:CANCELED', '1', 4],
  ]
  for (const [words, id, state, error = ''] of table) t.same(readReceiptText(words), { id, state, error }, words)
  for (const words of ['', 'Hello', 'My id is 5', 'valid:5', 'What does DELIVRD mean?']) t.equal(readReceiptText(words), null, words)
})

t.test('receipts that the service marks: alphabets, parts of the header, ids of other forms', async (t) => {
  const ids = ['1A2B', '00001A2C', '6701', 'x-1']
  const { trunk, kept, session } = await connected(t, { submit: () => ({ id: ids.shift() ?? 'z' }) })
  for (let i = 0; i < 4; i++) await trunk.send(text(), never)
  const deliver = delivering(session)
  const told = async (fields: object, wanted: object, name: string): Promise<void> => {
    t.equal(await deliver({ esm_class: 4, ...fields }), 0, name)
    t.match(kept.reports.at(-1), wanted, name)
  }
  const words = (id: string, state: string): string => `id:${id} sub:001 dlvrd:001 stat:${state} err:000`
  await told(
    { data_coding: 8, short_message: Buffer.from(words('1A2B', 'DELIVRD')) },
    { reference: '1A2B', state: 'delivered' },
    'ASCII that says UCS-2',
  )
  await told(
    { data_coding: 0, short_message: utf16(words('1A2B', 'EXPIRED')) },
    { reference: '1A2B', state: 'expired' },
    'UCS-2 that says nothing',
  )
  await told({ data_coding: 8, short_message: utf16(words('1A2B', 'UNDELIV')) }, { reference: '1A2B', state: 'failed' }, 'UCS-2')
  await told(
    { data_coding: 4, short_message: Buffer.from(words('1A2B', 'REJECTD')) },
    { reference: '1A2B', state: 'failed' },
    'ASCII that says binary',
  )
  await told({ message_payload: Buffer.from(words('x-1', 'DELIVRD')) }, { reference: 'x-1', state: 'delivered' }, 'in message_payload')
  await told(
    { esm_class: 0x44, short_message: Buffer.concat([Buffer.from([5, 0, 3, 1, 1, 1]), Buffer.from(words('x-1', 'DELIVRD'))]) },
    { reference: 'x-1' },
    'behind a header',
  )
  await told({ short_message: Buffer.from(words('1a2c', 'DELIVRD')) }, { reference: '00001A2C' }, 'without zeros in front')
  await told({ short_message: Buffer.from(words('0000006700', 'DELIVRD')) }, { reference: '00001A2C' }, 'decimal, with zeros')
  await told({ short_message: Buffer.from(words('0x1A2D', 'DELIVRD')) }, { reference: '6701' }, 'hexadecimal of a decimal')
  await told(
    { short_message: Buffer.from(words('x-1', 'UNKNOWN')) },
    { reference: 'x-1', state: 'buffered', text: /does not know/ },
    'UNKNOWN is no verdict',
  )
  await told({ receipted_message_id: 'x-1', message_state: 7 }, { reference: 'x-1', state: 'buffered' }, 'by its number too')
  await told(
    { receipted_message_id: 'x-1', message_state: 9, short_message: Buffer.from('stat:DELIVRD') },
    { state: 'delivered' },
    'a state beyond the list',
  )
  await told({ esm_class: 0, receipted_message_id: 'x-1', message_state: 2 }, { state: 'delivered' }, 'marked by its TLV alone')
  await told(
    { receipted_message_id: 'other', message_state: 2, short_message: Buffer.from(words('x-1', 'DELIVRD')) },
    { reference: 'x-1' },
    'the id that is known',
  )
  t.same(kept.texts, [], 'none of them is a text')
})

t.test('receipts that nothing marks: those of texts that the box has sent', async (t) => {
  const { trunk, kept, session } = await connected(t, { submit: () => ({ id: 'AB12' }) })
  await trunk.send(text(), never)
  const deliver = delivering(session)
  const bare = (words: string, fields: object = {}) =>
    deliver({ esm_class: 0, data_coding: 0, short_message: Buffer.from(words), ...fields })
  await bare('id:AB12 sub:001 dlvrd:001 submit date:2603021200 done date:2603021201 stat:DELIVRD err:000 text:Your')
  await bare('stat:undelivered id:ab12')
  await bare('id:43794 stat:DELIVRD', { data_coding: 8 })
  t.match(kept.reports, [{ reference: 'AB12', state: 'delivered' }, { state: 'failed' }, { reference: 'AB12', state: 'delivered' }])
  t.same(kept.texts, [])
  const own = kept as unknown as { knows: (reference: string) => boolean }
  own.knows = (reference) => reference === 'BEFORE1'
  await bare('id:before1 stat:DELIVRD')
  t.match(kept.reports.at(-1), { reference: 'BEFORE1' }, 'of a text of before the last start')
  const of = [
    'My id: 12345, status: delivered yesterday',
    'id:9999 stat:DELIVRD',
    'id:AB12',
    'stat:DELIVRD',
    'What does id:AB12 mean?',
    'Delivered!',
  ]
  for (const words of of) await bare(words)
  t.same(
    kept.texts.map(({ body }) => body),
    of,
    'a text of a patient is none',
  )
  t.equal(kept.reports.length, 4)
})
