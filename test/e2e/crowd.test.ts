/**
 * A branch has one address for all of its phones. They come back in the same moment, right at the box or through a proxy in front of it: all
 * are there within ten seconds and none is kept out, while somebody guesses passwords next to them, who is.
 */
import t, { type Test } from 'tap'
import { edgeAddress, lowerVia, peerWith } from '../engine/behind-edge.ts'
import { register } from '../engine/registering.ts'
import { SipPeer } from '../engine/sip-peer.ts'
import { LightPhone, extensionOf, extensionsOf } from '../harness/light-phone.ts'
import { Scene } from '../harness/scene.ts'

/** And one whose phone is not there, of which somebody guesses the password. */
const count = 501
const promisedMs = 10_000
const branch = '127.9.0.1'

async function open(t: Test): Promise<Scene> {
  const scene = await Scene.open({
    settings: (base) => {
      base['extensions'] = extensionsOf(count)
      base['voice'] = {}
      base['inbound'] = []
      Object.assign(base['sip'] as object, { edges: [edgeAddress] })
    },
  })
  t.teardown(() => scene.close())
  return scene
}

const ways = {
  'at the box': (port: number) => SipPeer.udp(port, branch),
  'behind a proxy': (port: number, rport: number) =>
    peerWith(port, edgeAddress, () => lowerVia({ received: '203.0.113.7', rport: String(rport) })),
}

for (const [way, peer] of Object.entries(ways)) {
  t.test(
    `${way}: 500 phones of one address are there within ten seconds, and who guesses is shut out alone`,
    { timeout: 120_000 },
    async (t) => {
      const scene = await open(t)
      const { daemon } = scene
      const phones: LightPhone[] = []
      for (let n = 0; n < count; n++) phones.push(scene.keep(LightPhone.at(await peer(daemon.sipPort, 20_000 + n), n)))
      const guesser = await peer(daemon.sipPort, 40_000)
      t.teardown(() => guesser.close())
      const guess = (n: number) => register(guesser, extensionOf(0), `wrong${n}`)

      // The house is known to the box, as any is after its first phone.
      t.equal(await phones[1]!.register(), true)
      const began = performance.now()
      let guessed = 0
      const guesses = (async () => {
        for (let n = 0; n < 12 && (await guess(n)) !== undefined; n++) guessed++
      })()
      const times = await Promise.all(
        phones.slice(1).map(async (phone) => ((await phone.register()) ? performance.now() - began : Infinity)),
      )
      const last = Math.max(...times)
      t.comment(
        `${way}: the last of ${times.length} after ${last.toFixed(0)} ms, ${phones.reduce((sum, { repeated }) => sum + repeated, 0)} requests sent again`,
      )
      t.ok(last <= promisedMs, `the last after ${last.toFixed(0)} ms`)
      await guesses
      t.ok(guessed <= 5, `${guessed} guesses were answered`)
      t.equal(await guess(99), undefined, 'and no further one')
      const shown = (await daemon.pbx('lines', 'bans')).out
      t.match(shown, way === 'at the box' ? branch : '203.0.113.7')
      t.equal(await phones[2]!.register(), true, 'all others go on')
    },
  )
}
