/** Stands between the daemon and the application and shows what passes, both ways, byte for byte: signatures stay true. */
import { createServer, request as send, type Server } from 'node:http'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'

export type Json = Record<string, unknown>
export type Verb = Readonly<Record<string, Json>>

export interface RelayHandlers {
  event(event: Json): void
  /** The application's answer and how long it took. */
  answered(status: number, body: unknown, tookMs: number): void
  /** An event to the status URL, which the relay itself acknowledges: the application has no page for it. */
  status(event: Json): void
}

export interface Relay {
  readonly url: string
  close(): void
}

export const statusPage = '/status'

export async function startRelay(applicationPort: number, handlers: RelayHandlers): Promise<Relay> {
  const server: Server = createServer(async (request, response) => {
    const body = await buffer(request)
    const event = JSON.parse(body.toString()) as Json
    if (request.url === statusPage) {
      handlers.status(event)
      response.end()
      return
    }
    handlers.event(event)
    const began = performance.now()
    const { host, ...headers } = request.headers
    const asked = send({ port: applicationPort, host: '127.0.0.1', method: 'POST', path: request.url, headers: { ...headers, host } })
    asked.once('error', (error) => response.writeHead(502).end(error.message))
    asked.once('response', async (answer) => {
      const content = await buffer(answer)
      handlers.answered(answer.statusCode ?? 0, JSON.parse(content.toString()), performance.now() - began)
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(content)
    })
    asked.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
