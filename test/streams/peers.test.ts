/**
 * Clients of Twilio's frames, unmodified, at the other end of the stand-in with which the servers of the tests are tried: what it sends is what
 * they take, so that the checker and they are of one mind. `scripts/run test/proofs/stream/main.ts peers` has the box in its place.
 */
import t from 'tap'
import { peerCases } from '../proofs/stream/peers.ts'
import { standInSide } from '../proofs/stream/sides.ts'

const side = standInSide()
t.teardown(() => side.close())

for (const peer of peerCases) {
  t.test(peer.name, { skip: peer.whyNot() }, async (t) => {
    t.type(await peer.run(side), 'string')
  })
}
