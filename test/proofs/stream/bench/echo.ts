/**
 * Echoes in a process of their own, for measurements: `uws` and `ws` send the audio of media frames back (uWebSockets.js and ws), `raw` whatever
 * is binary, `audiosocket` the audio of Asterisk's AudioSocket, `udp` every datagram. Arguments: the kind, and
 * a port for the first three. Prints its port; each line of standard input is answered
 * with the number of frames that were sent back so far. Ends at the end of standard input.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { WebSocketServer } from 'ws'

const [kind = 'uws', wanted = '0'] = process.argv.slice(2)
const port = Number(wanted)
let frames = 0

function answerTo(text: string): string | undefined {
  const frame = JSON.parse(text) as { event: string; streamSid: string; media?: { payload: string } }
  if (frame.event !== 'media' || frame.media === undefined) return undefined
  frames += 1
  return JSON.stringify({ event: 'media', streamSid: frame.streamSid, media: { payload: frame.media.payload } })
}

async function uws(): Promise<number> {
  const library = createRequire(import.meta.url)('@uwsjs/linux-x64-22')
  return new Promise((resolve) => {
    library
      .App()
      .ws('/*', {
        maxPayloadLength: 1 << 20,
        message: (socket: any, data: ArrayBuffer) => {
          const answer = answerTo(Buffer.from(data).toString('utf8'))
          if (answer !== undefined) socket.send(answer)
        },
      })
      .listen('127.0.0.1', port, (socket: unknown) => resolve(library.us_socket_local_port(socket) as number))
  })
}

async function sockets(binary: boolean): Promise<number> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false })
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary !== binary) return
      if (!binary) {
        const answer = answerTo(data.toString('utf8'))
        if (answer !== undefined) socket.send(answer)
        return
      }
      frames += 1
      socket.send(data)
    }),
  )
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Kind (1 byte), length (2, big endian), so many bytes; 0x10 is signed linear audio at 8 kHz. */
async function audioSocket(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    let rest = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data])
      while (rest.length >= 3 && rest.length >= 3 + rest.readUInt16BE(1)) {
        const size = 3 + rest.readUInt16BE(1)
        if (rest[0] === 0x10) {
          frames += 1
          socket.write(rest.subarray(0, size))
        }
        rest = rest.subarray(size)
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function datagrams(): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (data, from) => {
    frames += 1
    socket.send(data, from.port, from.address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  return socket.address().port
}

const kinds: Readonly<Record<string, () => Promise<number>>> = {
  uws,
  ws: () => sockets(false),
  raw: () => sockets(true),
  audiosocket: audioSocket,
  udp: datagrams,
}
console.log(await kinds[kind]!())
for await (const _ of createInterface({ input: process.stdin })) console.log(frames)
process.exit(0)
