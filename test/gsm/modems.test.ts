/** Modems as they are: those that depart from the manuals, fall silent, restart, want a PIN, or are held by another. */
import t from 'tap'
import { createGsmTrunk } from '../../drivers/gsm/modem.ts'
import type { Quirks } from '../../drivers/sim/gsm/quirks.ts'
import { build, GsmRig, quick, silent } from './rig.ts'

await build()

const odd: readonly (readonly [name: string, quirks: Partial<Quirks>])[] = [
  ['echoes although told not to', { echoes: true }],
  ['noise when it gets power, an escape and half a line in it', { noise: '\0\xff\x1b~AT\r\nERR\xfeOR\r\nRDY\r\n+CP' }],
  ['slow answers and a late prompt', { answerMs: 15, promptMs: 200 }],
  ['notices between the lines of answers', { noticesInside: true }],
  ['takes no notice mode 2', { noticeModes: [0, 1] }],
  ['takes no notices at all', { noticeModes: [] }],
  ['stores reports', { reportRoutes: [0, 2] }],
  ['knows nothing of phase 2+', { phase2plus: false }],
  ['does not announce texts', { forgetsNotices: true }],
  ['cannot list', { listsMessages: false }],
  ['has only its own memory', { memories: ['ME'] }],
  ['cannot link messages', { linksMessages: false }],
  ['spells errors out', { wordyErrors: true }],
  ['is on LTE alone', { onlyLte: true }],
  ['lets nobody choose a memory', { lacks: ['+CPMS=', '+CPMS=?', '+CPMS?'], memories: ['SM'] }],
  ['tells nothing of card and network', { bare: ['+CPIN?', '+CREG?', '+CEREG?', '+COPS?', '+CSQ'] }],
  ['its card is busy at first', { busyCard: 4 }],
  ['fails now and then', { errorEvery: 7, acknowledgeMs: 300 }],
  ['leaves commands without an answer', { lostAnswers: { '+CSQ': 1, '+CNMI': 1, '+CMGD': 2, '+CPMS="ME"': 1 } }],
  ['answers after it was given up', { lateAnswers: { '+COPS': [2, 460], '+CMGL': [1, 1300] } }],
]
t.test('lives with modems that', async (t) => {
  for (const [name, quirks] of odd) {
    await t.test(name, async (t) => {
      const rig = await new GsmRig({ quirks }).open()
      t.teardown(() => rig.close())
      await rig.is('ready')
      for (let i = 0; i < 8; i++) rig.host.network.deliver({ from: '+31628870634', text: `in ${i}` })
      const bodies = Array.from({ length: 3 }, (_, i) => `out ${i}`)
      for (const body of bodies) {
        let outcome = await rig.send('+15550142', [body, `${body} end`])
        // What was not sent is sent again, as the daemon does.
        for (let i = 0; i < 20 && outcome.kind === 'temporary'; i++) {
          await rig.is('ready')
          outcome = await rig.send('+15550142', [body, `${body} end`], { accepted: outcome.accepted })
        }
        t.match(outcome, { kind: 'accepted' })
      }
      await rig.until(() => rig.received.length >= 8 && rig.stored === 0)
      t.same(
        rig.received.map(({ body }) => body).toSorted(),
        Array.from({ length: 8 }, (_, i) => `in ${i}`),
        'all came, once',
      )
      t.same(
        rig.host.network.sent.map(({ text }) => text),
        bodies.flatMap((body) => [body, `${body} end`]),
        'all went, once',
      )
      if (quirks.noticeModes?.length !== 0) await rig.until(() => rig.reports.length === 6)
      t.match(await rig.send('+15550101', ['x']), { kind: 'temporary' })
    })
  }
})

t.test('a silent modem is opened again, the third time with an alarm, and comes back by itself', async (t) => {
  const rig = await new GsmRig().open({ answerMs: 200 })
  t.teardown(() => rig.close())
  await rig.is('ready')
  rig.host.modem!.muted = true
  await rig.is('no-answer')
  t.match(rig.trunk.status(), { ok: false, text: /unplug it and plug it in/ })
  t.ok(rig.states.includes('starting'))
  t.match(await rig.send('+15550142', ['a']), { kind: 'temporary', text: /does not answer/ })
  rig.host.modem!.muted = false
  await rig.is('ready')
  t.match(await rig.send('+15550142', ['b']), { kind: 'accepted' })
})

t.test('a modem that restarts by itself is set up anew, whether it says so or not', async (t) => {
  const rig = await new GsmRig({ quirks: { networkMs: 30 } }).open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  const during = rig.send('+15550142', ['a'])
  await rig.until(() => rig.trace.at(-1)?.endsWith('^Z') ?? false)
  rig.host.modem!.restart(true)
  t.match(await during, { kind: 'unknown' })
  await rig.is('ready')
  rig.host.modem!.restart(false)
  let outcome = await rig.send('+15550142', ['b'])
  t.match(outcome, { kind: 'accepted' }, 'PDU mode is made sure of')
  outcome = await rig.send('+15550142', ['c'])
  t.match(outcome, { kind: 'accepted' })
  t.same(
    rig.host.network.sent.map(({ text }) => text),
    ['b', 'c'],
  )
})

t.test('PINs', async (t) => {
  await t.test('the right one is given, after a replug too', async (t) => {
    const rig = await new GsmRig({ pin: '4711' }).open({ pin: '4711' })
    t.teardown(() => rig.close())
    await rig.is('ready')
    await rig.host.unplug()
    await rig.is('no-device')
    await rig.host.plug()
    await rig.is('ready')
    t.same(rig.host.card.attempts, ['4711', '4711'])
    t.notOk(
      rig.trace.some((line) => line.includes('4711')),
      'and never shown',
    )
  })
  for (const pinCounter of ['', '+CPINR', '+QPINC', '+SPIC', '^CPIN'] as const) {
    await t.test(`a wrong one is given once; tries are counted by ${pinCounter || 'nobody'}`, async (t) => {
      const rig = await new GsmRig({ pin: '4711', quirks: { pinCounter } }).open({ pin: '1234', healthMs: 20 })
      t.teardown(() => rig.close())
      await rig.is('pin-needed')
      await rig.host.unplug()
      await rig.is('no-device')
      await rig.host.plug()
      await rig.is('pin-needed')
      await rig.trunk.stop()
      await rig.open({ pin: '1234', healthMs: 20 }, false)
      await rig.is('pin-needed')
      t.match(rig.trunk.status().text, /does not try it again/)
      t.same(rig.host.card.attempts, ['1234'])
      t.match(await rig.send('+15550142', ['a']), { kind: 'temporary' })
      rig.host.card.unlock('4711')
      rig.host.card.pin = null
      rig.host.modem!.restart(true)
      await rig.is('ready')
    })
  }
  await t.test('one whose answer was lost is given again where the card has counted no fault', async (t) => {
    const rig = await new GsmRig({ pin: '4711', quirks: { lostAnswers: { '+CPIN=': 1 } } }).open({ pin: '4711' })
    t.teardown(() => rig.close())
    await rig.is('ready')
    t.same(rig.host.card.attempts, ['4711'])
  })
  await t.test('one that somebody else got wrong is not tried', async (t) => {
    const rig = new GsmRig({ pin: '4711' })
    rig.host.card.tries = 2
    await rig.open({ pin: '4711' })
    t.teardown(() => rig.close())
    await rig.is('pin-needed')
    t.match(rig.trunk.status().text, /2 tries are left/)
    t.same(rig.host.card.attempts, [])
  })
  await t.test('none configured, a locked card, no card', async (t) => {
    const rig = await new GsmRig({ pin: '4711' }).open({ healthMs: 20 })
    t.teardown(() => rig.close())
    await rig.is('pin-needed')
    t.match(rig.trunk.status().text, /none is configured/)
    rig.host.card.tries = 0
    await rig.is('puk-needed')
    rig.host.card.present = false
    await rig.is('no-sim')
  })
})

t.test('a device that another program holds', async (t) => {
  const rig = await new GsmRig().open()
  t.teardown(() => rig.close())
  await rig.is('ready')
  const device = await rig.host.open()
  const changed = Promise.withResolvers<void>()
  const other = createGsmTrunk({ id: 'gsm1', number: '', log: silent, device, baudRate: 115_200, reports: true, ...quick })
  other.start({
    received: async () => undefined,
    report: async () => undefined,
    statusChanged: () => other.status().state === 'in-use' && changed.resolve(),
  })
  t.teardown(() => other.stop())
  await changed.promise
  t.match(other.status().text, /in use by another program/)
})
