/** The voice agent of the examples, as its own process, in a conversation with a caller who speaks. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { signedHeaders } from '../../daemon/base/signing.ts'
import { accepts, freePort } from '../../scripts/demo/processes.ts'
import { concat, findClip, linearToUlaw, silence, speech, ulawToLinear } from '../harness/audio.ts'
import { StandIn } from '../harness/streams/stand-in.ts'
import { eventually } from '../harness/waiting.ts'

const secret = 'whsec_test_0123456789abcdef'
const port = await freePort()
const agent = spawn(process.execPath, ['scripts/examples/voice-agent.ts'], {
  env: { PATH: process.env['PATH'], PORT: String(port), SECRET: secret },
  stdio: 'inherit',
})
t.teardown(async () => {
  agent.kill()
  await once(agent, 'exit')
})
await eventually('the agent listens', () => accepts(port), 60_000)
const signed = (body: string) => signedHeaders(secret, Date.now(), body)

t.test('it answers the first event of a call with its stream, and nobody without the secret', async (t) => {
  const post = async (event: string, headers: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}/voice`, { method: 'POST', body: event, headers })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  const first = JSON.stringify({ event: 'call.inbound.pre_route' })
  t.same(await post(first, signed(first)), { status: 200, body: [{ stream: { url: `ws://127.0.0.1:${port}/media` } }] })
  const later = JSON.stringify({ event: 'stream.completed' })
  t.same(await post(later, signed(later)), { status: 200, body: [] })
  t.match(await post(first, {}), { status: 403 })
  await t.rejects(StandIn.call(`ws://127.0.0.1:${port}/media`), /403/)
})

t.test('a conversation: asked, answered, interrupted, goodbye', async (t) => {
  const caller = await StandIn.call(`ws://127.0.0.1:${port}/media`, { headers: signed('') })
  t.teardown(() => caller.close())
  const say = (text: string): void => caller.say(Uint8Array.from(concat(silence(200), speech(text)), linearToUlaw))
  const marks = (): string[] => caller.marks.map(({ name }) => name)
  const find = (text: string, afterMark: number) =>
    findClip(Int16Array.from(caller.heard, ulawToLinear), speech(text), caller.marks[afterMark - 1]?.playedMs ?? 0)
  const played = async (text: string): Promise<void> => {
    await caller.until(`"${text}" was played`, () => marks().includes(text), 40_000)
    const found = find(text, marks().indexOf(text))
    t.ok(found.whole, `${text}: is heard: ${JSON.stringify(found)}`)
  }
  await played('Hello, how can I help you?')
  say('opening hours')
  await played('We are open from nine to five.')
  t.notOk(caller.received.some(({ event }) => event === 'clear'))
  say('elephant')
  const long = 'You may ask for our opening hours or for an appointment, or say goodbye.'
  const isAnswered = () => caller.received.filter(({ event }) => event === 'mark').length === 3
  await caller.until('the long answer has begun', isAnswered, 40_000)
  say('goodbye')
  await caller.until('it falls silent', () => caller.received.some(({ event }) => event === 'clear'), 40_000)
  t.same(marks()[2], long)
  await played('Thank you for your call, goodbye.')
  const cut = find(long, 2)
  t.ok(cut.atMs > 0 && cut.heardMs < cut.clipMs - 500, `the rest of it was never played: ${JSON.stringify(cut)}`)
  await caller.until('it hangs up', () => caller.closed !== undefined)
  t.same(caller.closed, { code: 1000 })
})
