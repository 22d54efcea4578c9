/** The server of docs/stream.md, as its own process: what the page shows is what runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { signedHeaders } from '../../daemon/base/signing.ts'
import { accepts, freePort } from '../../scripts/demo/processes.ts'
import { StandIn } from '../harness/streams/stand-in.ts'
import { judgeTone, tonePiece } from '../harness/streams/tones.ts'
import { eventually } from '../harness/waiting.ts'

const secret = 'whsec_test_0123456789abcdef'
const port = await freePort()
const server = spawn(process.execPath, ['scripts/examples/stream.ts'], {
  env: { PORT: String(port), SECRET: secret },
  stdio: ['ignore', 'pipe', 'inherit'],
})
t.teardown(async () => {
  server.kill()
  await once(server, 'exit')
})
await eventually('it listens', () => accepts(port))

t.test('the page shows it whole, and it has 20 lines', async (t) => {
  const source = readFileSync('scripts/examples/stream.ts', 'utf8')
  t.ok(readFileSync('docs/stream.md', 'utf8').includes(source))
  const lines = source.split('\n').filter((line) => line !== '' && !line.startsWith('/**'))
  t.ok(lines.length <= 20, `${lines.length} lines`)
})

t.test('it answers with its stream, echoes, and ends after #', async (t) => {
  const response = await fetch(`http://127.0.0.1:${port}/voice`, { method: 'POST', body: '{}' })
  const [first] = (await response.json()) as { stream: { url: string } }[]
  const caller = await StandIn.call(first!.stream.url, { headers: signedHeaders(secret, Date.now(), ''), says: tonePiece(0, 8000) })
  t.teardown(() => caller.close())
  await caller.until('the second is back', () => caller.received.length >= 60)
  const back = caller.received.map(({ media }) => Buffer.from((media as { payload: string }).payload, 'base64'))
  t.match(judgeTone(Buffer.concat(back)), { length: 8000, wrong: 0 })
  caller.press('#')
  const [key] = (await once(server.stdout, 'data')) as [Buffer]
  t.equal(String(key), 'key #\n')
  await caller.until('the end', () => caller.closed !== undefined)
  t.same(caller.closed, { code: 1000 })
})

t.test('who does not sign is turned away', async (t) => {
  const caller = await StandIn.call(`ws://127.0.0.1:${port}/media`)
  t.teardown(() => caller.close())
  await caller.until('the end', () => caller.closed !== undefined)
  t.same(caller.closed, { code: 1008 })
})
