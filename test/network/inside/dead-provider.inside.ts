/** A provider that is dead for an hour, of which the engine's clock makes half a minute: what a clinic sees, and what the provider's network does. */
import { closeSync, openSync, writeSync } from 'node:fs'
import t from 'tap'
import { pause, sipGivesUpMs, trunk } from '../../engine/engine.ts'
import { compiled } from '../../engine/instant.ts'
import { Dialog, SipPeer, type SipMessage } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { office, sipPort, site, wan } from './site.ts'

const hour = 3600
const faster = 120

const rateFile = `${t.testdir()}/rate`
const rate = openSync(rateFile, 'w')
/** From now on time goes so many times faster for the engine. */
const goes = (times: number): void => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(times))
  writeSync(rate, bytes, 0, 8, 0)
}
goes(1)

const clock = compiled('faster-clock', ['-shared', '-fPIC'], import.meta.dirname)
const { box, engine } = await site({}, { LD_PRELOAD: clock, CLOCK_RATE: rateFile })
const provider = await SipPeer.udp(sipPort, wan.provider, wan.box)
const other = await SipPeer.udp(sipPort, office.phone, office.box)
t.teardown(async () => (provider.close(), other.close(), await engine.stop(), box.close(), closeSync(rate)))

const registers = (): number => provider.received.filter((message) => message.method === 'REGISTER').length
const questions = (): number => provider.received.filter((message) => message.method === 'OPTIONS').length
/** A call out by the provider's line, or by the other one. */
const dial = async (id: string): Promise<Record<string, unknown>> => {
  const leg = engine.dial({ trunk: id, to: '+15551230001' })
  if (id === 'other') other.answer(await other.request('INVITE'), 486)
  return engine.next('ended', { leg }, 20_000)
}

await engine.configure({
  trunks: [
    trunk(`${wan.provider}:${provider.port}`, { register: true, username: 'clinic', password: 'secret', keepAliveSeconds: 5 }),
    trunk(`${office.phone}:${other.port}`, { id: 'other' }),
  ],
})
const first = await provider.request('REGISTER')
provider.answer(first, 200, { headers: [`Contact: ${first.header('Contact')};expires=300`] })
await engine.next('trunk', { id: 'main', state: 'registered' })

await t.test('it is seen within ten seconds, and calls find out in four', async (t) => {
  provider.answersOptions = false
  await engine.next('trunk', { id: 'main', state: 'unreachable' }, 10_000)
  const began = performance.now()
  t.match(await dial('main'), { by: 'system', reason: 'unreachable', code: 0 })
  t.ok(performance.now() - began < sipGivesUpMs)
  t.match(await dial('other'), { by: 'remote', code: 486 }, 'the other line works')
})

await t.test('an hour of it is no storm', async (t) => {
  provider.received.length = 0
  goes(faster)
  await pause((hour / faster) * 1000)
  goes(1)
  t.ok(registers() >= 3, `${registers()} registrations were tried`)
  t.ok(registers() <= 40, 'and no more than that')
  t.ok(questions() > 50, `it was asked ${questions()} times whether it is there`)
  t.same(engine.of('trunk', { id: 'main', state: 'registered' }), [])
  engine.send('ping', { n: 1 })
  t.equal((await engine.next('pong', { n: 1 }))['legs'], 0)
  t.match(await dial('other'), { by: 'remote', code: 486 }, 'the other line still works')
})

await t.test('and within ten seconds of its return all is as before', async (t) => {
  provider.answersOptions = true
  const accept = (request: SipMessage) => provider.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
  // One may be on its way since before, and is repeated now.
  const last = provider.received.findLast((message) => message.method === 'REGISTER')
  provider.received.length = 0
  if (last) accept(last)
  void provider.request('REGISTER', 10_000).then(accept, () => undefined)
  await engine.next('trunk', { id: 'main', state: 'registered' }, 10_000)
  // A daemon that has asked once, and is silent since, takes no calls.
  engine.send('ping', { n: 2 })
  const call = new Dialog(provider)
  call.invite('+15550001000', { body: sdp(4000, { address: wan.provider }) })
  const { leg } = await engine.next('invite')
  engine.send('answer', { leg })
  t.equal((await call.answered()).status, 200)
  engine.send('hangup', { leg })
  provider.answer(await call.request('BYE'), 200)
  await engine.next('ended', { leg })
  const out = engine.dial({ trunk: 'main', to: '+15551230002' })
  provider.answer(await provider.request('INVITE'), 486)
  t.match(await engine.next('ended', { leg: out }), { by: 'remote', code: 486 })
})
