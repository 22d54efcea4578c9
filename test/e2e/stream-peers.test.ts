/** Clients that were written for Twilio, unmodified, in real calls: what the box sends is what they take, and what they send is heard. */
import t from 'tap'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { peerCases } from '../proofs/stream/peers.ts'
import { boxSide, type Side } from '../proofs/stream/sides.ts'

const unsupported = verbs.get('stream')?.unsupported
let side: Side | undefined
t.teardown(() => side?.close())

for (const peer of peerCases) {
  t.test(peer.name, { skip: unsupported ?? peer.whyNot() }, async (t) => {
    side ??= await boxSide()
    t.type(await peer.run(side), 'string')
  })
}
