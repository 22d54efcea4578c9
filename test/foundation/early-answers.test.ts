/** Servers that say 1xx before they answer, unasked: each of our HTTP clients waits for the answer. */
import t, { type Test } from 'tap'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Client } from '../../drivers/sms-http/client.ts'
import { guardedAgent } from '../../daemon/outbox/address.ts'
import { attempt } from '../../daemon/outbox/attempt.ts'
import { exchange } from '../../daemon/voice/exchange.ts'
import type { OutboxRow } from '../../daemon/store/tables.ts'
import { AudioFetcher } from '../../daemon/speech/fetch-audio.ts'

const body = '[{"hangup":{}}]'
const answer = (type: string, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes])
}

/** What comes before the answer, each piece as a segment of its own. */
const openings: Record<string, readonly string[]> = {
  nothing: [],
  '100': ['HTTP/1.1 100 Continue\r\n\r\n'],
  '100 twice': ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'],
  '100 with headers': ['HTTP/1.1 100 Continue\r\nServer: x\r\nDate: now\r\n\r\n'],
  '100 without a reason': ['HTTP/1.1 100 \r\n\r\n'],
  '100 in pieces': ['HTTP/1.1 1', '00 Cont', 'inue\r\n\r', '\n'],
  '102': ['HTTP/1.1 102 Processing\r\n\r\n'],
  '103': ['HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
  '199': ['HTTP/1.1 199 Whatever\r\n\r\n'],
  '100, 102 and 103': ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
}

/** Says that before each answer; `glued`: all in one segment. */
async function server(t: Test, opening: readonly string[], reply: Buffer, glued: boolean): Promise<{ url: URL; asked: () => number }> {
  let asked = 0
  const listener = createServer((socket) => {
    socket.setNoDelay(true)
    let rest = ''
    const take = async (data: Buffer): Promise<void> => {
      rest += data.toString('latin1')
      const head = rest.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(rest)?.[1] ?? 0)
      if (head < 0 || rest.length < head + 4 + length) return
      rest = ''
      asked += 1
      if (glued) return void socket.write(Buffer.concat([Buffer.from(opening.join('')), reply]))
      for (const piece of [...opening, reply]) {
        socket.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    socket.on('error', () => undefined).on('data', (data) => void take(data))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => listener.close())
  return { url: new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/x`), asked: () => asked }
}

const policy = { allowLoopback: true, allowPlainHttp: true }
const signal = (): AbortSignal => AbortSignal.timeout(3000)
const wav = Buffer.concat([
  Buffer.from(
    'RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x08\x00\x00\x00',
    'latin1',
  ),
  Buffer.alloc(8),
])

type Ask = (url: URL) => Promise<unknown>
const agent = guardedAgent(policy, { connectTimeoutMs: 1000 })
const sms = new Client(undefined, 3000)
t.teardown(() => Promise.all([agent.destroy(), sms.close()]))

const clients: readonly (readonly [string, Buffer, Ask, unknown])[] = [
  [
    'the request to an application',
    answer('application/json', body),
    (url) => exchange(agent, { url, headers: { 'content-type': 'application/json' }, body: '{}', signal: signal(), idleMs: 3000 }),
    { kind: 'answer', status: 200, text: body },
  ],
  [
    'a callback',
    answer('text/plain', 'ok'),
    (url) => {
      const row = { url: url.href, body: '{}', eventId: 'e', attempts: 0 } as OutboxRow
      return attempt(row, { agent, policy, secret: 's', now: 1, version: '1', timeoutMs: 3000, signal: signal() })
    },
    { status: 200, error: '' },
  ],
  ['a sound file', answer('audio/wav', wav), (url) => new AudioFetcher({ dispatcher: agent }).get(url.href), { warning: '', clip: {} }],
  [
    'a provider of texts',
    answer('application/json', '{"id":"1"}'),
    (url) => sms.ask({ method: 'POST', url, headers: {}, body: '{}' }, signal()),
    { kind: 'answer', status: 200, document: { id: '1' } },
  ],
]

for (const [name, reply, ask, expected] of clients) {
  t.test(name, async (t) => {
    for (const [what, opening] of Object.entries(openings)) {
      for (const glued of [false, true]) {
        const { url, asked } = await server(t, opening, reply, glued)
        // Twice: a connection that is kept serves as well.
        for (const time of [1, 2]) t.match(await ask(url), expected, `${what}${glued ? ', glued' : ''}, request ${time}`)
        t.equal(asked(), 2, 'no request is sent again')
      }
    }
  })
}

t.test('an answer that never comes is still none', async (t) => {
  const { url } = await server(t, ['HTTP/1.1 100 Continue\r\n\r\n'], Buffer.alloc(0), false)
  const given = { url, headers: {}, body: '{}', signal: AbortSignal.timeout(300), idleMs: 3000 }
  t.match(await exchange(agent, given), { kind: 'aborted' })
})
