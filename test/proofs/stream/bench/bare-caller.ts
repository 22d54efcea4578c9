/**
 * The floor of what a stream costs the box: so many sockets of `ws` on which the frames of a stream are written every 20 ms and those that come
 * back are read, and nothing else is done. Arguments: URL, number of streams. Prints a line when all are open.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { frameBytes, frameMs, mediaFrame } from '../../../harness/streams/frames.ts'

const [url = '', streams = '1'] = process.argv.slice(2)
const audio = randomBytes(frameBytes)
let played = 0

async function open(nth: number): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  const sid = `MZ${randomBytes(16).toString('hex')}`
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data as Buffer)) as { media: { payload: string } }
    played += Buffer.from(frame.media.payload, 'base64').length
  })
  let n = 0
  // Not all at the same instant, as calls are not.
  const began = performance.now() + ((nth * 7) % frameMs)
  const turn = (): void => {
    while (began + n * frameMs <= performance.now()) {
      socket.send(mediaFrame(sid, n + 2, n, audio))
      n += 1
    }
    setTimeout(turn, Math.max(0, began + n * frameMs - performance.now()))
  }
  turn()
}

await Promise.all(Array.from({ length: Number(streams) }, (_, nth) => open(nth)))
console.log('ready')
