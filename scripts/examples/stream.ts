/** A server of streams in 20 lines: sends callers their own voice back, says which keys they press, and hangs up after #. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
const { PORT = '3000', SECRET = 'whsec_example_0123456789' } = process.env

const server = createServer((request, response) => {
  const here = `ws://${request.headers.host}/media`
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify([{ stream: { url: here } }]))
}).listen(Number(PORT), '127.0.0.1')

new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket, { headers }) => {
  const wanted = createHmac('sha256', SECRET).update(`${headers['x-service-timestamp']}.`).digest()
  const given = Buffer.from(String(headers['x-service-signature']).replace('sha256=', ''), 'hex')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return socket.close(1008)
  return socket.on('message', (data) => {
    const { event, streamSid, media, dtmf } = JSON.parse(`${data as Buffer}`)
    if (event === 'media') socket.send(JSON.stringify({ event, streamSid, media: { payload: media.payload } }))
    if (event === 'dtmf') console.log(`key ${dtmf.digit}`)
    if (dtmf?.digit === '#') socket.close(1000)
  })
})
