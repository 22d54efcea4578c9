/** The player of written dialogues, for servers that are not installed (test/proofs/stream/peers.ts): it says what was not kept. */
import t from 'tap'
import { dialogue } from '../harness/streams/dialogue.ts'
import { StreamServer } from '../harness/streams/server.ts'
import { StandIn } from '../harness/streams/stand-in.ts'
t.test('a dialogue that is not kept says what it waited for', async (t) => {
  const { manner, done } = dialogue('< {"event":"connected"}\n> {"event":"clear"}\n= fail', {
    fail: () => Promise.reject(new Error('as it was told')),
  })
  const server = await StreamServer.open(manner)
  t.teardown(() => server.close())
  const caller = await StandIn.call(server.url)
  t.teardown(() => caller.close())
  await t.rejects(done, /as it was told/)
  await caller.until('what was sent before', () => caller.received.length > 0)
  t.match(caller.received, [{ event: 'clear' }])
})

t.test('members of a frame beyond those that are asked for do not matter, others do', async (t) => {
  const { manner, done } = dialogue(
    '< {"event":"start","start":{"tracks":["inbound"]}}\n< {"event":"dtmf","dtmf":{"digit":"7"}}\n> $sid $call',
  )
  const server = await StreamServer.open(manner)
  t.teardown(() => server.close())
  const caller = await StandIn.call(server.url)
  t.teardown(() => caller.close())
  caller.press('6')
  const session = await server.session()
  await session.frame('dtmf')
  t.equal(await Promise.race([done.then(() => 'done'), session.frame('media', 5).then(() => 'waits')]), 'waits')
  caller.press('7')
  await done
})
