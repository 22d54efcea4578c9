/** DNS that dies, in the ways a site sees it: nobody in the engine waits for it but those who asked. */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { trunk, type Engine } from '../../engine/engine.ts'
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { AddressServer } from './name-server.ts'
import { run } from './namespaces.ts'
import { office, sipPort, site, wan } from './site.ts'

const resolv = `${t.testdir()}/resolv.conf`
writeFileSync(resolv, '')
run(`mount --bind ${resolv} /etc/resolv.conf`)
// A name that PJSIP's parts take for one of our own, too.
run('hostname clinic-box')

const dead = await AddressServer.open('0.0.0.0')
dead.silent = true

/** The daemon ends an engine that has not answered for so long. */
const givenUpMs = 8000

/** The longest that a ping was on its way through all threads of the engine, in ms, until `over`. */
async function slowestPing(engine: Engine, over: Promise<unknown>): Promise<number> {
  let slowest = 0
  let going = true
  over.then(
    () => (going = false),
    () => (going = false),
  )
  for (let n = 1; going; n++) {
    const began = performance.now()
    engine.send('ping', { n })
    await engine.next('pong', { n }, 15_000)
    slowest = Math.max(slowest, performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return slowest
}

for (const [what, text] of [
  ['a name server that says nothing', `nameserver ${office.phone}\n`],
  ['name servers of IPv6 alone, and no IPv6', 'nameserver 2001:db8::53\n'],
  ['no name server at all', ''],
] as const) {
  await t.test(what, async (t) => {
    writeFileSync(resolv, text)
    const { box, engine } = await site()
    const provider = await SipPeer.udp(sipPort, wan.provider, wan.box)
    t.teardown(async () => (provider.close(), await engine.stop(), box.close()))
    const named = trunk('sip.clinic.test', { id: 'named', register: true, username: 'clinic', password: 'secret', keepAliveSeconds: 1 })
    await engine.configure({ trunks: [named, trunk(`${wan.provider}:${provider.port}`, { numbers: ['+15550001000'] })] })
    const leg = engine.dial({ trunk: 'named', to: '+15551230001' })
    const ended = engine.next('ended', { leg }, 15_000)
    const slowest = slowestPing(engine, ended)
    const odd = new Dialog(provider)
    odd.invite('+15550001000', { body: sdp(4000, { address: 'media.clinic.test' }) })
    const offered = await engine.next('invite')
    engine.send('answer', { leg: offered['leg'] })
    t.match(
      await engine.next('ended', { leg: offered['leg'] }, 15_000),
      { by: 'system', code: 488 },
      'a far end that is heard at a name is refused',
    )
    const call = new Dialog(provider)
    call.invite('+15550001000', { body: sdp(4000, { address: wan.provider }) })
    const invite = await engine.next('invite')
    engine.send('answer', { leg: invite['leg'] })
    t.equal((await call.answered()).status, 200, 'another call is answered meanwhile')
    t.match(await ended, { reason: 'unreachable' })
    const longest = await slowest
    // What was seen were 10 s.
    t.ok(longest < givenUpMs, `its door answers all the time (${Math.round(longest)} ms at the most)`)
  })
}
dead.close()
