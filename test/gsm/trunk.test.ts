/** The GSM trunk on a simulated modem over a real pseudo terminal: texts out, texts in, unplugging. */
import t from 'tap'
import { createGsmTrunk } from '../../drivers/gsm/modem.ts'
import { createSimTrunk } from '../../drivers/sim/gsm/trunk.ts'
import { build, GsmRig, outbound, ptyProgram, silent } from './rig.ts'

await build()

t.test('comes up and tells what modem it has, on what network', async (t) => {
  const rig = await new GsmRig().open({ serviceCentre: '+31653131314' })
  t.teardown(() => rig.close())
  await rig.is('ready')
  await rig.until(() => rig.trunk.status().facts['storage'] === 20)
  t.match(rig.trunk.status(), { ok: true, state: 'ready', text: '' })
  t.same(rig.trunk.status().facts, {
    model: 'Simulated GSM modem',
    imei: '***3809',
    operator: 'Simulated',
    registration: 'home',
    serviceCentre: '+31653131314',
    signal: -73,
    stored: 0,
    storage: 20,
  })
  rig.host.network.register(3)
  await rig.is('refused')
  rig.host.network.register(2)
  await rig.is('searching')
  t.match(await rig.send('+15550199', ['early']), { kind: 'temporary', text: /network/ })
  rig.host.network.register(5)
  t.match(await rig.send('+15550199', ['now']), { kind: 'accepted' }, 'the network is asked again before a text is turned away')
  t.equal(rig.host.network.sent.length, 1)
})

t.test('sends one to ten parts of both alphabets, in order, and hears of each', async (t) => {
  const rig = await new GsmRig().open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  for (const encoding of ['GSM-7', 'UCS-2'] as const) {
    for (const count of [1, 2, 5, 10]) {
      const from = rig.host.network.sent.length
      const reports = rig.reports.length
      const most = encoding === 'GSM-7' ? (count === 1 ? 160 : 153) : count === 1 ? 70 : 67
      const segments = Array.from({ length: count }, (_, i) =>
        encoding === 'GSM-7' ? `${i}é€[§`.padEnd(i === count - 1 ? 30 : most - 2, 'x@') : `${i}Ж😀`.padEnd(most, 'ю'),
      )
      const outcome = await rig.send('+15550142', segments, { encoding, reference: 0x0100 + count })
      const sent = rig.host.network.sent.slice(from)
      t.equal(outcome.kind, 'accepted')
      t.same(
        outcome.accepted,
        sent.map(({ reference }) => String(reference)),
      )
      t.same(
        sent.map(({ text }) => text),
        segments,
        `${count} of ${encoding}`,
      )
      t.ok(sent.every((one) => one.to === '+15550142' && one.encoding === encoding && one.wantsReport && one.validitySeconds === 86_400))
      if (count > 1)
        t.same(
          sent.map(({ part }) => part),
          segments.map((_, i) => ({ reference: count, total: count, index: i + 1, narrow: true })),
        )
      await rig.until(() => rig.reports.length === reports + count)
      t.same(
        rig.reports.slice(reports).map(({ reference, to, state }) => ({ reference, to, state })),
        outcome.accepted.map((reference) => ({ reference, to: '+15550142', state: 'delivered' })),
      )
    }
  }
  t.equal(rig.trace.filter((line) => line.includes('AT+CMGS=')).length, 36)
})

t.test('says honestly what became of a text', async (t) => {
  const rig = await new GsmRig().open({ sendMs: 400 })
  t.teardown(() => rig.close())
  await rig.is('ready')
  t.match(await rig.send('+15550101', ['a']), { kind: 'temporary', text: /congestion/, accepted: [null] })
  t.match(await rig.send('+15550102', ['a']), { kind: 'refused', code: 'cms-21', accepted: [null] })
  t.match(await rig.send('+15550106', ['a', 'b']), { kind: 'unknown', accepted: [null, null] })
  t.match(await rig.send('+15550199', ['a']), { kind: 'accepted' }, 'and the next text finds a modem in order')
  t.match(await rig.send('12345', ['a', 'b', 'c'], { accepted: ['7', null, '9'] }), { kind: 'accepted', accepted: ['7', /\d+/, '9'] })
  t.match(rig.host.network.sent.at(-1), { to: '12345', text: 'b', part: { index: 2, total: 3 } }, 'an accepted part is not sent again')
  t.match(await rig.send('+15550199', ['x'.repeat(161)]), { kind: 'refused', text: /too long/ })
  for (const [to, states] of [
    ['+15550103', ['failed']],
    ['+15550104', ['buffered', 'delivered']],
    ['+15550105', ['expired']],
  ] as const) {
    t.equal((await rig.send(to, ['a'])).kind, 'accepted')
    await rig.until(() => rig.reports.filter((report) => report.to === to).length === states.length)
    t.same(
      rig.reports.filter((report) => report.to === to).map(({ state }) => state),
      states,
    )
  }
  const stopped = new AbortController()
  stopped.abort()
  t.match(await rig.send('+15550199', ['a'], {}, stopped.signal), { kind: 'temporary' })
})

t.test('a status report shows what became of a text whose answer was lost', async (t) => {
  const rig = await new GsmRig({ reportMs: 900 }).open({ sendMs: 400 })
  t.teardown(() => rig.close())
  await rig.is('ready')
  const lookUp = (to: string, more: object): unknown => rig.trunk.lookUp!(outbound(to, ['a', 'b'], more), new AbortController().signal)
  t.match(await rig.send('+15550106', ['a', 'b'], { messageId: 'm1' }), { kind: 'unknown', accepted: [null, null] })
  t.match(await lookUp('+15550106', { messageId: 'm1' }), { kind: 'unknown' }, 'not yet')
  await rig.until(() => rig.reports.length === 1)
  const reference = rig.reports[0]?.reference
  t.match(
    await lookUp('+15550106', { messageId: 'm1' }),
    { kind: 'temporary', accepted: [reference, null] },
    'the second part was never sent',
  )
  t.match(await lookUp('+15550106', { messageId: 'm1', accepted: [null, '77'] }), { kind: 'accepted', accepted: [reference, '77'] })
  t.match(await lookUp('+15550106', { messageId: 'other' }), { kind: 'unknown' })
  await rig.send('+15550206', ['a'], { messageId: 'm2' })
  await rig.send('+15550206', ['b'], { messageId: 'm3' })
  await rig.until(() => rig.reports.length === 3)
  t.match(await lookUp('+15550206', { messageId: 'm2' }), { kind: 'unknown' }, 'one of two to the same recipient: nobody can say which')
})

t.test('empties the SIM card into the daemon, and only then', async (t) => {
  const rig = new GsmRig()
  const { network, card } = rig.host
  network.deliver({ from: 'Bank', text: 'lay there before', at: Date.UTC(2026, 0, 2, 3, 4, 5) })
  await rig.open()
  t.teardown(() => rig.close())
  await rig.until(() => rig.received.length === 1 && rig.stored === 0)
  t.same(rig.received[0], {
    from: 'Bank',
    to: '+15550100',
    body: 'lay there before',
    encoding: 'GSM-7',
    sentAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    providerId: '',
  })
  const parts = ['Привет, ', 'как ', 'дела? 😀']
  for (const [i, narrow] of [
    [2, true],
    [0, false],
    [1, true],
  ] as const)
    network.deliver({ from: '+31628870634', text: parts[i]!, part: { reference: 200, total: 3, index: i + 1, narrow } })
  await rig.until(() => rig.received.length === 4 && rig.stored === 0)
  t.same(
    rig.received.slice(1).map(({ from, body, part, encoding }) => ({ from, body, part, encoding })),
    [2, 0, 1].map((i) => ({
      from: '+31628870634',
      body: parts[i],
      part: { reference: 200, total: 3, index: i + 1 },
      encoding: 'UCS-2',
    })),
  )
  let refused = 0
  rig.refuse = () => {
    refused++
    throw new Error('disk full')
  }
  network.deliver({ from: '+31628870634', text: 'once more [€]' })
  await rig.until(() => refused >= 2)
  t.equal(card.memories.SM.slots.size, 1, 'stays on the card while the daemon cannot store it, and is tried again')
  rig.refuse = null
  await rig.until(() => rig.received.length === 5 && rig.stored === 0)
  t.equal(rig.received[4]?.body, 'once more [€]')
  card.memories.SM.store('0791', 1)
  card.memories.SM.store('07911326040000F0', 3)
  card.memories.SM.store('0001AABBCCDDEEFF0011', 1)
  network.deliver({ from: '+31628870634', text: 'good' })
  await rig.until(() => rig.received.length === 6 && rig.trunk.status().facts['unreadable'] === 1)
  t.equal(card.memories.SM.slots.size, 3, 'what is no text from outside stays where it is')
})

t.test('a full memory is emptied and what waits in the network follows', async (t) => {
  const rig = new GsmRig({ quirks: { forgetsNotices: true, tellsFull: true } })
  rig.host.card.memories.SM.capacity = 3
  for (let i = 0; i < 12; i++) rig.host.network.deliver({ from: '+31628870634', text: `text ${i}` })
  await rig.open({ sweepMs: 60_000 })
  t.teardown(() => rig.close())
  await rig.until(() => rig.received.length === 12 && rig.stored === 0)
  t.same(
    rig.received.map(({ body }) => body),
    Array.from({ length: 12 }, (_, i) => `text ${i}`),
  )
})

t.test('a prompt that never comes sends nothing, and the modem is usable again', async (t) => {
  const rig = await new GsmRig({ quirks: { lostPrompts: 1 } }).open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  t.match(await rig.send('+15550142', ['first']), { kind: 'temporary', text: /ask for the text/ })
  t.equal(rig.host.network.sent.length, 0)
  t.match(await rig.send('+15550142', ['second']), { kind: 'accepted' })
  t.same(
    rig.host.network.sent.map(({ text }) => text),
    ['second'],
  )
})

t.test('a report that was not stored is not acknowledged, and comes again', async (t) => {
  const rig = await new GsmRig({ quirks: { acknowledgeMs: 40 } }).open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  let refused = 0
  rig.refuse = () => {
    refused++
    throw new Error('disk full')
  }
  t.equal((await rig.send('+15550142', ['a'])).kind, 'accepted')
  await rig.until(() => refused >= 2)
  rig.refuse = null
  await rig.until(() => rig.reports.length >= 1 && rig.host.network.waiting === 0)
  t.equal(rig.reports[0]?.state, 'delivered')
})

t.test('unplugged and plugged in again under load: nothing is lost, nothing comes or goes twice', async (t) => {
  const rig = await new GsmRig({ quirks: { networkMs: 8, answerMs: 2 } }).open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  const count = 60
  const outcomes = new Map<string, string>()
  const sending = (async () => {
    for (let i = 0; i < count; i++) {
      const body = `out ${i}`
      let outcome = await rig.send('+15550142', [body])
      while (outcome.kind === 'temporary') {
        await rig.is('ready')
        outcome = await rig.send('+15550142', [body])
      }
      outcomes.set(body, outcome.kind)
    }
  })()
  let pulled = 0
  for (let i = 0; i < count; i++) rig.host.network.deliver({ from: '+31628870634', text: `in ${i}` })
  for (const at of [4, 15, 25, 38, 50]) {
    await rig.until(() => outcomes.size >= at && (rig.trace.at(-1)?.startsWith('> ') ?? false))
    await rig.host.unplug()
    pulled++
    await rig.is('no-device')
    await rig.host.plug()
  }
  await sending
  await rig.until(() => rig.received.length >= count && rig.stored === 0)
  t.equal(pulled, 5)
  t.same(new Set(rig.received.map(({ body }) => body)).size, count, 'every text came')
  t.equal(rig.received.length, count, 'once')
  const sent = rig.host.network.sent.map(({ text }) => text)
  t.equal(new Set(sent).size, sent.length, 'none went twice')
  for (const [body, kind] of outcomes) if (kind === 'accepted') t.ok(sent.includes(body), body)
  t.ok([...outcomes.values()].every((kind) => kind === 'accepted' || kind === 'unknown'))
  t.ok([...outcomes.values()].filter((kind) => kind === 'unknown').length <= pulled)
})

t.test('unplugged between the text and its answer: unknown; before the text: temporary', async (t) => {
  const rig = await new GsmRig({ quirks: { networkMs: 10_000 } }).open({ promptMs: 60_000 })
  t.teardown(() => rig.close())
  await rig.is('ready')
  const first = rig.send('+15550142', ['a'])
  await rig.until(() => rig.trace.at(-1)?.endsWith('^Z') ?? false)
  await rig.host.unplug()
  t.match(await first, { kind: 'unknown', text: /unplugged/ })
  rig.host.quirks = { promptMs: 10_000 }
  await rig.host.plug()
  await rig.is('ready')
  const second = rig.send('+15550142', ['b'])
  await rig.until(() => rig.trace.at(-1)?.startsWith('> AT+CMGS') ?? false)
  await rig.host.unplug()
  t.match(await second, { kind: 'temporary', text: /unplugged/ })
  await rig.is('no-device')
  t.match(await rig.send('+15550142', ['c']), { kind: 'temporary', text: /unplugged|no device/ })
})

t.test('the daemon stops: a text before its prompt is taken back, one behind it is waited for', async (t) => {
  const rig = await new GsmRig({ quirks: { promptMs: 60, networkMs: 60 } }).open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  const stopping = new AbortController()
  const first = rig.send('+15550142', ['a'], {}, stopping.signal)
  await rig.until(() => rig.trace.at(-1)?.startsWith('> AT+CMGS') ?? false)
  stopping.abort()
  t.match(await first, { kind: 'temporary' })
  const later = new AbortController()
  const second = rig.send('+15550142', ['b'], {}, later.signal)
  await rig.until(() => rig.trace.at(-1)?.endsWith('^Z') ?? false)
  later.abort()
  await rig.trunk.stop()
  t.match(await second, { kind: 'accepted' })
  t.equal(rig.trunk.status().state, 'stopped')
})

t.test('the trunk sim: the same driver, a far end that echoes', async (t) => {
  const trunk = createSimTrunk({ id: 'try', number: '+15550100', log: silent, ptyProgram, reportMs: 5, createModemTrunk: createGsmTrunk })
  const ready = Promise.withResolvers<void>()
  const echo = Promise.withResolvers<string>()
  trunk.start({
    received: async ({ body }) => echo.resolve(body),
    report: async () => undefined,
    statusChanged: () => trunk.status().ok && ready.resolve(),
  })
  t.teardown(() => trunk.stop())
  await ready.promise
  t.equal(trunk.kind, 'sim')
  t.match(await trunk.send(outbound('+15550100', ['Grüße']), new AbortController().signal), { kind: 'accepted' })
  t.equal(await echo.promise, 'Grüße')
  await trunk.stop()
  t.match(await trunk.send(outbound('+15550100', ['x']), new AbortController().signal), { kind: 'temporary' })

  const broken = createSimTrunk({ id: 'b', number: '', log: silent, ptyProgram: '/nowhere/pbx-pty', createModemTrunk: createGsmTrunk })
  const told = Promise.withResolvers<void>()
  broken.start({ received: async () => undefined, report: async () => undefined, statusChanged: told.resolve })
  await told.promise
  t.match(broken.status(), { ok: false, state: 'faulty', text: /pbx-pty/ })
  await broken.stop()
})
