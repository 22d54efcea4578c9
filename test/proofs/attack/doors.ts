/** Strangers, other pages, devices behind proxies and holders of one signature or token at the doors of the box: what opens, and for whom. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { crmSecret } from '../../harness/crm.ts'
import type { Scene } from '../../harness/scene.ts'
import { sign } from '../../../daemon/base/signing.ts'
import { none, type Area } from './attack.ts'

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly localAddress?: string
}

/** A request as it is written down here: of `fetch` some headers cannot be set. */
async function ask({ daemon }: Scene, path: string, { method = 'GET', headers = {}, body = '', localAddress = '127.0.0.1' }: Asked = {}) {
  const length: Record<string, string> =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const asked = request(`${daemon.http}${path}`, { method, localAddress, agent: false, headers: { ...length, ...headers } })
  asked.end(body)
  const [answer] = await once(asked, 'response')
  let text = ''
  // A stream of events has no end.
  if (/event-stream/.test(answer.headers['content-type'] ?? '')) answer.destroy()
  else for await (const chunk of answer) text += chunk
  return { status: answer.statusCode as number, text }
}

const now = (): number => Math.floor(Date.now() / 1000)
const signed = (body: string, at = now()): Record<string, string> => ({
  'x-service-timestamp': String(at),
  'x-service-signature': sign(crmSecret, at, body),
})
const bearer = ({ daemon }: Scene): Record<string, string> => ({ authorization: `Bearer ${daemon.token}` })

/** Uploads of 32 MiB with a signature that nobody made, one after the other, at `bytesPerSecond`. */
function pours({ daemon }: Scene, bytesPerSecond: number): { stop: () => void; sent: () => number } {
  const { hostname, port } = new URL(daemon.http)
  const piece = Buffer.alloc(64 * 1024, 0x20)
  let stopped = false
  let sent = 0
  const open = (): void => {
    if (stopped) return
    const socket = connect({ port: Number(port), host: hostname, localAddress: '127.0.0.9' })
    socket.write(
      `POST /api/pbx/import/pbx-export HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: text/csv\r\nX-Service-Timestamp: ${now()}\r\nX-Service-Signature: sha256=${'0'.repeat(64)}\r\nContent-Length: 33554432\r\n\r\n`,
    )
    const pour = (): void => {
      if (stopped || socket.destroyed) return void socket.destroy()
      sent += piece.length
      socket.write(piece, () =>
        bytesPerSecond === Infinity ? setImmediate(pour) : setTimeout(pour, (piece.length * 1000) / bytesPerSecond),
      )
    }
    socket.on('connect', pour)
    socket.on('error', () => undefined)
    socket.on('data', () => undefined)
    socket.on('close', () => setTimeout(open, 5))
  }
  open()
  return { stop: () => (stopped = true), sent: () => sent }
}

/** Milliseconds that /healthz took, asked every 5 ms for so long, by a process that does nothing else. */
async function healthOf({ daemon }: Scene, ms: number): Promise<number[]> {
  const asks = `const times = []
    const until = performance.now() + ${ms}
    while (performance.now() < until) {
      const began = performance.now()
      await (await fetch('${daemon.http}/healthz')).text()
      times.push(performance.now() - began)
      await new Promise((done) => setTimeout(done, 5))
    }
    console.log(JSON.stringify(times.sort((a, b) => a - b)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', asks])
  return JSON.parse(stdout) as number[]
}

/** Of 99 in 100. */
const slowest = (sorted: readonly number[]): number => Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)

/** Values that are no token, no code and no name, for every place where one is looked for. */
const hostile = [
  '\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9',
  '%C3%A9.%C3%A9%C3%A9',
  '__proto__',
  'constructor',
  'abcdef.constructor',
  '..',
  '%2e%2e%2f',
  '%00',
  'a'.repeat(3000),
  `${'a'.repeat(2500)}.b`,
  '-1',
  '1e999',
  '{}',
  '%F0%9F%92%A9',
]

/** All paths of the web port, each parameter replaced by `value`. */
async function pathsOf(box: Scene, value: string): Promise<[method: string, path: string][]> {
  const { paths } = JSON.parse((await ask(box, '/openapi.json')).text) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, value)]),
  )
}

export const doors: Area = {
  name: 'doors',
  settings: (settings) => {
    settings.crm = { ...settings.crm, secret: crmSecret }
    settings.limits = { ...settings.limits, requestsPerSecond: 1000, burst: 1000, authFailuresPerMinute: 1000 }
  },
  attacks: [
    ...(
      [
        ['4 at full speed', 4, Infinity],
        ['8 at 700 kB/s', 8, 700_000],
      ] as const
    ).map(([name, count, speed]) => ({
      name: `made-up signatures before 32 MiB, ${name}`,
      play: async (box: Scene) => {
        const quiet = slowest(await healthOf(box, 2000))
        const all = Array.from({ length: count }, () => pours(box, speed))
        const health = healthOf(box, 5000)
        const body = JSON.stringify({ to: '+15551230001', pdfBase64: 'A'.repeat(1_500_000) })
        const uploads: number[] = []
        for (let n = 0; n < 6; n++) {
          await new Promise((done) => setTimeout(done, 600))
          uploads.push((await box.daemon.api('POST', '/api/fax', body)).status)
        }
        const slow = slowest(await health)
        all.forEach(({ stop }) => stop())
        const poured = all.reduce((sum, { sent }) => sum + sent(), 0)
        return {
          seen: `/healthz ${slow} ms at most of 99 in 100 (without: ${quiet}), uploads of others ${uploads.join()}, ${Math.round(poured / 1e6)} MB poured`,
          stood: slow < 100 + 5 * quiet && !uploads.includes(503),
        }
      },
    })),
    {
      name: 'the signature of one GET, of one POST, and of the box, used for more',
      play: async (box) => {
        const get = signed('')
        const status = (await ask(box, '/api/pbx/sync/status', { headers: get })).status
        const changes = ['integration/disable', 'integration/enable', 'sync/full', 'customers/c_1/sync', 'customers/c%5F1/sync']
        let opened = 0
        for (const path of changes)
          for (const more of [{}, { 'transfer-encoding': 'chunked' }])
            if ((await ask(box, `/api/pbx/${path}`, { method: 'POST', headers: { ...get, ...more } })).status < 400) opened += 1
        const body = '{"reason":"once"}'
        const once = signed(body)
        const first = (await ask(box, '/api/pbx/integration/disable', { method: 'POST', headers: once, body })).status
        let again = 0
        for (const path of ['disable', 'disable?x=1', 'd%69sable'])
          if ((await ask(box, `/api/pbx/integration/${path}`, { method: 'POST', headers: once, body })).status === 200) again += 1
        await box.daemon.kill()
        await box.daemon.start()
        if ((await ask(box, '/api/pbx/integration/disable', { method: 'POST', headers: once, body })).status === 200) again += 1
        await ask(box, '/api/pbx/integration/enable', { method: 'POST', headers: bearer(box), body: '{}' })
        return none({
          'changes by a GET': opened,
          repetitions: again,
          'right ones refused': Number(status !== 200) + Number(first !== 200),
        })
      },
    },
    {
      name: '220 half bodies of 5 kB of one address, and a CRM that sends its list of 5 MB after a restart',
      play: async (box) => {
        const { hostname, port } = new URL(box.daemon.http)
        await ask(box, '/api/pbx/sync/status', { headers: signed('') })
        await box.daemon.kill()
        await box.daemon.start()
        const head = `POST /api/pbx/integration/enable HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900000\r\nX-Service-Signature: sha256=00\r\n\r\n`
        const sockets = Array.from({ length: 220 }, () => {
          const socket = connect({ port: Number(port), host: hostname, localAddress: '127.0.0.9' })
          socket.on('error', () => undefined)
          socket.write(head + ' '.repeat(5000))
          return socket
        })
        await new Promise((done) => setTimeout(done, 500))
        const customers = Array.from({ length: 40_000 }, (_, n) => ({
          id: `l${n}`,
          name: `${'Somebody with a long name '.repeat(3)}${n}`,
          phones: [],
        }))
        const list = JSON.stringify({ customers, mode: 'merge', dryRun: true })
        const known = (await ask(box, '/api/pbx/import/pbx-export', { method: 'POST', headers: signed(list), body: list })).status
        const body = JSON.stringify({ reason: 'x'.repeat(20_000) })
        const small = await ask(box, '/api/pbx/integration/enable', {
          method: 'POST',
          headers: signed(body),
          body,
          localAddress: '127.0.0.10',
        })
        sockets.forEach((socket) => socket.destroy())
        return none(
          { 'lists refused': Number(known !== 200), 'others kept out': Number(small.status === 503) },
          `${known}, ${small.status}`,
        )
      },
    },
    {
      name: 'one token opens 400 streams of events at once',
      play: async (box) => {
        const { hostname, port } = new URL(box.daemon.http)
        let reading = 0
        const sockets = Array.from({ length: 400 }, () => {
          const socket = connect(Number(port), hostname)
          socket.on('error', () => undefined)
          socket.on('data', (data) => (reading += Number(String(data).startsWith('HTTP/1.1 200'))))
          socket.write(`GET /api/pbx/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${box.daemon.token}\r\n\r\n`)
          return socket
        })
        await new Promise((done) => setTimeout(done, 2500))
        const abort = new AbortController()
        const other = await fetch(`${box.daemon.http}/api/pbx/events`, { headers: signed(''), signal: abort.signal })
        abort.abort()
        sockets.forEach((socket) => socket.destroy())
        return { seen: `${reading} read, another program is answered ${other.status}`, stood: reading <= 50 && other.status === 200 }
      },
    },
    {
      name: 'a page of another site whose name points here (DNS rebinding)',
      play: async (box) => {
        const { code } = JSON.parse((await box.daemon.pbx('phones', 'add', '101', '--json')).out) as { code: string }
        const headers = { host: 'evil.example' }
        const opened: string[] = []
        for (const path of ['/', '/metrics', '/openapi.json', '/docs', `/provision/${code}/`])
          if ((await ask(box, path, { headers })).status < 400) opened.push(path)
        for (const host of ['evil.example', 'localhost', '127.0.0.1'])
          if ((await ask(box, '/metrics', { headers: { host } })).status < 400) opened.push(`/metrics as ${host}`)
        const health = (await ask(box, '/healthz', { headers })).status
        return none({ answers: opened.length, 'health checks refused': Number(health !== 200) }, opened.join(' '))
      },
    },
    {
      name: 'devices behind a proxy on the box, each by a code or a MAC address',
      play: async (box) => {
        const { code } = JSON.parse((await box.daemon.pbx('phones', 'add', '101', '--mac', '00:15:65:00:00:01', '--json')).out) as {
          code: string
        }
        let given = 0
        const passedOn = [
          { 'x-forwarded-for': '198.51.100.7' },
          { forwarded: 'for=198.51.100.8' },
          { 'x-forwarded-for': '' },
          { 'x-forwarded-for': '127.0.0.1' },
        ]
        for (const headers of passedOn)
          for (const path of [`/provision/${code}/001565000001.cfg`, '/provision/001565000001.cfg'])
            if ((await ask(box, path, { headers })).status === 200) given += 1
        const first = await Promise.all(
          Array.from({ length: 10 }, (_, n) => ask(box, `/provision/${code}/001565000001.cfg`, { localAddress: `127.0.0.${20 + n}` })),
        )
        const passwords = first.filter(({ text }) => text.includes('password')).length
        const later = await ask(box, `/provision/${code}/001565000001.cfg`, { localAddress: '127.0.0.20' })
        return none(
          { 'passwords by the proxy': given, 'passwords beyond the first': passwords - 1, 'of a spent code': Number(later.status === 200) },
          `${passwords} of 10 at once`,
        )
      },
    },
    {
      name: `${hostile.length} hostile values as tokens, codes, names and headers on all paths`,
      play: async (box) => {
        const faults: string[] = []
        let count = 0
        const send = async (method: string, path: string, headers: Record<string, string>): Promise<void> => {
          count += 1
          const { status } = await ask(box, path, { method, headers, body: method === 'GET' || method === 'DELETE' ? '' : '{}' })
          if (status >= 500 && status !== 503) faults.push(`${status} ${method} ${path.slice(0, 60)}`)
        }
        const paths = await pathsOf(box, 'VALUE')
        for (const value of hostile) {
          const plain = encodeURI(decodeURIComponent(value)).slice(0, 3000)
          const open = paths.filter(([, path]) => path.includes('VALUE'))
          await Promise.all(open.map(([method, path]) => send(method, path.replaceAll('VALUE', encodeURI(value)), bearer(box))))
          for (const path of ['/api/pbx/sync/status', '/readyz', '/api/voice/calls', '/provision/abcdef.x/', '/api/sms/webhook/x']) {
            const latin = Buffer.from(decodeURIComponent(value).replaceAll('\0', '')).toString('latin1')
            const names = [
              'authorization',
              'x-service-signature',
              'x-service-timestamp',
              'x-forwarded-for',
              'forwarded',
              'host',
              'idempotency-key',
              'last-event-id',
              'accept',
            ]
            await Promise.all(names.map((name) => send('GET', path, { [name]: name === 'authorization' ? `Bearer ${latin}` : latin })))
            await send('GET', path, { authorization: `Basic ${Buffer.from(plain).toString('base64')}` })
          }
          for (const key of [plain, `abcdef.${plain}`, `${plain}.${plain}`])
            await send('GET', `/provision/${key.replaceAll('/', '%2F')}`, {})
        }
        return none({ 'faults of the box': faults.length }, `${count} requests; ${[...new Set(faults)].slice(0, 5).join('; ')}`)
      },
    },
  ],
}
