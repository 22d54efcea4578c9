/** The connection of a stream: to whom it is made, and whose certificate is believed. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createServer as plainServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { WebSocketServer } from 'ws'
import { systemClock as clock } from '../../daemon/base/clock.ts'
import type { AddressPolicy } from '../../daemon/outbox/address.ts'
import { openSocket } from '../../daemon/voice/stream/open.ts'
import { Authority } from '../harness/authority.ts'

const authority = await Authority.create(t.testdir())
const { cert, key } = await authority.issue('localhost', 'DNS:localhost')
const secured = createServer({ cert: readFileSync(cert), key: readFileSync(key) }).listen(0, '127.0.0.1')
const plain = plainServer().listen(0, '127.0.0.1')
await Promise.all([once(secured, 'listening'), once(plain, 'listening')])
for (const server of [secured, plain]) {
  new WebSocketServer({ server })
  t.teardown(() => server.close())
}
const portOf = (server: typeof plain): number => (server.address() as AddressInfo).port

async function opened(url: string, more: { authority?: string; policy?: AddressPolicy } = {}): Promise<string> {
  const options = { policy: { allowLoopback: true }, clock, userAgent: 'pbx/test', ...more }
  const result = await openSocket(options, { url, secret: 'secret', callId: 'CA1', signal: new AbortController().signal })
  if ('error' in result) return result.error
  result.socket.terminate()
  return 'open'
}

t.test('a certificate of an own authority is believed where it is configured, and nowhere else', async (t) => {
  const url = `wss://localhost:${portOf(secured)}/x`
  t.match(await opened(url), /certificate/)
  t.equal(await opened(url, { authority: readFileSync(authority.file, 'utf8') }), 'open')
})

t.test('this machine is reached at the address of an application only, by name and by number', async (t) => {
  const port = portOf(plain)
  const policy = { allowLoopback: false, configured: new Set([`127.0.0.1:${port}`]) }
  t.equal(await opened(`ws://127.0.0.1:${port}/x`, { policy }), 'open')
  t.equal(await opened(`ws://localhost:${port}/x`, { policy }), 'open')
  t.match(await opened(`ws://127.0.0.1:${portOf(secured)}/x`, { policy }), /this machine itself/)
  t.match(await opened('ws://93.184.216.34/x', { policy }), /public address, to which ws:\/\//)
})
