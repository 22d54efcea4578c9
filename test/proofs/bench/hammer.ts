/**
 * A small HTTP client for load. Argument: a HammerJob as JSON. Prints its figures as one line of JSON.
 */
import { connect } from 'node:net'

export interface HammerJob {
  readonly port: number
  readonly token: string
  readonly requests: number
  readonly connections: number
  readonly method: 'GET' | 'POST'
  /** In path and body, `{n}` stands for a number that is another for each request. */
  readonly path: string
  readonly body?: string
  /** `{n}` is `first` and then so much more; at `modulo` above the first it starts again. */
  readonly numbers?: { readonly first: number; readonly step: number; readonly modulo: number }
}

const job = JSON.parse(process.argv[2] ?? '{}') as HammerJob
const { port, token, method, numbers = { first: 0, step: 1, modulo: 1 } } = job
let left = job.requests
let made = 0

function request(): string {
  const n = String(numbers.first + ((made++ * numbers.step) % numbers.modulo))
  const head = `${method} ${job.path.replace('{n}', n)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  if (job.body === undefined) return `${head}\r\n`
  const body = job.body.replaceAll('{n}', n)
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const times: number[] = []
const statuses: Record<string, number> = {}
const began = performance.now()

async function client(): Promise<void> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  let text = ''
  let whole = 0
  let sent = 0
  await new Promise<void>((resolve, reject) => {
    const next = () => {
      if (left-- <= 0) return resolve()
      const bytes = request()
      sent = performance.now()
      socket.write(bytes)
    }
    socket.on('connect', next)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed')))
    socket.on('data', (chunk) => {
      text += String(chunk)
      if (whole === 0) {
        const head = text.indexOf('\r\n\r\n')
        if (head < 0) return
        whole = head + 4 + Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0)
      }
      if (text.length < whole) return
      times.push(performance.now() - sent)
      const status = text.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      text = text.slice(whole)
      whole = 0
      next()
    })
  })
  socket.removeAllListeners('close').destroy()
}

await Promise.all(Array.from({ length: job.connections }, client))
const seconds = (performance.now() - began) / 1000
const sorted = times.toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
console.log(JSON.stringify({ perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99), statuses }))
