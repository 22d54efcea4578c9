/** What an SMPP service sends: texts and delivery receipts, acknowledged when they are durable. */
import t from 'tap'
import { decodeGsm } from '../../drivers/gsm-alphabet.ts'
import { submission } from '../../drivers/smpp/submit.ts'
import { answered, connected, never, text } from './service.ts'

t.test('texts that come: alphabets, parts by header and by TLV, message_payload, data_sm', async (t) => {
  const { kept, session } = await connected(t)
  const from = { source_addr_ton: 1, source_addr_npi: 1, source_addr: '15550177', dest_addr_ton: 1, destination_addr: '15550100' }
  const bytes = (content: string, encoding: BufferEncoding): Buffer => Buffer.from(content, encoding)
  const messages: [fields: object, expected: object][] = [
    [
      { data_coding: 0, short_message: Buffer.from([0x00, 0x1b, 0x65, 0x7e]) },
      { body: '@€ü', encoding: 'GSM-7' },
    ],
    [
      { data_coding: 1, short_message: bytes('STOP', 'latin1') },
      { body: 'STOP', encoding: 'GSM-7' },
    ],
    [{ data_coding: 3, short_message: bytes('Ça va', 'latin1') }, { body: 'Ça va' }],
    [
      { data_coding: 8, short_message: bytes('Да 👍', 'utf16le').swap16() },
      { body: 'Да 👍', encoding: 'UCS-2' },
    ],
    [
      { data_coding: 0xc8, short_message: Buffer.alloc(0) },
      { body: '', besides: ['the network says: a voicemail message waits for this number'] },
    ],
    [
      { data_coding: 0, short_message: Buffer.alloc(0), ms_msg_wait_facilities: 0x80, number_of_messages: 2 },
      { body: '', besides: ['the network says: 2 voicemail messages wait for this number'] },
    ],
    [
      { data_coding: 0, short_message: Buffer.alloc(0), ms_msg_wait_facilities: 0x02 },
      { body: '', besides: ['the network says: no mail waits for this number any more'] },
    ],
    [{ data_coding: 0x18, short_message: bytes('Да', 'utf16le').swap16() }, { body: 'Да' }],
    [{ data_coding: 4, short_message: Buffer.from([1, 0xfe]) }, { body: '[data, no text: 01fe]' }],
    [{ data_coding: 3, message_payload: bytes('é'.repeat(1000), 'latin1') }, { body: 'é'.repeat(1000) }],
    [
      { esm_class: 0x40, data_coding: 3, short_message: Buffer.concat([Buffer.from([5, 0, 3, 9, 2, 1]), bytes('one', 'latin1')]) },
      { body: 'one', part: { reference: 9, total: 2, index: 1 } },
    ],
    [
      { esm_class: 0x40, data_coding: 3, short_message: Buffer.concat([Buffer.from([6, 8, 4, 1, 2, 3, 3]), bytes('two', 'latin1')]) },
      { body: 'two', part: { reference: 258, total: 3, index: 3 } },
    ],
    [
      { data_coding: 3, short_message: bytes('sar', 'latin1'), sar_msg_ref_num: 700, sar_total_segments: 2, sar_segment_seqnum: 2 },
      { body: 'sar', part: { reference: 700, total: 2, index: 2 } },
    ],
  ]
  for (const [fields, expected] of messages) {
    const answer = await answered((done) => session.deliver_sm({ ...from, ...fields }, done))
    t.match(answer, { command: 'deliver_sm_resp', command_status: 0 })
    t.match(kept.texts.at(-1), { from: '+15550177', to: '+15550100', ...expected })
  }
  const data = await answered((done) => session.data_sm({ ...from, data_coding: 1, message_payload: bytes('hello', 'latin1') }, done))
  t.match(data, { command: 'data_sm_resp', command_status: 0 })
  t.match(kept.texts.at(-1), { body: 'hello' })
  await answered((done) =>
    session.deliver_sm({ source_addr_ton: 5, source_addr: 'Lab', data_coding: 1, short_message: Buffer.from('x') }, done),
  )
  t.match(kept.texts.at(-1), { from: 'Lab', to: '+15550100' }, 'no recipient named: that of the trunk')
})

t.test('a message is acknowledged when it is durable; otherwise the service keeps it', async (t) => {
  const { kept, session } = await connected(t)
  let durable: () => void = () => undefined
  kept.store = () => new Promise((resolve) => (durable = resolve))
  let acknowledged = false
  const first = answered((done) => session.deliver_sm({ source_addr: '1', data_coding: 1, short_message: Buffer.from('x') }, done))
  void first.then(() => (acknowledged = true))
  await answered((done) => session.enquire_link({}, done))
  t.notOk(acknowledged, 'the answer waits')
  durable()
  t.equal((await first).command_status, 0)
  kept.store = () => Promise.reject(new Error('the disk is full'))
  const second = await answered((done) => session.deliver_sm({ source_addr: '1', data_coding: 1, short_message: Buffer.from('x') }, done))
  t.equal(second.command_status, 0x64)
})

t.test('a text that comes again after its acknowledgement was lost is not doubled', async (t) => {
  const { service, trunk, kept, session } = await connected(t)
  const message = { source_addr: '15550177', source_addr_ton: 1, data_coding: 1, short_message: Buffer.from('Yes') }
  await answered((done) => session.deliver_sm({ ...message }, done))
  await answered((done) => session.deliver_sm({ ...message }, done))
  t.equal(kept.texts.length, 2, 'who writes the same twice has written twice')
  let durable: () => void = () => undefined
  kept.store = () => new Promise((resolve) => (durable = resolve))
  const other = { ...message, short_message: Buffer.from('No') }
  session.deliver_sm({ ...other })
  await answered((done) => session.enquire_link({}, done))
  session.socket.destroy()
  await kept.until(() => !trunk.status().ok)
  await kept.until(() => trunk.status().ok)
  const second = await service.session()
  const again = answered((done) => second.deliver_sm({ ...other }, done))
  await answered((done) => second.enquire_link({}, done))
  durable()
  t.equal((await again).command_status, 0)
  kept.store = () => Promise.resolve()
  t.equal((await answered((done) => second.deliver_sm({ ...message }, done))).command_status, 0)
  t.same(
    kept.texts.map(({ body }) => body),
    ['Yes', 'Yes', 'No'],
    'though it was still being kept when it came again',
  )
})

t.test('delivery receipts in both forms, with the id as the answer gave it', async (t) => {
  const ids = ['1A2B', '1A2C', '1A2D', 'abc-7']
  const { trunk, kept, session } = await connected(t, { submit: () => ({ id: ids.shift() ?? 'z' }) })
  for (let i = 0; i < 4; i++) await trunk.send(text(), never)
  const head = { source_addr_ton: 1, source_addr: '15550177', esm_class: 4, data_coding: 0 }
  const receipt = async (fields: object): Promise<object | undefined> => {
    const answer = await answered((done) => session.deliver_sm({ ...head, ...fields }, done))
    t.equal(answer.command_status, 0)
    return kept.reports.at(-1)
  }
  const inText = (id: string, stat: string, err = '000'): object => ({
    short_message: Buffer.from(`id:${id} sub:001 dlvrd:001 submit date:2603021200 done date:2603021201 stat:${stat} err:${err} text:Your`),
  })
  t.match(await receipt({ receipted_message_id: '1A2B', message_state: 2 }), {
    reference: '1A2B',
    state: 'delivered',
    text: '',
    to: '+15550177',
  })
  t.match(await receipt({ receipted_message_id: '1A2B\0', message_state: 5 }), { reference: '1A2B', state: 'failed' })
  t.match(await receipt(inText('abc-7', 'UNDELIV', '075')), { reference: 'abc-7', state: 'failed', text: /error 075/ })
  t.match(
    await receipt(inText('0000006700', 'DELIVRD')),
    { reference: '1A2C', state: 'delivered' },
    'decimal where the answer was hexadecimal',
  )
  t.match(await receipt(inText('1a2d', 'EXPIRED')), { reference: '1A2D', state: 'expired' }, 'letter case does not matter')
  t.match(await receipt(inText('6701', 'REJECTD')), { reference: '1A2D', state: 'failed' })
  t.match(await receipt(inText('6701', 'ENROUTE')), { reference: '1A2D', state: 'buffered' })
  const before = kept.reports.length
  await receipt({ short_message: Buffer.from('nothing to see') })
  t.equal(kept.reports.length, before, 'a receipt that says nothing is acknowledged and dropped')
})

t.test('a receipt that overtakes the answer waits for it', async (t) => {
  const { trunk, kept } = await connected(t, {
    submit(pdu, session) {
      session.deliver_sm({ esm_class: 4, source_addr: '15550177', source_addr_ton: 1, receipted_message_id: 'fast', message_state: 2 })
      setTimeout(() => session.send(pdu.response({ message_id: 'fast' })), 30)
      return null
    },
  })
  const outcome = trunk.send(text(), never).then((result) => (t.equal(kept.reports.length, 0), result))
  await kept.until(() => kept.reports.length === 1)
  t.same(await outcome, { kind: 'accepted', accepted: ['fast'] })
})

t.test('data coding 0 is what the service says it is, both ways', async (t) => {
  const mail = 'pat_doe@example.com, $20 [ok]'
  const table = [
    ['latin1', `${mail} Müller ça`, 'latin1'],
    ['ascii', mail, 'latin1'],
    ['utf8', `${mail} Müller 1 €`, 'utf8'],
  ] as const
  for (const [alphabet, words, encoding] of table) {
    const { service, trunk, kept, session } = await connected(t, {}, { alphabet })
    await answered((done) => session.deliver_sm({ source_addr: '1', data_coding: 0, short_message: Buffer.from(words, encoding) }, done))
    t.match(kept.texts.at(-1), { body: words }, alphabet)
    await answered((done) => session.deliver_sm({ source_addr: '1', data_coding: 0x10, short_message: Buffer.from([0, 2]) }, done))
    t.match(kept.texts.at(-1), { body: '@$' }, 'what the network codes is what it was')
    const sent = 'A_B @ $5 [x] {y}'
    t.ok(trunk.fits?.(sent))
    const one = text({ body: sent, segments: [sent] })
    await trunk.send(one, never)
    t.match(service.texts.at(-1), { data_coding: 0 })
    t.same(submission(one, 0, { receipts: false, alphabet })['short_message'], Buffer.from(sent), `${alphabet}, sent`)
    t.notOk(trunk.fits?.('5 €') === true || trunk.fits?.('ΔΩ') === true, 'what it does not have goes in UCS-2')
    t.equal(trunk.fits?.('Müller'), alphabet === 'latin1')
  }
  const { trunk } = await connected(t)
  t.equal(trunk.fits, undefined, 'with the GSM alphabet nothing more is asked')
})

t.test('a picture message that the line cannot fetch, and data for programs, are told in words', async (t) => {
  const { kept, session } = await connected(t)
  const deliver = (fields: object) => answered((done) => session.deliver_sm({ source_addr: '2500', data_coding: 4, ...fields }, done))
  const content = Buffer.from('\x01\x06\x03\xbe\xaf\x84\x8c\x82\x98T1\0\x8d\x90\x89\x18\x80+15551230001/TYPE=PLMN\0', 'latin1')
  const words = '[A picture message (MMS) came from +15551230001. This line cannot fetch it.]'
  await deliver({ esm_class: 0x40, short_message: Buffer.concat([Buffer.from('0605040b8423f0', 'hex'), content]) })
  t.match(kept.texts.at(-1), { from: '+15551230001', body: words }, 'by the header')
  await deliver({ dest_port: 2948, message_payload: content })
  t.match(kept.texts.at(-1), { from: '+15551230001', body: words }, 'by the port of its TLV')
  await deliver({ dest_port: 2948, short_message: content.subarray(0, 14) })
  t.match(kept.texts.at(-1), { from: '2500', body: '[A picture message (MMS) came from 2500. This line cannot fetch it.]' }, 'cut off')
  await deliver({ dest_port: 9204, short_message: Buffer.from('BEGIN:VCARD\nFN:Ann\nEND:VCARD') })
  t.match(kept.texts.at(-1), { body: '[a contact (vCard)]\nBEGIN:VCARD\nFN:Ann\nEND:VCARD' })
  await deliver({ dest_port: 7, short_message: Buffer.from([0, 1, 2]) })
  t.match(kept.texts.at(-1), { body: '[data for a program, port 7, no text: 000102]' })
})

t.test('the default alphabet', async (t) => {
  t.equal(decodeGsm(Buffer.from([0x1b, 0x41, 0x1b])), 'A ', 'an escape before what the extension does not have, and at the end')
})

t.test('a service that answers nothing before its receipt is answered', async (t) => {
  const { trunk, kept } = await connected(
    t,
    {
      submit(pdu, session) {
        const receipt = { esm_class: 4, source_addr: '15550177', source_addr_ton: 1, receipted_message_id: 'strict', message_state: 2 }
        session.deliver_sm(receipt, () => session.send(pdu.response({ message_id: 'strict' })))
        return null
      },
    },
    { times: { overtaken: 20 } },
  )
  t.same(await trunk.send(text(), never), { kind: 'accepted', accepted: ['strict'] })
  t.equal(kept.reports.length, 1)
})
