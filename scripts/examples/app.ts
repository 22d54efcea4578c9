/** A telephone menu in 20 lines: pbxd posts each event of a call here and does what the answer says. No packages needed. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
const { PORT = '3000', SECRET = 'whsec_example_0123456789' } = process.env

function answer(page: string, here: string, event: { digits?: string; reason?: string }): object[] {
  const say = (text: string): object => ({ say: { text } })
  if (event.reason === 'hangup') return []
  if (page === '/message') return [say('Thank you. Goodbye.'), { hangup: {} }]
  if (event.digits === '1') return [say('We are open from nine to five.'), { redirect: { url: `${here}/voice` } }]
  if (event.digits === '2') return [say('Please speak after the tone.'), { record: { maxSeconds: 60, actionUrl: `${here}/message` } }]
  return [say('For our opening hours, press 1. To leave a message, press 2.'), { gather: { numDigits: 1, actionUrl: `${here}/choice` } }]
}

createServer(async (request, response) => {
  const body = await buffer(request)
  const expected = createHmac('sha256', SECRET).update(`${request.headers['x-service-timestamp']}.`).update(body).digest()
  const given = Buffer.from(String(request.headers['x-service-signature']).replace('sha256=', ''), 'hex')
  const genuine = given.length === expected.length && timingSafeEqual(given, expected)
  const reply = genuine ? answer(request.url ?? '/', `http://${request.headers.host}`, JSON.parse(`${body}`)) : { error: 'wrong signature' }
  response.writeHead(genuine ? 200 : 403, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply))
}).listen(Number(PORT), '127.0.0.1')
