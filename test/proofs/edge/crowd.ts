/** A branch whose 500 phones have one address, behind a real proxy, after a power cut: how long until the last of them is there. */
import { Engine, pause } from '../../engine/engine.ts'
import { register } from '../../engine/registering.ts'
import { SipPeer } from '../../engine/sip-peer.ts'
import { LightPhone, extensionOf, extensionsOf } from '../../harness/light-phone.ts'
import { freePort } from '../../harness/daemon.ts'
import { KamailioEdge } from './kamailio.ts'

const edgeAddress = '127.0.0.50'
const branch = '127.0.0.77'
const count = 500
const promisedSeconds = 10

export async function crowd(look: (what: string, good: boolean, seen?: unknown) => void): Promise<void> {
  const port = await freePort(edgeAddress)
  const extensions = extensionsOf(count + 1).map((one) => ({ ...one, srtp: 'auto' as const, contacts: [] }))
  const engine = await Engine.start({ edges: [`${edgeAddress}/32`], phoneNetworks: [], extensions })
  const edge = KamailioEdge.start({ address: edgeAddress, port, box: `127.0.0.1:${engine.port()}`, provider: '127.0.0.60:5060' })
  const phones: LightPhone[] = []
  const guesser = await SipPeer.udp(port, branch, edgeAddress)
  try {
    await pause(1500)
    for (let n = 0; n < count; n++) phones.push(LightPhone.at(await SipPeer.udp(port, branch, edgeAddress), n))
    await phones[0]!.register()
    const began = performance.now()
    const times = await Promise.all(phones.map(async (phone) => ((await phone.register()) ? performance.now() - began : Infinity)))
    const seconds = Math.max(...times) / 1000
    const repeated = phones.reduce((sum, phone) => sum + phone.repeated, 0)
    look(
      `${count} phones of one address register at once`,
      seconds <= promisedSeconds,
      `${seconds.toFixed(2)} s, ${repeated} requests sent again`,
    )
    let guesses = 0
    while (guesses < 20 && (await register(guesser, extensionOf(count), `wrong${guesses}`))?.status === 403) guesses++
    look('who guesses from there is shut out', guesses === 5, guesses)
    look('and nobody else', (await phones[1]!.register()) && (await phones.at(-1)!.register()))
  } finally {
    for (const { peer } of phones) peer.close()
    guesser.close()
    await edge.close()
    await engine.stop()
  }
}
