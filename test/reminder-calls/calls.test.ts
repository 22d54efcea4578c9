/** Reminder calls from the dialling to the result, on the simulated line. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { SimAnswer, SimStep } from '../../drivers/sim/driver.ts'
import { recoverCalls } from '../../daemon/routing/recovery.ts'
import { createLog } from '../../daemon/base/log.ts'
import { parseDocument } from '../../daemon/voice/document.ts'
import { originateRow } from '../../daemon/voice/originate-request.ts'
import { concat, silence, speech, tone } from '../harness/audio.ts'
import { fastClock, Stage } from './stage.ts'

t.setTimeout(240_000)

const answers = (...script: SimStep[]) => ({ answer: (): SimAnswer => ({ kind: 'answer', afterMs: 200, script }) })
const press = (digits: string): SimStep[] => [{ do: 'wait-prompts' }, { do: 'press', digits }]
const opening = /Hello Maria\..*Riverside Clinic.*Monday, March ninth/

t.test('a key is kept before it is confirmed, and the callee hears what it meant', async (t) => {
  for (const [keys, outcome, said] of [
    ['1', 'confirmed', /Your appointment is confirmed\. Goodbye\.$/],
    ['3', 'reschedule', /need another time.*Goodbye\.$/],
    ['*', 'opted-out', /reminders any more\. Goodbye\.$/],
  ] as const) {
    const stage = await Stage.open(t, answers(...press(keys)))
    const { result, callId, told } = await stage.place()
    t.same(result, { kind: 'answer', outcome, reason: 'keypad' })
    t.match(stage.said(), opening)
    t.match(stage.said(), said, outcome)
    t.equal(told[0], 'in-call')
    t.match(told[1], new RegExp(`^decided ${outcome} keypad after: .*press star`), 'nothing was confirmed before')
    t.match(stage.live.row(callId), { state: 'completed', endReason: 'app-hangup', answeredBy: 'human', endpointId: 'internal:reminders' })
    t.match(stage.trace(callId), /application reminders/)
    t.equal(stage.store.tables.outbox.count(), 0, 'no callback of the call itself')
    await stage.close()
  }
})

t.test('2, 2 cancels; 2 and a hang-up does not; 9 repeats', async (t) => {
  const twice = await Stage.open(t, answers(...press('2'), ...press('2')))
  t.same((await twice.place()).result, { kind: 'answer', outcome: 'canceled', reason: 'keypad' })
  t.match(twice.said(), /press two again.*you cancel your appointment/)
  const once = await Stage.open(t, answers(...press('2'), { do: 'wait-prompts' }, { do: 'hangup' }))
  const { result, told } = await once.place()
  t.same(result, { kind: 'no-input' })
  t.same(told, ['in-call'])
  const again = await Stage.open(t, answers(...press('9'), ...press('1')))
  t.match((await again.place()).result, { outcome: 'confirmed' })
  t.equal(again.said().match(/Hello Maria/g)?.length, 2)
})

t.test('a key that comes twice within 0.7 s is one press: a second one cancels only once the question has begun', async (t) => {
  // As long as people hear it.
  const said = (...script: SimStep[]) => ({ ...answers(...script), msPerLetter: 40 })
  const doubled = (ms: number): SimStep[] => [...press('2'), { do: 'wait', ms }, { do: 'press', digits: '2' }]
  for (const ms of [100, 300]) {
    const bounced = await Stage.open(t, said(...doubled(ms), { do: 'wait-prompts' }, { do: 'hangup' }))
    const { result, told } = await bounced.place()
    t.same([result, told], [{ kind: 'no-input' }, ['in-call']], `${ms} ms later`)
    t.ok((bounced.said().match(/press two again/g)?.length ?? 0) >= 1, 'the question is asked')
    await bounced.close()
  }
  const meant = await Stage.open(t, said(...doubled(1600)))
  t.same((await meant.place()).result, { kind: 'answer', outcome: 'canceled', reason: 'keypad' }, 'into the question, and meant')
  const after = await Stage.open(t, said(...doubled(300), ...press('2')))
  t.match((await after.place()).result, { outcome: 'canceled' }, 'and behind it')
  const wrong = await Stage.open(t, said(...press('7'), { do: 'wait', ms: 200 }, { do: 'press', digits: '7' }, ...press('1')))
  t.match((await wrong.place()).result, { outcome: 'confirmed' }, 'a wrong key that bounces is one wrong key')
})

t.test('a callee who hangs up on the key has decided; a decision that cannot be kept is not confirmed', async (t) => {
  const slow = await Stage.open(t, answers(...press('1'), { do: 'hangup' }))
  slow.keep = () => new Promise((resolve) => setTimeout(resolve, 150))
  t.match((await slow.place()).result, { kind: 'answer', outcome: 'confirmed' })
  t.notMatch(slow.said(), /confirmed/)

  const full = await Stage.open(t, answers(...press('1')))
  full.keep = () => Promise.reject(new Error('the disk is full'))
  const { result, callId } = await full.place()
  t.match(result, { kind: 'failed' })
  t.notMatch(full.said(), /confirmed/)
  t.match(full.said(), /apology$/)
  t.match(full.live.row(callId), { endReason: 'app-error' })
  t.match(full.alerts[0], /application-failed: .*disk is full/)
})

t.test('silence: all is said once more, then goodbye; a wrong key is told', async (t) => {
  const silent = await Stage.open(t, answers())
  const { result } = await silent.place()
  t.same(result, { kind: 'no-input' })
  t.equal(silent.said().match(/Hello Maria/g)?.length, 2)
  t.match(silent.said(), /press star\. Goodbye\.$/)
  const wrong = await Stage.open(t, answers(...press('7'), ...press('#')))
  t.same((await wrong.place()).result, { kind: 'no-input' })
  t.match(wrong.said(), /no meaning here\. To confirm.*Goodbye\.$/)
})

t.test('busy, no answer, declined and refused calls', async (t) => {
  const refuse = (sipCode: number) => (): SimAnswer => ({ kind: 'refuse', sipCode })
  for (const [answer, expected] of [
    [(): SimAnswer => ({ kind: 'busy' }), { kind: 'busy' }],
    [refuse(600), { kind: 'busy' }],
    [(): SimAnswer => ({ kind: 'no-answer' }), { kind: 'no-answer' }],
    [refuse(480), { kind: 'no-answer' }],
    [refuse(487), { kind: 'no-answer' }],
    [refuse(603), { kind: 'no-answer' }],
    [refuse(404), { kind: 'failed', text: 'the network answered 404' }],
    [refuse(484), { kind: 'failed', text: 'the network answered 484' }],
    [refuse(503), { kind: 'failed', text: 'the network answered 503' }],
  ] as const) {
    const stage = await Stage.open(t, { answer })
    const { result, callId, told } = await stage.place()
    t.same(result, expected)
    t.same(told, [])
    t.equal(stage.caller.fate(callId), 'dialed')
    await stage.close()
  }
})

const greeting = () =>
  concat(silence(200), speech('You have reached Maria Lopez. I cannot take your call. Please leave a message after the tone.'))

t.test('a machine gets one generic message behind its beep', async (t) => {
  const audio = concat(greeting(), silence(500), tone(1000, 400))
  const stage = await Stage.open(t, answers({ do: 'speak', samples: audio }))
  const { result, callId, told } = await stage.place({ language: 'en-US' })
  t.same(result, { kind: 'voicemail' })
  t.same(told, ['in-call'])
  t.match(stage.said(), /^Hello\. This is Riverside Clinic, with a reminder of an appointment\. Please call us at.*Goodbye\.$/)
  t.notMatch(stage.said(), /Maria|March|Teeth|Wu|press/)
  const first = stage.heard.find((notice) => notice.type === 'heard' && notice.kind === 'clip') as { startedMs: number }
  const answered = stage.heard.find((notice) => notice.type === 'answered')!
  t.ok(
    first.startedMs - answered.atMs > audio.length / 8,
    `begun ${first.startedMs - answered.atMs} ms after the answer, the beep ended at ${audio.length / 8}`,
  )
  t.match(stage.live.row(callId), { answeredBy: 'machine', endReason: 'app-hangup' })
})

t.test('a machine without a beep gets it behind its last word; one that hangs up has kept nothing', async (t) => {
  const stage = await Stage.open(t, answers({ do: 'speak', samples: greeting() }))
  t.same((await stage.place()).result, { kind: 'voicemail' })
  t.match(stage.said(), /^Hello\. This is Riverside Clinic/)
  const full = await Stage.open(t, answers({ do: 'speak', samples: greeting() }, { do: 'hangup' }))
  t.same((await full.place()).result, { kind: 'no-answer' })
})

t.test('a machine with a short greeting is told by its beep, and gets the message from the beginning', async (t) => {
  const audio = concat(speech('Hi, this is Maria.'), silence(1200), speech('Leave a message.'), silence(300), tone(1400, 500))
  const stage = await Stage.open(t, answers({ do: 'speak', samples: audio }))
  const { result, callId } = await stage.place()
  t.same(result, { kind: 'voicemail' })
  t.match(stage.said(), /Hello Maria.*Hello\. This is Riverside Clinic, with a reminder of an appointment\..*Goodbye\.$/)
  t.match(stage.trace(callId), /a beep: an answering machine/)
})

t.test('a person who says hello is spoken to; a key during a long hello is a person', async (t) => {
  const hello: SimStep = { do: 'speak', samples: concat(silence(200), speech('Hello?')) }
  const stage = await Stage.open(t, answers(hello, ...press('1')))
  t.match((await stage.place()).result, { outcome: 'confirmed' })
  t.match(stage.said(), /^Hello Maria/)
  const talker = await Stage.open(t, {
    answer: () => ({ kind: 'answer', script: [{ do: 'speak', samples: greeting() }, { do: 'press', digits: '5' }, ...press('1')] }),
  })
  t.match((await talker.place()).result, { outcome: 'confirmed' })
})

t.test('0 reaches the reception, and when nobody is there the menu comes back without it', async (t) => {
  const desk = (there: boolean) => ({
    reminders: { reception: '101' },
    answer: ({ via }: { via: { kind: string } }): SimAnswer =>
      via.kind === 'trunk'
        ? {
            kind: 'answer',
            script: [...press('0'), ...(there ? [{ do: 'wait', ms: 3000 } as const, { do: 'hangup' } as const] : press('1'))],
          }
        : there
          ? { kind: 'answer', afterMs: 500 }
          : { kind: 'busy' },
  })
  const open = await Stage.open(t, desk(true))
  const { result, callId } = await open.place()
  t.same(result, { kind: 'reception' })
  t.match(open.said(), /press zero/)
  t.match(open.trace(callId), /extension 101 answered/)
  const impatient = await Stage.open(t, {
    reminders: { reception: '101' },
    answer: ({ via }) =>
      via.kind === 'trunk'
        ? { kind: 'answer', script: [...press('0'), { do: 'wait', ms: 3000 }, { do: 'hangup' }] }
        : { kind: 'no-answer' },
  })
  t.same((await impatient.place()).result, { kind: 'no-input' }, 'a ringing reception settles nothing')
  const closed = await Stage.open(t, desk(false))
  t.match((await closed.place()).result, { outcome: 'confirmed' })
  t.match(closed.said(), /Nobody at the reception.*To confirm/)
})

t.test('the longest call under the rules for health care is a minute', async (t) => {
  const stage = await Stage.open(t, { ...answers({ do: 'hold' }, { do: 'wait', ms: 300_000 }), reminders: { preset: 'us-health-exempt' } })
  const { result, callId } = await stage.place()
  t.same(result, { kind: 'no-input' })
  const row = stage.live.row(callId)
  t.equal(row.maxSeconds, 60)
  t.ok(row.talkSeconds <= 61, `${row.talkSeconds} s`)
  t.match(stage.said(), /Riverside Clinic, five five five/)
})

t.test('lines: the last free channel stays free, and a call that cannot be placed says so', async (t) => {
  const stage = await Stage.open(t, { channels: 3, answer: () => ({ kind: 'no-answer' }) })
  const { trunks } = stage.routing
  const request = stage.request()
  const line = stage.claim()
  const other = stage.claim()
  t.equal(trunks.used('main'), 2, 'a claim holds its channel before anything is written')
  t.equal(stage.caller.claim(request.number), null, 'the last one is not for reminders')
  other.release()
  other.release()
  t.equal(trunks.used('main'), 1, 'given back once')
  await stage.store.transaction(() => line.prepare(request))
  const abort = new AbortController()
  const running = line.call(request, { inCall: () => undefined, decided: async () => undefined }, abort.signal)
  await stage.until('dialling', () => stage.dials === 1)
  t.equal(trunks.used('main'), 1)
  line.release()
  t.equal(trunks.used('main'), 1, 'the call holds it now')
  t.equal(stage.live.list('live', 10)[0]?.callId, request.callId)
  t.equal(stage.caller.fate(request.callId), 'dialed')
  abort.abort()
  t.match(await running, { kind: 'failed', text: 'the call was canceled' })
  t.equal(trunks.used('main'), 0)

  const { result, callId } = await stage.place({}, AbortSignal.abort())
  t.match(result, { kind: 'not-placed' })
  t.equal(stage.caller.fate(callId), 'never-dialed')
  t.match(stage.live.row(callId), { state: 'failed' })
  for (const number of ['+19005551234', '+442079460000'])
    t.match((await stage.place({ number })).result, { kind: 'failed', text: /Premium-rate|Numbers of GB/ })
  t.equal(stage.dials, 1)
  t.equal(trunks.used('main'), 0)
  t.ok((await Stage.open(t, { channels: 1 })).claim(), 'a line with one channel is no use otherwise')
})

t.test('after a crash nobody dials again but the planner, who learns how far the call was', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-reminder-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const before = await Stage.open(t, { dir })
  const request = before.request()
  await before.store.transaction(() => before.claim().prepare(request))
  const rows = before.store.tables.calls
  const dialled = { ...rows.get(request.callId)!, callId: before.request().callId, state: 'dialing' as const, startedAt: fastClock.now() }
  const talking = { ...dialled, callId: before.request().callId, state: 'in-progress' as const, answeredAt: fastClock.now() }
  await before.store.transaction(() => {
    for (const row of [dialled, talking]) rows.put(row.callId, row)
  })
  await before.close()
  const after = await Stage.open(t, { dir })
  const fates = () => [request, dialled, talking].map(({ callId }) => after.caller.fate(callId))
  t.same(fates(), ['never-dialed', 'dialed', 'answered'])
  const { store, calls, originator } = after
  t.equal(
    recoverCalls({ store, calls, originator, clock: fastClock, log: createLog({ level: 'silent' }), tellInputs: async () => undefined }),
    3,
  )
  await after.until('the rows are settled', () => calls.live().length === 0)
  t.same(fates(), ['never-dialed', 'dialed', 'answered'])
  t.equal(after.dials, 0)
  t.equal(after.caller.fate('CA00000000000000000000000000000000'), 'never-dialed')
  t.match(after.live.row(request.callId), { state: 'failed', endReason: 'failed' })
})

t.test('nothing from outside reaches an application of the daemon', async (t) => {
  const stage = await Stage.open(t, answers({ do: 'wait', ms: 60_000 }))
  const done = stage.place()
  const call = await stage.until('the call', () => stage.calls.live().find((one) => one.answered && one.row.documents > 0))
  for (const url of ['internal:reminders', ' INTERNAL:reminders'])
    await t.rejects(stage.live.redirect(call.id, url), { code: 'validation_failed' }, url)
  // A document put in through the API is one from outside: its result goes to no function.
  void stage.live.run(
    call.id,
    [
      {
        name: 'gather',
        params: {
          input: 'dtmf',
          numDigits: 1,
          timeout: 0.1,
          interDigitTimeout: 3,
          endSilence: 0.8,
          bargeIn: 'any',
          typeAhead: false,
          sensitive: false,
        },
      },
    ],
    '',
  )
  t.match((await done).result, { kind: 'failed' })
  t.match(stage.alerts.join(), /requests must not go to this URL/)

  const url = 'internal:reminders'
  const context = { destinations: new Set(['101']) }
  for (const verb of [
    { redirect: { url } },
    { gather: { actionUrl: url } },
    { gather: { partialUrl: url } },
    { record: { actionUrl: url } },
    { play: { url } },
    { route: { to: '102' } },
  ])
    t.equal(parseDocument([verb], context).ok, false, JSON.stringify(verb))
  const policy = { allowLoopback: true, ownPorts: [] }
  const place = (body: object) => originateRow(stage.config, { control: policy, callback: policy }, { to: '+15559870000', ...body }, 0)
  for (const body of [{ controlUrl: url }, { endpoint: url }, { document: [], statusCallbackUrl: url }])
    t.throws(() => place(body), { code: 'validation_failed' }, JSON.stringify(body))
})
