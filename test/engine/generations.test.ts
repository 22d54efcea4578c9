/** Calls that have ended before the engine has gone on: each of them ends, and no order for one reaches another that has its place. */
import t from 'tap'
import { Engine, pause, skip, trunk } from './engine.ts'
import { InstantPeer } from './instant.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

t.test('calls that are refused or hung up at once', { skip, timeout: 60_000 }, async (t) => {
  const peer = await InstantPeer.open()
  const engine = await Engine.start({ rtpPorts: [20_000, 29_998], trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  t.teardown(async () => (await engine.stop(), peer.close()))
  const standing = 40
  const stand = Array.from({ length: standing }, () => engine.dial({ trunk: 'main', to: '2000', timeout: 30 }))
  for (const leg of stand) await engine.next('answered', { leg })

  /** Calls in bursts; gives how many ended with which code. */
  const call = async (to: string, bursts: number, size: number) => {
    const codes: Record<string, number> = {}
    for (let burst = 0; burst < bursts; burst++) {
      const legs = Array.from({ length: size }, () => engine.dial({ trunk: 'main', to, timeout: 1 }))
      const until = performance.now() + 3000
      for (const leg of legs) {
        const end = await engine.next('ended', { leg }, Math.max(1, until - performance.now())).catch(() => undefined)
        const code = String(end?.['code'])
        codes[code] = (codes[code] ?? 0) + 1
      }
      // A socket of PJSIP's comes free half a second after its call.
      await pause(600)
    }
    return codes
  }

  await t.test('1500 refused calls end', async (t) => {
    t.same(await call('486', 5, 300), { 486: 1500 })
  })
  await t.test('300 calls that are answered and hung up in one breath end', async (t) => {
    t.same(await call('2001', 1, 300), { 200: 300 })
  })
  await t.test('and no timer of theirs ended a call that stands', async (t) => {
    // The dial timers of calls that had been lost would have come by now.
    await pause(600)
    t.match(await peer.report(), { standing, byes: 0 })
    t.same(engine.of('ended'), [])
  })
})

t.test('the end of a transfer whose call is over is told of no other call', { skip, timeout: 60_000 }, async (t) => {
  const instant = await InstantPeer.open()
  const engine = await Engine.start({ rtpPorts: [20_000, 29_998] })
  const peer = await SipPeer.udp(engine.port())
  t.teardown(async () => (await engine.stop(), instant.close(), peer.close()))
  await engine.configure({ trunks: [trunk(`127.0.0.1:${instant.port}`), trunk(`127.0.0.1:${peer.port}`, { id: 'transferring' })] })

  const call = new Dialog(peer)
  call.invite('101', { body: sdp(9) })
  const { leg } = await engine.next('invite')
  engine.send('answer', { leg })
  call.learn(await call.final('INVITE'))
  call.send('ACK')
  await engine.next('answered', { leg })
  engine.send('refer', { leg, to: '+15557654321' })
  peer.answer(await call.request('REFER'), 202)
  t.equal((await call.ask('BYE')).status, 200)
  await engine.next('ended', { leg })

  // Every place there is, so one of them is the place of the ended call.
  const others = Array.from({ length: 400 }, () => engine.dial({ trunk: 'main', to: '2000', timeout: 30 }))
  for (const other of others) await engine.next('answered', { leg: other }, 20_000)
  const notify = await call.ask('NOTIFY', {
    headers: ['Event: refer', 'Subscription-State: terminated;reason=noresource'],
    body: 'SIP/2.0 200 OK\r\n',
    type: 'message/sipfrag;version=2.0',
  })
  t.equal(notify.status, 200)
  for (const other of others) engine.send('hangup', { leg: other })
  for (const other of others) await engine.next('ended', { leg: other }, 20_000)
  t.same(
    engine.of('referred').filter((told) => told['leg'] !== leg),
    [],
  )
})
