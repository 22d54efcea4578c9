/**
 * Screen pop in a browser: serves screen-pop.html and passes the events of calls on to it, so that the token stays out of the browser. No
 * packages needed: PBX=http://127.0.0.1:8080 TOKEN=... PORT=3001 node scripts/examples/screen-pop.ts, then open http://127.0.0.1:3001/?extension=101
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
const { PORT = '3001', PBX = 'http://127.0.0.1:8080', TOKEN = '' } = process.env
const page = readFileSync(new URL('./screen-pop.html', import.meta.url))

createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://here')
  if (pathname !== '/events') return response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page)
  const left = new AbortController()
  response.once('close', () => left.abort())
  const last = request.headers['last-event-id']
  const headers = { authorization: `Bearer ${TOKEN}`, ...(typeof last === 'string' ? { 'last-event-id': last } : {}) }
  try {
    const answer = await fetch(`${PBX}/api/pbx/events${search}`, { headers, signal: left.signal })
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'text/plain' })
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response)
  } catch {
    // The browser asks again by itself.
    if (response.headersSent) response.destroy()
    else response.writeHead(503).end()
  }
}).listen(Number(PORT), '127.0.0.1')
