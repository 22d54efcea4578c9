/** A stranger, or a thief with a token, on the web port: framing, smuggling, size, where the box may be sent. */
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { eventually, Scene } from '../../harness/scene.ts'
import { none, type Area, type Verdict } from './attack.ts'

/** Writes the bytes and answers all that came back until the peer closed or `ms` went by, and whether it closed. */
function raw(base: string, bytes: string, ms = 1500): Promise<{ text: string; closed: boolean }> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const timer = setTimeout(() => resolve({ text, closed: false }), ms)
    socket.on('data', (data) => (text += data.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve({ text, closed: true })
    })
    setTimeout(() => socket.destroy(), ms + 50).unref()
  })
}

const smuggled = (headers: string): string =>
  `POST /api/sms HTTP/1.1\r\nHost: box\r\n${headers}\r\n\r\nabcdeGET /metrics HTTP/1.1\r\nHost: box\r\n\r\nGET /metrics HTTP/1.1\r\nHost: box\r\n\r\n`

/** Framing that two programs may read differently: each must be answered with an error, if at all, and end the connection. */
const framings = [
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5\r\nContent-Length: 5',
  'Content-Length: 5, 5',
  'Content-Length: +5',
  'Content-Length: -5',
  'Content-Length: 0x5',
  'Content-Length: 5e0',
  'Content-Length: 18446744073709551621',
  'Content-Length:',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding : chunked',
  'Content-Length : 5',
  'X: y\r\n Content-Length: 5',
]

/** Programs on this machine that the configuration does not name: each counts what reaches it. */
async function bystander(): Promise<{ url: string; hits: () => number; close: () => void }> {
  let hits = 0
  const server = createServer((request, response) => {
    hits += 1
    response.setHeader('content-type', 'application/json').end('[]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits: () => hits, close: () => server.close() }
}

/** A WAV file with that many bytes of audio: 8 bit, mono. */
function wav(rate: number, bytes: number): Buffer {
  const file = Buffer.alloc(44 + bytes, 0x80)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + bytes, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36)
  file.writeUInt32LE(bytes, 40)
  return file
}

/** Of one answer, on a machine that has other things to do; unmended, the attacks that are measured so took two to five seconds there. */
const bearableMs = 1000

/** The longest that /healthz took, asked without a pause until `over`. */
async function slowest({ daemon }: Scene, over: () => boolean): Promise<number> {
  let most = 0
  while (!over()) {
    const began = performance.now()
    await (await fetch(`${daemon.http}/healthz`)).text()
    most = Math.max(most, performance.now() - began)
  }
  return Math.round(most)
}

/** Uploads of 2 MiB that stand still after their first byte. */
function standing({ daemon }: Scene, count: number): { close: () => void } {
  const { hostname, port } = new URL(daemon.http)
  const head = `POST /api/fax HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer ${daemon.token}\r\nContent-Type: application/json\r\nContent-Length: 2097152\r\n\r\n`
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head}{`))
    socket.on('error', () => {})
    const drip = setInterval(() => socket.writable && socket.write(' '.repeat(20_000)), 1000)
    socket.on('close', () => clearInterval(drip))
    return socket
  })
  return { close: () => sockets.forEach((socket) => socket.destroy()) }
}

export const http: Area = {
  name: 'http',
  attacks: [
    {
      name: `a request smuggled by framing, ${framings.length} ways`,
      play: async ({ daemon }) => {
        let answers = 0
        const kept: string[] = []
        for (const framing of framings) {
          const came = await raw(daemon.http, smuggled(framing), 700)
          answers += came.text.split('HTTP/1.1 200').length - 1
          if (!came.closed) kept.push(framing)
        }
        return none({ 'smuggled answers': answers, 'connections kept': kept.length }, JSON.stringify(kept.slice(0, 3)))
      },
    },
    {
      name: 'a token names programs on this machine as control URLs',
      play: async (): Promise<Verdict> => {
        const other = await bystander()
        const box = await Scene.open({
          settings: (settings) => (settings['callbacks'] = { ...(settings['callbacks'] as object), allowLoopback: false }),
        })
        try {
          const asked = [`${other.url}/voice`, other.url.replace('127.0.0.1', 'localhost'), other.url.replace('127.0.0.1', '127.0.0.2')]
          const taken = (await Promise.all(asked.map((controlUrl) => box.originate({ to: '101', controlUrl })))).filter(
            ({ status }) => status < 300,
          )
          box.app.script = (event) =>
            event.event === 'call.inbound.pre_route'
              ? [{ play: { url: `${other.url}/a.wav` } }, { redirect: { url: `${other.url}/next` } }]
              : []
          await box.call()
          // Nor does the application hear of the end: it is a program of this machine, too.
          await box.daemon.traced(/ended by/)
          return none({ accepted: taken.length, requests: other.hits() })
        } finally {
          await box.close()
          other.close()
        }
      },
    },
    {
      name: 'a token sends what is signed to a public address in the clear',
      play: async (box) => {
        const urls = ['http://8.8.8.8/x', 'http://[2606:4700::1111]/x', 'http://[64:ff9b:1::1]/x', 'http://[fec0::1]/x']
        const answers = await Promise.all(
          urls.flatMap((url) => [
            box.originate({ to: '101', controlUrl: url }),
            box.originate({ to: '101', endpoint: 'reception', statusCallbackUrl: url }),
          ]),
        )
        return none({ accepted: answers.filter(({ status }) => status < 300).length })
      },
    },
    {
      name: '10 MiB WAV files in play while others ask',
      play: async (box) => {
        const files = [8000, 16_000, 48_000].map((rate) => wav(rate, 10 * 1024 * 1024 - 100))
        box.app.status = () => ({ status: 204 })
        box.app.script = (event, { path }) => {
          if (path.startsWith('/file')) return { headers: { 'content-type': 'audio/wav' }, body: files[Number(path.at(-1))] as Buffer }
          return event.event === 'call.inbound.pre_route' ? files.map((_, n) => ({ play: { url: `${box.app.url}/file${n}` } })) : []
        }
        let over = false
        const most = slowest(box, () => over)
        const phone = await box.call()
        await eventually('the files are fetched', () => box.app.received.filter(({ path }) => path.startsWith('/file')).length >= 1)
        setTimeout(() => (over = true), 4000)
        const ms = await most
        await phone.close()
        return { seen: `/healthz took ${ms} ms at most`, stood: ms < bearableMs }
      },
    },
    {
      name: 'a megabyte of zeros where a list of 500 is due',
      play: async (box) => {
        let over = false
        const most = slowest(box, () => over)
        const zeros = `[${'0,'.repeat(500_000)}0]`
        const answers = await Promise.all([zeros, `{"reminders":${zeros}}`].map((body) => box.daemon.api('POST', '/api/reminders', body)))
        over = true
        const ms = await most
        return { seen: `/healthz took ${ms} ms at most, ${answers.map(({ status }) => status).join()}`, stood: ms < bearableMs }
      },
    },
    {
      name: 'uploads that drip hold the places for large bodies',
      play: async (box) => {
        const slow = standing(box, 4)
        try {
          await new Promise((done) => setTimeout(done, 6000))
          const body = JSON.stringify({ to: '+15551230001', pdfBase64: 'A'.repeat(1_500_000) })
          const { status } = await box.daemon.api('POST', '/api/fax', body)
          return { seen: `the next upload is answered ${status}`, stood: status !== 503 }
        } finally {
          slow.close()
        }
      },
    },
  ],
}
