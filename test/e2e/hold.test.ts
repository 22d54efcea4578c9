/** Hold between real phones: the party on hold hears the music of the house, and the other again afterwards. */
import t from 'tap'
import { sdp } from '../engine/sip-text.ts'
import { hears, listens } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import { desk, handDesk, musicHz, openTalkers, tonesIn } from '../harness/talkers.ts'

const scene = await openTalkers()
t.setTimeout(120_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

t.test('either of two phones holds; the other hears music, and then the talk', async (t) => {
  for (const holder of ['102', '101']) {
    const [first, second] = await Promise.all([desk(scene, '101'), desk(scene, '102')])
    await first.command('dial', '102')
    await Promise.all([first.until('CALL_ESTABLISHED'), second.until('CALL_ESTABLISHED')])
    const [holds, held, hz] = holder === '102' ? [second, first, 700] : [first, second, 400]
    await hears(held, hz)
    await holds.command('hold')
    await hears(held, musicHz)
    await holds.command('resume')
    await hears(held, hz)
    await held.command('hangup')
    await Promise.all([first, second].map((phone) => phone.until('CALL_CLOSED')))
    t.same(tonesIn(held.heard()), [hz, musicHz, hz])
    await Promise.all([first, second].map((phone) => phone.close()))
  }
})

t.test('a caller from outside is held by a phone', async (t) => {
  const phone = await desk(scene, '101')
  const caller = await scene.call()
  await phone.until('CALL_ESTABLISHED')
  await hears(caller.rtp, 400)
  await phone.command('hold')
  await hears(caller.rtp, musicHz, 1200)
  await phone.command('resume')
  await hears(caller.rtp, 400)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(tonesIn(caller.rtp.heard()), [400, musicHz, 400])
  const record = async () => (await scene.daemon.api('GET', '/api/pbx/calls/history?order=desc&limit=1')).body.items[0]
  await eventually('its record says how long', async () => ((await record())?.holdSeconds ?? 0) >= 1)
})

t.test('a caller from outside holds a phone', async (t) => {
  const phone = await desk(scene, '101')
  const caller = await scene.call()
  await phone.until('CALL_ESTABLISHED')
  await caller.rtp.sound()
  await caller.sip.command('HOLD')
  await hears(phone, musicHz, 1000)
  await caller.sip.command('RESUME')
  await listens(phone, 800)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await phone.until('CALL_CLOSED')
  t.same(tonesIn(phone.heard()), [musicHz])
})

/** How a phone by hand holds: each is a hold to RFC 3264, or was one before it (section 8.4). */
const holds: readonly (readonly [name: string, body: (port: number, address: string) => string])[] = [
  ['sendonly', (port, address) => sdp(port, { address, direction: 'sendonly', version: 2 })],
  ['inactive', (port, address) => sdp(port, { address, direction: 'inactive', version: 2 })],
  [
    'at 0.0.0.0, without its rtpmap lines',
    (port) => sdp(port, { address: '0.0.0.0', version: 2 }).replaceAll(/^a=(rtpmap|sendrecv).*\r\n/gm, ''),
  ],
]

for (const [name, held] of holds)
  t.test(`${name}: the music goes on through a description that nobody can read, and through a re-INVITE without one`, async (t) => {
    const other = await desk(scene, '102')
    const phone = await handDesk(scene, '101')
    await other.command('dial', '101')
    const call = await phone.takes()
    await other.until('CALL_ESTABLISHED')
    const { dialog, rtp } = call
    const { address } = phone.peer
    await hears(other, 400)
    const asks = async (body: string) => {
      const answer = await dialog.ask('INVITE', { body })
      if (body !== '') dialog.send('ACK')
      return answer
    }
    t.equal((await asks(held(rtp.port, address))).status, 200)
    for (const body of [
      'nonsense\r\n',
      sdp(rtp.port, { address, version: 3 }).replace(/^o=.*\r\n/m, ''),
      sdp(rtp.port, { address, codecs: '18', version: 3 }),
    ]) {
      await hears(other, musicHz)
      const refused = await asks(body)
      t.equal(refused.status, 488, refused.start)
      t.match(refused.header('Warning'), /^3\d\d \S+ ".+"/)
    }
    await hears(other, musicHz)
    const offered = await asks('')
    t.equal(offered.status, 200)
    t.match(offered.body, /^m=audio [1-9]/m)
    const asked = /a=(sendonly|recvonly|inactive)/.exec(offered.body)?.[1]
    dialog.send('ACK', { body: sdp(rtp.port, { address, direction: asked === 'sendonly' ? 'inactive' : 'sendonly', version: 4 }) })
    await hears(other, musicHz, 1000)
    t.equal((await asks(sdp(rtp.port, { address, version: 5 }))).status, 200)
    await hears(other, 400)
    await other.command('hangup')
    await phone.hungUp(call)
    await other.until('CALL_CLOSED')
    t.same(tonesIn(other.heard()), [400, musicHz, 400], asked ?? 'sendrecv')
  })
