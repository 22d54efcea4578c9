/** An application that is dead, slow, lying or crashing: each row of the failure table, as the caller lives through it. */
import t from 'tap'
import { findClip, rms, speech } from '../harness/audio.ts'
import { gzipped, type Answer } from '../harness/app.ts'
import { secret } from '../harness/daemon.ts'
import { listens } from '../harness/ears.ts'
import { Scene, eventually, pause } from '../harness/scene.ts'

/** Each number has an endpoint of its own, so that no test opens the circuit of another. */
const lines = Array.from({ length: 14 }, (_, n) => ({ id: `app${n}`, number: `+155500011${String(n).padStart(2, '0')}` }))

const scene = await Scene.open({
  settings: (base) => {
    const app = ((base['voice'] as any).endpoints[0].controlUrl as string).replace('/voice', '')
    const common = { secret, statusCallbackUrl: `${app}/status` }
    base['voice'] = {
      endpoints: [
        ...lines.map(({ id }) => ({ id, controlUrl: `${app}/voice`, ...common })),
        { id: 'withurl', controlUrl: `${app}/broken`, fallbackUrl: `${app}/fallback`, ...common },
        { id: 'dead', controlUrl: 'http://127.0.0.1:9/nobody', ...common },
        { id: 'desk', controlUrl: `${app}/broken`, fallbackDestination: '101', ...common },
      ],
    }
    const numbers = [
      ...lines,
      { id: 'withurl', number: '+15550001201' },
      { id: 'dead', number: '+15550001202' },
      { id: 'desk', number: '+15550001203' },
    ]
    ;(base['trunks'] as any)[0].numbers.push(...numbers.map((n) => n.number))
    base['inbound'] = numbers.map((n) => ({ trunk: 'main', to: n.number, destination: `endpoint:${n.id}` }))
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const welcome = 'Welcome to Riverside Clinic.'
const goodbye = 'Goodbye, and thank you for calling.'
const filler = 'One moment please.'

interface Row {
  readonly name: string
  readonly answer: Answer
  readonly attempts: 1 | 2
  /** Milliseconds between the attempts. */
  readonly between?: readonly [number, number]
}

const rows: Row[] = [
  { name: 'a reset before the headers', answer: 'reset', attempts: 2, between: [200, 900] },
  { name: '503 with Retry-After 1', answer: { status: 503, headers: { 'retry-after': '1' } }, attempts: 2, between: [950, 1900] },
  { name: '429', answer: { status: 429 }, attempts: 2, between: [450, 1200] },
  { name: '502', answer: { status: 502 }, attempts: 2, between: [450, 1200] },
  { name: '500', answer: { status: 500, body: '{"error":"no"}' }, attempts: 1 },
  { name: '404', answer: { status: 404 }, attempts: 1 },
  { name: '401, which raises an alert about the secret', answer: { status: 401 }, attempts: 1 },
  { name: '302, not followed', answer: { status: 302, headers: { location: '/elsewhere' } }, attempts: 1 },
  { name: 'text that is no JSON', answer: { body: '<html>oops</html>' }, attempts: 1 },
  { name: 'an unknown verb after a good one', answer: [{ say: { text: welcome } }, { dance: {} }], attempts: 1 },
  { name: 'more than 64 KiB', answer: Array.from({ length: 30 }, () => ({ say: { text: 'x'.repeat(3000) } })), attempts: 1 },
  {
    name: 'more than 64 KiB after decoding',
    answer: gzipped(Array.from({ length: 30 }, () => ({ say: { text: 'x'.repeat(3000) } }))),
    attempts: 1,
  },
  { name: 'more than 100 verbs', answer: Array.from({ length: 101 }, () => ({ pause: { seconds: 0.1 } })), attempts: 1 },
]

t.test('each failure: so many attempts with one eventId, nothing of a refused document, an apology, call.ended app-error', async (t) => {
  const rowOf = (number: string) => rows[lines.findIndex((line) => line.number === number)]
  app.script = (e) => rowOf(e.to)?.answer ?? []
  const calls = await Promise.all(
    rows.map(async (row, n) => ({ row, number: lines[n]?.number ?? '', caller: await scene.call({ to: lines[n]?.number ?? '' }) })),
  )
  for (const { row, number, caller } of calls) {
    t.comment(row.name)
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    const { event } = await app.until('call.ended', (e) => e.to === number)
    t.match(event, { endReason: 'app-error', endedBy: 'system' }, row.name)
    const asked = app.received.filter((r) => r.event.event === 'call.inbound.pre_route' && r.event.to === number)
    t.equal(asked.length, row.attempts, `${row.name}: attempts`)
    t.equal(new Set(asked.map((r) => r.event.eventId)).size, 1, 'one eventId')
    t.same(
      asked.map((r) => r.attempt),
      row.attempts === 2 ? [1, 2] : [1],
    )
    if (row.between) {
      const between = (asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)
      t.ok(between >= row.between[0] && between <= row.between[1], `${between.toFixed(0)} ms between the attempts`)
    }
    t.ok(rms(caller.rtp.heard()) > 100, `${row.name}: an apology was heard`)
    t.not(caller.rtp.heardText(welcome).whole, true, `${row.name}: nothing of the refused document`)
    const said = JSON.stringify(daemon.log.filter((l) => JSON.stringify(l).includes(event.callId)))
    t.match(said, '/voice', 'the log names the URL with the call')
    if (row.name.startsWith('401')) t.match(said, /secret/, 'an alert about the secret')
  }
  t.same(await scene.finish(), [])
})

t.test('gzip, a missing content type and an absent fault are accepted', async (t) => {
  const free = lines[13]?.number ?? ''
  for (const answer of [
    gzipped([{ say: { text: welcome } }]),
    { headers: { 'content-type': 'text/plain' }, body: JSON.stringify([{ say: { text: welcome } }]) },
  ]) {
    app.script = () => answer
    const caller = await scene.call({ to: free })
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    t.ok(caller.rtp.heardText(welcome).whole)
    t.match((await app.until('call.ended')).event, { endReason: 'document-end' })
    t.same(await scene.finish(), [])
    app.reset()
  }
})

t.test('one bad answer out of two is retried and the caller notices nothing', async (t) => {
  app.script = (_, r) => (r.attempt === 1 ? 'reset' : [{ say: { text: welcome } }])
  const caller = await scene.call({ to: lines[13]?.number ?? '' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(welcome).whole)
  t.match((await app.until('call.ended')).event, { endReason: 'document-end' })
  t.same(await scene.finish(), [])
})

t.test('a refused connection ends in an apology; after five calls the endpoint is not asked for a while', async (t) => {
  const waits: number[] = []
  for (let i = 0; i < 6; i++) {
    const began = performance.now()
    const caller = await scene.call({ to: '+15550001202' })
    const waited = (await caller.rtp.sound()) - began
    t.comment(`call ${i + 1}: apology after ${waited.toFixed(0)} ms`)
    if (i < 5) waits.push(waited)
    else t.ok(waited < waits.toSorted((a, b) => a - b)[2]!, `${waited.toFixed(0)} ms: with the circuit open no retry is waited for`)
    await caller.hangup()
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    await scene.finish()
  }
  const status = await daemon.pbx('status')
  t.match(status.out + status.error, '127.0.0.1:9/nobody', 'pbx status names the endpoint that is down')
})

t.test('fallbackUrl gets one POST with the same body, and its document runs', async (t) => {
  app.script = (_, r) => (r.path === '/fallback' ? [{ say: { text: goodbye } }] : { status: 500 })
  const caller = await scene.call({ to: '+15550001201' })
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(caller.rtp.heardText(goodbye).whole)
  const [first, second] = app.received
  t.same([first?.path, second?.path], ['/broken', '/fallback'])
  t.equal(second?.body, first?.body)
  t.match((await app.until('call.ended')).event, { endReason: 'document-end' })
  t.same(await scene.finish(), [])
})

t.test('fallbackDestination takes the caller to the desk phone', async (t) => {
  const { Baresip } = await import('../harness/baresip.ts')
  const desk = scene.keep(
    await Baresip.start({ registrar: `127.0.0.1:${daemon.sipPort}`, user: '101', password: 'a-long-password', autoAnswer: true }),
  )
  await desk.until('REGISTER_OK')
  app.script = () => ({ status: 500 })
  const caller = await scene.call({ to: '+15550001203' })
  await desk.until('CALL_ESTABLISHED')
  await caller.rtp.sound()
  await listens(caller.rtp, 800)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await desk.until('CALL_CLOSED')
  t.match((await app.until('call.ended')).event, { state: 'completed', endedBy: 'caller' })
  t.same(await scene.finish(), [])
})

t.test(
  'while the application thinks the caller hears a phrase after 3 s; after 10 s an apology; neither a late nor a half answer counts',
  async (t) => {
    const late = lines[12]?.number ?? ''
    const cut = lines[11]?.number ?? ''
    app.script = (e) => {
      if (e.to === cut) return 'half'
      if (e.event === 'call.inbound.pre_route') return [{ gather: { numDigits: 1, timeout: 0 } }]
      return { delayMs: 11500, body: JSON.stringify([{ say: { text: welcome } }]) }
    }
    const other = await scene.call({ to: cut })
    const caller = await scene.call({ to: late })
    const { at } = await app.until('gather.completed')
    await caller.rtp.sound(at)
    const first = caller.rtp.lastSound() - at
    t.ok(first > 2800, `the phrase began after ${first.toFixed(0)} ms`)
    t.equal(await caller.sip.exit, 0, caller.sip.failure())
    const heard = caller.rtp.heard()
    t.ok(findClip(heard, speech(filler)).whole, filler)
    t.not(findClip(heard, speech(welcome)).whole, true)
    t.ok(caller.rtp.lastSound() - at > 10000, 'the apology came after 10 s')
    for (const number of [late, cut]) t.match((await app.until('call.ended', (e) => e.to === number)).event, { endReason: 'app-error' })
    t.equal(await other.sip.exit, 0, other.sip.failure())
    t.equal(app.received.filter((r) => r.event.event === 'gather.completed').length, 1, 'no second attempt')
    t.same(await scene.finish(), [])
  },
)

t.test('the daemon is as healthy after all this as before', async (t) => {
  await eventually('no call left', async () =>
    (await daemon.api('GET', '/api/voice/calls')).body.calls?.every(
      (c: any) => c.endedAt || /completed|failed|canceled|busy|no-answer/.test(c.state),
    ),
  )
  t.equal((await fetch(`${daemon.http}/readyz`)).status, 200)
  const faults = daemon.log.filter((l) => l.unparsed || Number(l.level) >= 50 || l.level === 'error' || l.level === 'fatal')
  t.same(
    faults.filter((l) => /TypeError|ReferenceError|unhandled|uncaught/i.test(JSON.stringify(l))),
    [],
  )
})
