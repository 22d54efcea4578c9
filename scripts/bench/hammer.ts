/** A small HTTP client for load: PORT REQUESTS CONNECTIONS TOKEN. Prints its figures as one line of JSON. */
import { connect } from 'node:net'

const [port = '0', total = '0', connections = '1', token = ''] = process.argv.slice(2)
const body = JSON.stringify({ to: '+15559870000', endpoint: 'reception', externalRef: 'bench', params: { visit: '17' } })
const request = `POST /api/voice/originate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

let left = Number(total)
const times: number[] = []
const statuses: Record<string, number> = {}
const began = performance.now()

async function client(): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  let text = ''
  let sent = 0
  await new Promise<void>((resolve, reject) => {
    const next = () => {
      if (left-- <= 0) return resolve()
      sent = performance.now()
      socket.write(request)
    }
    socket.on('connect', next)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed')))
    socket.on('data', (chunk) => {
      text += String(chunk)
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < head + 4 + length) return
      times.push(performance.now() - sent)
      const status = text.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      text = text.slice(head + 4 + length)
      next()
    })
  })
  socket.removeAllListeners('close').destroy()
}

await Promise.all(Array.from({ length: Number(connections) }, client))
const seconds = (performance.now() - began) / 1000
const sorted = times.toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
console.log(JSON.stringify({ perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99), statuses }))
