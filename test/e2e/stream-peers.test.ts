/** Clients that were written for Twilio, unmodified, in real calls: what the box sends is what they take, and what they send is heard. */
import t from 'tap'
import { peerCases } from '../proofs/stream/peers.ts'
import { boxSide, type Side } from '../proofs/stream/sides.ts'

let side: Side | undefined
t.teardown(() => side?.close())

for (const peer of peerCases) {
  t.test(peer.name, { skip: peer.whyNot() }, async (t) => {
    side ??= await boxSide()
    t.type(await peer.run(side), 'string')
  })
}
