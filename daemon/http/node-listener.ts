/** A server on node:http: the web port, or the technician's socket. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import { ApiError } from '../errors.ts'
import { newRequestId } from '../ids.ts'
import { errorAnswer, statusLine } from './answer.ts'
import { createSecureServer, createServer } from './node-http.ts'
import { NodeRequest, NodeResponse } from './node-wire.ts'
import { PipelinedRequests } from './pipelined.ts'
import { tlsCiphers, type Accept, type Listener, type TlsFiles } from './wire.ts'

export interface NodePlace extends Pick<ListenOptions, 'host' | 'port' | 'path'> {
  readonly tls?: TlsFiles
}

/** Of the web port; of a socket, whose paths may have hundreds of words in them. */
const mostHeaderBytes = { web: 8 * 1024, socket: 64 * 1024 }

/** Throws when certificate or key cannot be used; rejects with the system's error when the port cannot be opened. */
export async function listenNode({ tls, ...place }: NodePlace, accept: Accept): Promise<Listener> {
  const requests = new PipelinedRequests()
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    requests.take(request, response, () => accept(new NodeResponse(request, response), new NodeRequest(request)))
  }
  const server = create(tls, place.path === undefined ? mostHeaderBytes.web : mostHeaderBytes.socket, onRequest)
  // Whoever has sent all and reads on gets what is due; node:http would close at once.
  Object.assign(server, { httpAllowHalfOpen: true })
  const onConnection = (socket: Socket): void => void socket.once('end', () => requests.halfClosed(socket))
  server.on(tls === undefined ? 'connection' : 'secureConnection', onConnection)
  // Without this, node:http would cut what is due before it.
  server.on('connect', (_request: IncomingMessage, socket: Socket) => requests.refuse(socket, refusal('CONNECT')))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else requests.refuse(socket, refusal(error.code ?? ''))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(place, resolve))
  const address = server.address() as AddressInfo | string | null
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () => void server.close(),
    close: () => server.closeAllConnections(),
  }
}

function create(tls: TlsFiles | undefined, maxHeaderSize: number, onRequest: RequestListener): Server {
  const limits = { maxHeaderSize, keepAliveTimeout: 10_000, headersTimeout: 15_000, connectionsCheckingInterval: 5_000 }
  if (tls === undefined) return createServer(limits, onRequest)
  const files = { key: readFileSync(tls.key), cert: readFileSync(tls.cert) }
  return createSecureServer({ ...limits, ...files, allowHalfOpen: true, ciphers: tlsCiphers, minVersion: 'TLSv1.2' }, onRequest)
}

const statusOf: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408, CONNECT: 405 }

/** To what Node could not read as a request. */
function refusal(code: string): string {
  const status = statusOf[code] ?? 400
  const requestId = newRequestId()
  const text =
    status === 400
      ? 'This is no request of HTTP/1.1 that can be read: its line, a header or its framing is wrong.'
      : statusLine(status).slice(4)
  const { body = '' } = errorAnswer(new ApiError('invalid_url', text), requestId, false)
  const headers = [
    'Content-Type: application/json',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `HTTP/1.1 ${statusLine(status)}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}
