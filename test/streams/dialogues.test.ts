/** Written dialogues of servers that cannot be installed here: what they send and wait for, played against the published frames. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { dialogue } from '../harness/streams/dialogue.ts'
import { asObject } from '../harness/streams/frames.ts'
import { StreamServer } from '../harness/streams/server.ts'
import { StandIn } from '../harness/streams/stand-in.ts'

const text = readFileSync(join(import.meta.dirname, 'dialogues/pipecat.txt'), 'utf8')

t.test("pipecat's serializer", async (t) => {
  let caller: StandIn | undefined
  const { manner, done } = dialogue(text, {
    'press 5': async () => caller!.press('5'),
    'hang up': async () => caller!.hangUp(),
  })
  const server = await StreamServer.open(manner)
  t.teardown(() => server.close())
  caller = await StandIn.call(server.url, { speed: 10 })
  t.teardown(() => caller!.close())
  await done
  const session = await server.session()
  await session.over()
  t.same(server.allFaults(), [])
  const [first, second] = session.arrived.map(({ frame }) => frame)
  t.notOk(asObject(first?.['start']), 'not by the first message')
  t.ok(
    ['streamSid', 'callSid'].every((name) => name in (asObject(second?.['start']) ?? {})),
    'by the second it is told from others',
  )
})

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
