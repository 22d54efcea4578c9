/** Where calls can be taken: one table answers the configuration, the dial plan and those who send a call on. */
import t from 'tap'
import { SecondLeg } from '../../daemon/calls/second-leg.ts'
import { canSendOn, checkExists, isMachine, receivesFaxes } from '../../daemon/routing/destinations.ts'
import { parseDestination } from '../../daemon/schema/destination.ts'
import { Box } from './stage.ts'

const groups = {
  ringGroups: [{ id: 'front', members: ['101'] }],
  queues: [{ id: 'nurses', members: ['101'] }],
  mailboxes: [{ ext: '200' }],
}

t.test('what exists, where a call may be sent on, what takes faxes', async (t) => {
  const { config } = await Box.open(t, { channels: 2, more: groups })
  const is = (text: string) => {
    const destination = parseDestination(text)!
    return {
      exists: checkExists(destination, config) === null,
      sendOn: canSendOn(text),
      faxes: receivesFaxes(text, true),
      evenWithoutRule: receivesFaxes(text, false),
    }
  }
  const none = { exists: false, sendOn: false, faxes: false, evenWithoutRule: false }
  t.same(is('101'), { ...none, exists: true, sendOn: true })
  t.same(is('102'), { ...none, sendOn: true })
  t.same(is('endpoint:none'), { ...none, faxes: true })
  t.same(is('fax'), { ...none, exists: true, faxes: true, evenWithoutRule: true })
  t.same(is('hangup'), { ...none, exists: true })
  t.same(is('group:front'), { ...none, exists: true, sendOn: true })
  t.same(is('queue:nurses'), { ...none, exists: true, sendOn: true })
  // An extension has a mailbox although none is named.
  for (const ext of ['101', '200']) t.same(is(`voicemail:${ext}`), { ...none, exists: true, sendOn: true, faxes: true })
  // Numbers of the house besides extensions, also those of a row that are in use no more.
  for (const text of ['park:', 'park:700', 'parked:701', 'parked:999']) {
    t.same(is(text), { ...none, exists: true, sendOn: true })
    t.equal(isMachine(text), true)
  }
  t.match(is('voicemail:999'), { exists: false })
  t.same(is('group:back'), { ...none, sendOn: true })
  t.match(checkExists(parseDestination('group:back')!, config), { what: 'ring group', name: 'back', known: ['front'] })
  t.same([canSendOn('nonsense'), receivesFaxes('nonsense', true)], [false, false])
})

t.test('a call that comes in is answered by what was found there', async (t) => {
  for (const [destination, sipCode, endReason] of [['hangup', 603, 'rejected']] as const) {
    const box = await Box.open(t, { channels: 2, more: { ...groups, inbound: [{ trunk: '*', to: '*', destination }] } })
    await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
    const leg = box.driver.call()
    const [call] = box.calls.live()
    await box.quiet()
    t.equal(leg.rejected, sipCode, destination)
    t.match(call?.row, { endReason }, destination)
    t.equal(box.routing.trunks.used('main'), 0, destination)
  }
  for (const end of [{ sipCode: 486 }, { sipCode: 603 }, { sipCode: 404 }, { by: 'system', reason: 'failed', sipCode: 480 }] as const) {
    const box = await Box.open(t, { channels: 2 })
    await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
    box.driver.call()
    const [call] = box.calls.live()
    await box.quiet()
    box.driver.legs[0]!.end({ by: 'remote', reason: 'rejected', ...end })
    await box.quiet()
    t.same(box.apologies, [[call!.id, 'nobody']], 'a caller from outside is told')
  }
  for (const [sipCode, told, endReason] of [
    [486, 486, 'busy'],
    [603, 486, 'busy'],
    [404, 480, 'no-answer'],
  ] as const) {
    const box = await Box.open(t, {
      channels: 2,
      more: { extensions: ['101', '102'].map((number) => ({ number, password: 'Pa55word-Pa55word' })) },
    })
    await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
    const leg = box.driver.call({ trunkId: '', extension: '102', from: '102', to: '101' })
    const [call] = box.calls.live()
    await box.quiet()
    box.driver.legs[0]!.end({ by: 'remote', reason: 'rejected', sipCode })
    await box.quiet()
    t.equal(leg.rejected, told, 'a phone of the house shows it')
    t.equal(call?.row.endReason, endReason)
  }
})

t.test('a further leg through a trunk holds its channel until the line says that it is over', async (t) => {
  const box = await Box.open(t, { channels: 2 })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  const { trunks } = box.routing
  box.driver.call()
  const [call] = box.calls.live()
  t.equal(trunks.used('main'), 1, 'the caller')
  const dial = (says: boolean): SecondLeg => {
    const { claim } = trunks.claim({ purpose: 'call', trunkId: 'main', to: '+15551230001' })
    const leg = new SecondLeg(call!, '+15551230001', 'main', box.clock)
    leg.attach(claim!.dial({ to: '+15551230001', from: '', callerName: '', timeoutSeconds: 30 }, leg.over))
    if (!says) box.driver.legs.at(-1)!.hangup = () => undefined
    return leg
  }
  const answers = dial(true)
  t.equal(trunks.used('main'), 2, 'and who is called for the caller')
  t.equal(trunks.claim({ purpose: 'call', trunkId: 'main', to: '+15551230002' }).claim, null)
  answers.release()
  t.equal(answers.row.state, 'canceled', 'the row knows at once')
  t.equal(trunks.used('main'), 2, 'the line does not say so yet')
  await box.quiet()
  t.equal(trunks.used('main'), 1)
  const silent = dial(false)
  silent.release()
  await box.quiet()
  t.equal(trunks.used('main'), 2)
  box.clock.advance(40_000)
  t.equal(trunks.used('main'), 1, 'a line that says nothing any more is believed to be free')
})
