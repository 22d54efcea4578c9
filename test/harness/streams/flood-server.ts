/**
 * Servers of streams that flood, in a thread of their own so that they slow only the box: each says one thing again and again, as fast as
 * the connection takes it. The path of the address names what.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'

/** A frame of RFC 6455 as a server sends it, not masked. */
function frame(opcode: number, payload: Buffer | string, fin = true): Buffer {
  const body = Buffer.from(payload)
  const first = Buffer.from([(fin ? 0x80 : 0) | opcode])
  if (body.length < 126) return Buffer.concat([first, Buffer.from([body.length]), body])
  const length = Buffer.alloc(body.length < 65_536 ? 3 : 9)
  length[0] = body.length < 65_536 ? 126 : 127
  if (body.length < 65_536) length.writeUInt16BE(body.length, 1)
  else length.writeBigUInt64BE(BigInt(body.length), 1)
  return Buffer.concat([first, length, body])
}

const text = (frameText: string): Buffer => frame(1, frameText)
const many = (one: Buffer, bytes = 65_536): Buffer =>
  Buffer.concat(Array.from({ length: Math.max(1, Math.floor(bytes / one.length)) }, () => one))
const media = (bytes: number): Buffer =>
  text(JSON.stringify({ event: 'media', media: { payload: Buffer.alloc(bytes, 0x2a).toString('base64') } }))
const brackets = (count: number): Buffer => text('['.repeat(count) + ']'.repeat(count))

interface Flood {
  readonly bytes: Buffer
  /** Sent in pieces of so many bytes, each a segment of its own. */
  readonly piece?: number
  /** Reads nothing. */
  readonly deaf?: true
}

export const floods = {
  'frames of 1 MB': { bytes: media(780_000) },
  'frames with one byte of audio': { bytes: many(media(1)) },
  'a second of audio in each frame': { bytes: media(8000) },
  marks: { bytes: many(text('{"event":"mark","mark":{"name":"m"}}')) },
  clears: { bytes: many(Buffer.concat([media(160), text('{"event":"clear"}')])) },
  'binary frames': { bytes: frame(2, Buffer.alloc(65_000)) },
  'empty binary frames': { bytes: many(frame(2, '')) },
  pings: { bytes: many(frame(9, Buffer.alloc(125))) },
  'pings, and reads nothing': { bytes: many(frame(9, Buffer.alloc(125))), deaf: true },
  'text that is no JSON': { bytes: many(text('{no')) },
  'brackets without end': { bytes: brackets(30_000) },
  'a million brackets': { bytes: brackets(500_000) },
  'a frame in empty pieces': { bytes: many(Buffer.concat([frame(1, '{', false), many(frame(0, '', false), 4000), frame(0, '}')])) },
  'segments of one byte': { bytes: media(160), piece: 1 },
  'marks, and reads nothing': { bytes: many(text('{"event":"mark","mark":{"name":"m"}}')), deaf: true },
} as const satisfies Record<string, Flood>

export type FloodName = keyof typeof floods

export const pathOf = (name: FloodName): string => `/${encodeURIComponent(name)}`

/** Listens on that port of 127.0.0.1 until `close`. */
export async function floodServer(port: number): Promise<{ close(): Promise<unknown> }> {
  const worker = new Worker(import.meta.filename, { workerData: { port } })
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  return { close: () => worker.terminate() }
}

function pour(socket: Socket, { bytes, piece, deaf }: Flood): void {
  socket.on('error', () => undefined)
  socket.setNoDelay(true)
  if (deaf) socket.pause()
  else socket.resume()
  let at = 0
  const go = (): void => {
    for (let sent = 0; sent < 1000 && !socket.destroyed; sent += 1) {
      const next = piece === undefined ? bytes : bytes.subarray(at, at + piece)
      at = (at + (piece ?? 0)) % bytes.length
      if (!socket.write(next)) return void socket.once('drain', go)
    }
    if (!socket.destroyed) setImmediate(go)
  }
  go()
}

if (!isMainThread) {
  const server = createServer()
  server.on('upgrade', (request, socket) => {
    const { pathname } = new URL(request.url!, 'http://127.0.0.1')
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    pour(socket as Socket, (floods as Record<string, Flood>)[decodeURIComponent(pathname.slice(1))]!)
  })
  server.listen((workerData as { port: number }).port, '127.0.0.1', () => parentPort!.postMessage('up'))
}
