/** A call that is connected to somebody: its outcome is reported as it was, and the called party belongs to the call. */
import type { Static } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import type { LegEnd } from '../../drivers/line.ts'
import { dialStatusOf, takenOf } from '../../daemon/routing/taken.ts'
import type { CallSchema } from '../../daemon/schema/voice-api.ts'
import { callView } from '../../daemon/voice/live.ts'
import type { DocumentVerb } from '../../daemon/voice/verb.ts'
import { Ground, SessionStage, type StageOptions } from '../voice/session-stage.ts'
import type { WireLeg } from '../voice/wire.ts'

const actionUrl = 'http://app.test/routed'
const ground = await Ground.open(t)

const route = (params: Record<string, unknown> = {}): DocumentVerb => ({
  name: 'route',
  params: { to: '101', timeout: 30, actionUrl, ...params },
})

/** A caller whose application has just handed the call to a phone, which is dialled. */
async function routed(t: Test, params: Record<string, unknown> = {}, options: StageOptions = {}): Promise<[SessionStage, WireLeg]> {
  const stage = new SessionStage(ground, options)
  t.teardown(() => stage.finish())
  await stage.begin([{ gather: { timeout: 60 } }], 'gather')
  await stage.live.run(stage.call.id, [route(params)], 'http://app.test/voice')
  await stage.until('the phone is dialled', () => stage.phones.length === 1)
  return [stage, stage.phones[0]!]
}

const rejected = (sipCode: number, by: LegEnd['by'] = 'remote', reason: LegEnd['reason'] = 'rejected'): LegEnd => ({
  by,
  reason,
  sipCode,
  cause: 17,
  text: '',
})

t.test('the words for what became of a leg: those of the states of a call', async (t) => {
  for (const [end, outcome, status] of [
    [rejected(486), 'busy', 'busy'],
    [rejected(600), 'busy', 'busy'],
    [rejected(603), 'refused', 'busy'],
    [rejected(480), 'no-answer', 'no-answer'],
    [rejected(480, 'system', 'failed'), 'unreachable', 'no-answer'],
    [rejected(408, 'system', 'no-answer'), 'no-answer', 'no-answer'],
    [rejected(0, 'system', 'no-answer'), 'no-answer', 'no-answer'],
    [rejected(0, 'system', 'unreachable'), 'unreachable', 'failed'],
    [rejected(0, 'system', 'driver-lost'), 'failed', 'failed'],
    [rejected(487, 'local', 'canceled'), 'canceled', 'failed'],
    [rejected(404), 'failed', 'failed'],
    [rejected(503), 'failed', 'failed'],
  ] as const) {
    const taken = takenOf(end)
    t.equal(taken.outcome, outcome, JSON.stringify(end))
    t.equal(dialStatusOf(taken), status, JSON.stringify(end))
  }
})

t.test('route.completed says what the phone said: busy is not "no answer"', async (t) => {
  for (const [end, dialStatus] of [
    [rejected(486), 'busy'],
    [rejected(603), 'busy'],
    [rejected(408, 'system', 'no-answer'), 'no-answer'],
    [rejected(500), 'failed'],
  ] as const) {
    const [stage, phone] = await routed(t)
    stage.clock.advance(1500)
    phone.end(end)
    const { path, event } = await stage.attempt(2)
    t.equal(path, '/routed')
    t.match(event, { event: 'route.completed', dialStatus, durationMs: 1500 })
    t.match(stage.call.row.legs, [{ to: '101', trunkId: '', sipCode: end.sipCode, answeredAt: null, endedAt: stage.clock.now() }])
    t.equal(stage.call.row.activity, 'app', 'the application has the call again')
  }
})

t.test('the phone rings as long as the verb says', async (t) => {
  const [stage] = await routed(t, { timeout: 12 })
  t.match(stage.dials, [{ via: { kind: 'extension' }, to: '101', from: '+15551230001', timeoutSeconds: 12 }])
})

t.test('who answers hears the announcement first; the caller hears it ring until then', async (t) => {
  const [stage, phone] = await routed(t, { announce: 'A call about an appointment.' })
  phone.onEvent({ type: 'ringing', sipCode: 180, earlyMedia: false })
  phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
  await stage.until('the announcement', () => phone.played.length > 0)
  t.same(
    phone.played.map(({ text }) => text),
    ['A call about an appointment.'],
  )
  await stage.quiet()
  t.equal(stage.leg.bridged, null, 'they do not hear each other yet')
  t.equal(stage.leg.queue.at(0)?.text, 'ringback', 'the caller hears it ring')
  phone.heard()
  await stage.until('connected', () => stage.leg.bridged === phone)
  t.same(stage.leg.queue, [], 'the ringing is over')
  t.equal(stage.call.row.activity, 'routed')
})

t.test('who hangs up during the announcement has declined', async (t) => {
  const [stage, phone] = await routed(t, { announce: 'A call about an appointment.' })
  phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
  await stage.until('the announcement', () => phone.played.length > 0)
  phone.hangUp()
  t.match((await stage.attempt(2)).event, { event: 'route.completed', dialStatus: 'busy' })
  t.equal(stage.leg.bridged, null)
})

t.test('with an actionUrl the caller stays when the phone hangs up, without one the call ends', async (t) => {
  for (const stays of [true, false]) {
    const [stage, phone] = await routed(t, stays ? {} : { actionUrl: undefined })
    phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
    await stage.until('connected', () => stage.leg.bridged === phone)
    t.match(stage.call.row.legs, [{ to: '101', state: 'in-progress' }])
    stage.clock.advance(20_000)
    phone.hangUp()
    if (stays) {
      t.match((await stage.attempt(2)).event, { event: 'route.completed', dialStatus: 'answered', durationMs: 20_000 })
      t.equal(stage.leg.endedBy, null)
      stage.attempts[1]!.answer(200, [{ hangup: {} }])
    }
    await stage.until('the end', () => {
      // The tail of the last document.
      stage.leg.heard()
      return stage.call.row.endedAt !== null
    })
    t.equal(stage.call.row.endReason, stays ? 'app-hangup' : 'routed-ended')
    t.match(stage.call.row.legs, [{ to: '101', state: 'completed' }])
  }
})

t.test('without an actionUrl a phone that does not answer leads to the fallback destination', async (t) => {
  const [stage, phone] = await routed(t, { actionUrl: undefined }, { fallbackDestination: true })
  phone.end(rejected(486))
  await stage.until('the fallback rings', () => stage.phones.length === 2)
  t.same(
    stage.call.row.legs?.map(({ state }) => state),
    ['busy', 'dialing'],
  )
  t.equal(stage.named('route.completed').length, 0)
})

t.test('a caller who leaves releases the phone, and the row of the call knows how far it was', async (t) => {
  for (const answered of [false, true]) {
    const [stage, phone] = await routed(t)
    if (answered) {
      phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
      await stage.until('connected', () => stage.leg.bridged === phone)
    }
    stage.leg.hangUp()
    t.equal(phone.endedBy, 'us')
    await stage.call.settled
    const { legs } = ground.store.tables.calls.get(stage.call.id)!
    t.match(legs, [{ to: '101', state: answered ? 'completed' : 'canceled', sipCode: 0 }])
    t.type(legs?.[0]?.endedAt, 'number')
    const { legs: shown } = callView(stage.live.row(stage.call.id)) as Static<typeof CallSchema>
    t.match(shown, [{ to: '101', state: legs![0]!.state, startedAt: /^2026-.*Z$/, endedAt: /^2026-.*Z$/ }], 'as the API shows it')
    t.equal(stage.named('route.completed').length, 0)
    const texts = stage.trace.map(({ text }) => text)
    t.ok(texts.includes('ringing extension 101'), 'traced with the call')
  }
})

t.test('two legs of different line drivers are not joined: the phone is released, and it is told', async (t) => {
  const [stage, phone] = await routed(t)
  phone.onEvent({ type: 'answered', codec: 'PCMU', secure: false })
  stage.leg.bridge = () => false
  t.match((await stage.attempt(2)).event, { event: 'route.completed', dialStatus: 'failed' })
  t.equal(phone.endedBy, 'us')
  t.equal(stage.leg.endedBy, null)
})
