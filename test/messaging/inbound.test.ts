import fc from 'fast-check'
import t from 'tap'
import { partMissing } from '../../daemon/messaging/parts.ts'
import { patient, Stage } from './stage.ts'

const runs = Number(process.env['SMS_RUNS'] ?? 25)
const hour = 3_600_000

t.test('a text is in the inbox when the trunk may forget it', async (t) => {
  const stage = await Stage.open(t)
  const ask = await stage.served(t)
  await stage.trunk.receive({ from: '(555) 123-0001', body: 'Can I come at ten?' })
  const { body } = await ask('GET', '/api/inbox/sms')
  t.match(body.items, [
    { from: patient, to: '+15550002000', body: 'Can I come at ten?', mediaUrl: null, segments: 1, encoding: 'GSM-7', trunkId: 'gsm1' },
  ])
  t.same(Object.keys(body.items[0]), ['id', 'from', 'to', 'receivedAt', 'body', 'mediaUrl', 'segments', 'encoding', 'trunkId'])
  await stage.trunk.receive({ from: 'Pharmacy', body: 'Ready' })
  const next = (await ask('GET', `/api/inbox/sms?since=${body.nextSince}`)).body
  t.match(next.items, [{ from: 'Pharmacy', body: 'Ready' }])
})

t.test('the same text again is not published again, another one is', async (t) => {
  const stage = await Stage.open(t)
  const sentAt = stage.clock.now() - 5000
  const bodies = (): string[] => stage.items().map(({ body }) => body)
  await Promise.all([stage.trunk.receive({ body: 'one', sentAt }), stage.trunk.receive({ body: 'one', sentAt })])
  t.same(bodies(), ['one'])
  stage.clock.advance(20 * 60_000)
  await stage.trunk.receive({ body: 'one', sentAt })
  t.same(bodies(), ['one'], 'a modem that was away gives it once more')
  await stage.trunk.receive({ body: 'one', sentAt: sentAt + 1000 })
  await stage.trunk.receive({ body: 'one', sentAt, from: '+15551230002' })
  t.equal(bodies().length, 3)
  await stage.trunk.receive({ body: 'two', providerId: 'SM1' })
  await stage.trunk.receive({ body: 'two', providerId: 'SM1' })
  await stage.trunk.receive({ body: 'two', providerId: 'SM2' })
  t.equal(bodies().length, 5)
  await stage.trunk.receive({ body: 'Yes' })
  await stage.trunk.receive({ body: 'Yes' })
  t.equal(bodies().length, 7, 'without time and id nobody can tell')
  await stage.crash()
  await stage.trunk.receive({ body: 'two', providerId: 'SM1' })
  t.equal(bodies().length, 7)
})

t.test('parts make one text when all are there, in whatever order, also across a crash', async (t) => {
  const stage = await Stage.open(t)
  const part = (index: number, body: string, reference = 7) =>
    stage.trunk.receive({ body, sentAt: 1000 + index, part: { reference, total: 3, index }, providerId: 'one id for all of them' })
  await part(3, 'three.')
  await part(1, 'one, ')
  await part(1, 'one, ')
  t.same(stage.items(), [])
  await stage.crash()
  await stage.trunk.receive({ body: 'x', part: { reference: 7, total: 2, index: 1 } })
  await stage.trunk.receive({ body: 'y', from: '+15551230002', part: { reference: 7, total: 3, index: 2 } })
  t.same(stage.items(), [], 'parts of other texts are no parts of this one')
  await part(2, 'two, ')
  t.match(stage.items(), [{ body: 'one, two, three.', segments: 3, from: patient }])
  await part(2, 'two, ')
  t.equal(stage.items().length, 1)
  t.equal(stage.store.tables.smsParts.count(), 2)
})

t.test('after a day what there is is published', async (t) => {
  const stage = await Stage.open(t)
  await stage.trunk.receive({ body: 'end', encoding: 'UCS-2', part: { reference: 1, total: 4, index: 4 } })
  stage.clock.advance(23 * hour)
  await stage.messaging.inbound.flush()
  t.same(stage.items(), [])
  stage.clock.advance(hour)
  await stage.messaging.inbound.flush()
  t.match(stage.items(), [{ body: `${partMissing}end`, segments: 4, encoding: 'UCS-2' }])
  t.equal(partMissing, '…[part missing]')
  t.equal(stage.store.tables.smsParts.count(), 0)
})

t.test('a sender that begins anew with its references does not mix two texts', async (t) => {
  const stage = await Stage.open(t)
  await stage.trunk.receive({ body: 'old 1', part: { reference: 1, total: 2, index: 1 } })
  await stage.trunk.receive({ body: 'new 1', part: { reference: 1, total: 2, index: 1 } })
  await stage.trunk.receive({ body: ' new 2', part: { reference: 1, total: 2, index: 2 } })
  t.same(
    stage.items().map(({ body }) => body),
    [`old 1${partMissing}`, 'new 1 new 2'],
  )
})

t.test('parts are read as one: no character is lost at a border', async (t) => {
  const stage = await Stage.open(t)
  const utf16 = (words: string): Buffer => Buffer.from(words, 'utf16le').swap16()
  const table: readonly (readonly [wanted: string, alphabet: string, parts: readonly Buffer[]])[] = [
    ['price € 20', 'gsm', [Buffer.concat([Buffer.from('price '), Buffer.from([0x1b])]), Buffer.from('\x65 20')]],
    ['a{b', 'gsm', [Buffer.from('a\x1b'), Buffer.from('\x28b')]],
    ['ok 👍', 'ucs2', [utf16('ok 👍').subarray(0, 8), utf16('ok 👍').subarray(8)]],
    ['ok 👍 x', 'ucs2', [utf16('ok 👍 x').subarray(0, 7), utf16('ok 👍 x').subarray(7)]],
    ['Müller', 'utf8', [Buffer.from('Müller').subarray(0, 2), Buffer.from('Müller').subarray(2)]],
    ['ağrı', 'gsm 1 0', [Buffer.from([0x61, 0x0c]), Buffer.from([0x72, 0x07])]],
    ['ağ', 'gsm 0 1', [Buffer.from([0x61, 0x1b]), Buffer.from([0x67])]],
  ]
  for (const [index, [wanted, alphabet, parts]] of table.entries()) {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      for (const at of order) {
        const part = { reference: index, total: 2, index: at + 1 }
        await stage.trunk.receive({ body: `part ${at}`, part, coded: { alphabet, bytes: parts[at]! } })
        if (index === 0) await stage.crash()
      }
      t.equal(stage.items().at(-1)!.body, wanted)
    }
  }
  const notice = Buffer.from('\x01\x06\x03\xbe\xaf\x84\x8c\x82\x98T1\0\x8d\x90\x89\x18\x80+15551230001/TYPE=PLMN\0', 'latin1')
  for (const index of [1, 2]) {
    const coded = { alphabet: 'port 2948', bytes: index === 1 ? notice.subarray(0, 20) : notice.subarray(20) }
    await stage.trunk.receive({ from: '2500', body: 'x', part: { reference: 50, total: 2, index }, coded })
  }
  const words = '[A picture message (MMS) came from +15551230001. This line cannot fetch it.]'
  t.match(stage.items().at(-1), { from: '+15551230001', body: words }, 'a notice in two parts names who sent the picture')
  const part = (at: number) => ({ reference: 99, total: 3, index: at })
  await stage.trunk.receive({ body: 'x', part: part(1), coded: { alphabet: 'gsm', bytes: Buffer.from('one\x1b') } })
  await stage.trunk.receive({ body: 'x', part: part(3), coded: { alphabet: 'ucs2', bytes: utf16('Ж') } })
  stage.clock.advance(24 * hour)
  await stage.messaging.inbound.flush()
  t.match(stage.items().at(-1), { body: `one ${partMissing}Ж`, encoding: 'UCS-2' }, 'of those that are there')
})

t.test('numbers of parts that cannot be are taken as whole texts', async (t) => {
  const stage = await Stage.open(t)
  for (const [total, index] of [
    [1, 1],
    [0, 0],
    [2, 3],
    [2, 0],
  ] as const) {
    await stage.trunk.receive({ body: `${total}/${index}`, part: { reference: 9, total, index } })
  }
  t.same(
    stage.items().map(({ body }) => body),
    ['1/1', '0/0', '2/3', '2/0'],
  )
})

t.test('STOP and START change whom the box texts, also for what waits already', async (t) => {
  const stage = await Stage.open(t)
  const ask = await stage.served(t)
  await stage.trunk.receive({ body: 'Stop by tomorrow?' })
  t.same(stage.messaging.suppression.list(), [])
  const waits = await stage.text('1')
  const queued = await stage.text('2')
  const { answer } = await stage.handed(1)
  await stage.trunk.receive({ body: 'CANCEL my appointment' })
  t.same(stage.messaging.suppression.list(), [], 'a patient who cancels an appointment still gets texts')
  await stage.trunk.receive({ from: '15551230001', body: ' stop. ' })
  t.match(stage.messaging.suppression.list(), [{ number: patient, by: 'stop.' }])
  t.equal((await ask('GET', '/api/inbox/sms')).body.items.at(-1).keyword, 'STOP')
  answer({ kind: 'accepted', accepted: ['1'] })
  await stage.state(waits, 'sent')
  t.match(await stage.state(queued, 'failed'), { code: 'opted_out' })
  const sent = await ask('POST', '/api/sms', { json: { to: patient, message: 'Hello' } })
  t.match(sent, {
    status: 200,
    body: { sent: 0, recipients: 1, queued: 0, failed: 1, messages: [{ to: patient, status: 'failed', code: 'opted_out' }] },
  })
  await stage.trunk.receive({ body: 'Cancel.', from: '+15551230002' })
  t.match((await ask('GET', '/api/inbox/sms')).body.items.at(-1), { body: 'Cancel.', keyword: 'CANCEL' }, 'shown as what it says')
  t.ok(stage.messaging.suppression.has('+15551230002'))
  await stage.trunk.receive({ body: 'please stop texting me', from: '+15551230003' })
  t.match((await ask('GET', '/api/inbox/sms')).body.items.at(-1), { mayOptOut: true, keyword: undefined })
  t.notOk(stage.messaging.suppression.has('+15551230003'))
  await ask('DELETE', `/api/sms/stop-list/${encodeURIComponent('+15551230002')}`)
  await stage.messaging.suppression.remove('+15551230002')
  await stage.trunk.receive({ body: 'HELP' })
  t.equal(stage.items().at(-1)!.keyword, 'HELP')
  await stage.trunk.receive({ body: 'Start' })
  t.same(stage.messaging.suppression.list(), [])
  stage.trunk.answers = stage.trunk.takesAll
  t.match((await ask('POST', '/api/sms', { json: { to: patient, message: 'Hello' } })).body, { sent: 1 })
})

t.test('property: whatever order and repetition, each text is published once and whole', async (t) => {
  const stage = await Stage.open(t)
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat(1_000_000)),
      async (totals, chance) => {
        run += 1
        const from = `+1555${String(run).padStart(7, '0')}`
        const texts = totals.map((total, reference) => Array.from({ length: total }, (_, index) => `${reference}.${index} `))
        const parts = texts.flatMap((bodies, reference) =>
          bodies.map((body, at) => ({ body, reference, total: bodies.length, index: at + 1 })),
        )
        const twice = [...parts, ...parts].map((part) => ({ part, order: chance.next().value ?? 0 })).toSorted((a, b) => a.order - b.order)
        for (const { part } of twice) {
          const { body, ...rest } = part
          await stage.trunk.receive({ from, body, sentAt: 1000 + part.reference, part: rest })
        }
        const published = stage.items().filter((item) => item.from === from)
        t.same(published.map(({ body }) => body).toSorted(), texts.map((bodies) => bodies.join('')).toSorted())
      },
    ),
    { numRuns: runs },
  )
  t.equal(stage.store.tables.smsParts.count(), 0)
})
