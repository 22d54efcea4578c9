/** What a connection may cost: its time, its heads, its neighbours, and the memory of the parser. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openListener } from '../../daemon/http/listener.ts'
import { wasmBytes } from '../../daemon/http/llhttp.ts'
import type { Accept, WireRequest, WireResponse } from '../../daemon/http/wire.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/scene.ts'

interface Seen {
  readonly socket: Socket
  text: string
  closed: boolean
}

const head = (start: string, ...headers: string[]): string => [`${start} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

async function stage(t: Test, accept: Accept) {
  const clock = new FakeClock()
  const listener = await openListener({ host: '127.0.0.1', port: 0 }, accept, clock)
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    listener.stop()
    listener.close()
  })
  const open = async (bytes = ''): Promise<Seen> => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true })
    sockets.push(socket)
    const seen: Seen = { socket, text: '', closed: false }
    socket.setEncoding('latin1').on('data', (data: string) => (seen.text += data))
    socket.on('error', () => undefined)
    socket.once('end', () => socket.end())
    socket.once('close', () => (seen.closed = true))
    await once(socket, 'connect')
    if (bytes !== '') socket.write(bytes, 'latin1')
    return seen
  }
  return { clock, listener, open }
}

const fine: Accept = (res) => res.end('fine')

t.test('how long is waited, and what is said then', async (t) => {
  const held: WireResponse[] = []
  const { clock, open } = await stage(t, (res, req) => {
    if (req.path === '/now') return res.end('now')
    held.push(res)
    if (req.path === '/body') res.onData(() => undefined)
    if (req.path === '/stream') res.write('one')
  })
  const idle = await open(head('GET /now'))
  await eventually('an answer', () => idle.text.includes('now'))
  const kept = [
    { name: 'nothing at all', bytes: '', seconds: 15, says: /^HTTP\/1\.1 408 .*"requestId"/s },
    { name: 'half a head', bytes: 'GET / HTTP/1.1\r\nHost', seconds: 15, says: /^HTTP\/1\.1 408 / },
    { name: 'half a body', bytes: `${head('POST /body', 'Content-Length: 9')}1`, seconds: 300, says: /^HTTP\/1\.1 408 / },
    {
      name: 'half a body in the middle of an answer',
      bytes: `${head('POST /stream', 'Content-Length: 9')}1`,
      seconds: 300,
      says: /one\r\n$/,
    },
  ]
  const answering = await open(head('GET /long'))
  const seen = await Promise.all(kept.map(({ bytes }) => open(bytes)))
  await eventually('they have begun', () => held.length === 3)
  clock.advance(10_000)
  t.equal(idle.closed, false)
  clock.advance(1_000)
  await eventually('an idle connection is closed', () => idle.closed)
  t.equal(idle.text.match(/HTTP/g)?.length, 1, 'without a word')
  clock.advance(4_000)
  t.same(
    seen.map(({ text }) => /408/.test(text)),
    [false, false, false, false],
  )
  clock.advance(1_000)
  await eventually('slow heads are refused', () => seen[0]!.closed && seen[1]!.closed)
  clock.advance(284_000)
  t.equal(seen[2]!.closed, false)
  clock.advance(2_000)
  await eventually('slow bodies are, too', () => seen[2]!.closed && seen[3]!.closed)
  kept.forEach(({ name, says }, at) => t.match(seen[at]!.text, says, name))
  t.equal(answering.closed, false, 'for an answer nobody sets a time')
  held.find(({ socket }) => !socket.destroyed)!.end('late')
  await eventually('it comes', () => answering.text.includes('late'))
})

t.test('a head that comes a byte a second is refused after the time of one head', async (t) => {
  const { clock, open } = await stage(t, fine)
  const seen = await open('GET / HTTP/1.1\r\n')
  for (let second = 0; second < 15; second++) {
    seen.socket.write('X')
    await new Promise(setImmediate)
    clock.advance(1_000)
  }
  clock.advance(1_000)
  await eventually('it is closed', () => seen.closed)
  t.match(seen.text, /^HTTP\/1\.1 408 /)
})

t.test('a client that goes on after its last answer is read for a while, and then cut off', async (t) => {
  const { clock, open } = await stage(t, (res) => res.end('last', true))
  const seen = await open(head('POST /', 'Content-Length: 1000000'))
  seen.socket.removeAllListeners('end')
  await eventually('the answer', () => seen.text.endsWith('last'))
  t.match(seen.text, /\r\nConnection: close\r\n/)
  seen.socket.write('more')
  clock.advance(2_000)
  t.equal(seen.closed, false)
  seen.socket.write('x'.repeat(300_000))
  await eventually('it is cut off', () => {
    seen.socket.write('x')
    return seen.socket.destroyed
  })
})

t.test('heads: what is too much or unclear', async (t) => {
  const requests: WireRequest[] = []
  const { open } = await stage(t, (res, req) => {
    requests.push(req)
    res.end('fine')
  })
  const cases: [string, string, number][] = [
    ['199 headers', head('GET /', ...Array<string>(198).fill('X: y')), 200],
    ['201 headers', head('GET /', ...Array<string>(200).fill('X: y')), 431],
    ['8 KB of spaces', head('GET /', `X:${' '.repeat(9_000)}y`), 431],
    ['8 KB of empty lines', '\r\n'.repeat(5_000), 431],
    ['a long name', head('GET /', `${'n'.repeat(9_000)}: y`), 431],
    ['a long target', head(`GET /${'t'.repeat(9_000)}`), 431],
    ['two hosts', head('GET /', 'Host: x'), 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a folded header', head('GET /', 'X: y', ' z'), 400],
    ['line feeds alone', 'GET / HTTP/1.1\nHost: x\n\n', 400],
    ['a space before the colon', head('GET /', 'X : y'), 400],
    ['a zero', head('GET /', 'X: \0'), 400],
    ['extensions of a chunk', `${head('POST /', 'Transfer-Encoding: chunked')}1;${'x'.repeat(70_000)}`, 400],
    ['trailers', `${head('POST /wait', 'Transfer-Encoding: chunked')}0\r\n${'T: x\r\n'.repeat(30_000)}`, 400],
    ['an expectation that nobody knows', head('GET /', 'Expect: tea'), 417],
  ]
  for (const [name, bytes, status] of cases) {
    const seen = await open(bytes)
    await eventually(name, () => seen.text.includes('\r\n\r\n') || seen.closed)
    const answered = Number(seen.text.slice(9, 12))
    // What was answered before its end came is not answered again.
    t.ok(answered === status || (bytes.startsWith('POST') && answered === 200), `${name}: ${answered}`)
    if (status !== 200) await eventually(`${name}: closed`, () => seen.closed)
    seen.socket.destroy()
  }
  t.same(requests[0]?.headers.get('x'), Array<string>(198).fill('y').join(', '))

  await t.test('in an absolute target the authority stands for the host', async (t) => {
    const seen = await open(head('GET http://y:1/a?b=c'))
    await eventually('an answer', () => seen.text.includes('fine'))
    const { path, query, headers } = requests.at(-1)!
    t.same({ path, query, host: headers.get('host') }, { path: '/a', query: 'b=c', host: 'y:1' })
  })
})

t.test('a flood that nobody answers costs one read, and the parser of all connections does not grow by it', async (t) => {
  const { open } = await stage(t, () => undefined)
  const bytes = wasmBytes()
  const flood = await open()
  const sent = 400
  for (let n = 0; n < sent; n++) flood.socket.write(head('GET /').repeat(4_000))
  const taken = (): number => flood.socket.bytesWritten - flood.socket.writableLength
  let before = -1
  await eventually(
    'nothing more is taken',
    async () => {
      const same = taken() === before
      before = taken()
      return same && before > 0
    },
    undefined,
    100,
  )
  t.ok(flood.socket.writableLength > 0, `${taken()} bytes were taken`)
  const halves = await Promise.all(Array.from({ length: 200 }, () => open('GET / HTTP/1.1\r\nHo')))
  t.ok(wasmBytes() - bytes <= 64 * 1024, `${wasmBytes() - bytes} bytes more for 200 half heads`)
  for (const { socket } of [flood, ...halves]) socket.destroy()
})

t.test('a unix socket takes heads of 64 KB', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-listener-'))
  const listener = await openListener({ path: join(dir, 's') }, fine)
  t.teardown(() => {
    listener.stop()
    listener.close()
    rmSync(dir, { recursive: true, force: true })
  })
  for (const [bytes, status] of [
    [60_000, 200],
    [70_000, 431],
  ] as const) {
    const socket = connect(join(dir, 's'))
    socket.setEncoding('latin1').write(head(`GET /${'a'.repeat(bytes)}`))
    const [text] = (await once(socket, 'data')) as [string]
    t.equal(Number(text.slice(9, 12)), status)
    socket.destroy()
  }
})

t.test('a body arrives whole, wherever it was cut and however late somebody takes it', async (t) => {
  const delays = { atOnce: (work: () => void) => work(), turn: setImmediate, later: (work: () => void) => setTimeout(work, 5) }
  for (const [name, delay] of Object.entries(delays)) {
    const { open } = await stage(t, (res) => {
      let text = ''
      delay(() =>
        res.onData((piece, isLast) => {
          text += Buffer.from(piece).toString('latin1')
          if (isLast) return res.end(`<${text}>`)
          res.pause()
          delay(() => res.resume())
        }),
      )
    })
    const post = `${head('POST /a', 'Content-Length: 10')}0123456789`
    const chunks = `${head('POST /b', 'Transfer-Encoding: chunked')}5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n`
    for (const bytes of [post, chunks])
      for (let cut = 1; cut < bytes.length; cut += 3) {
        const seen = await open(bytes.slice(0, cut))
        await new Promise((done) => setTimeout(done, cut % 2))
        seen.socket.write(bytes.slice(cut) + head('GET /next', 'Content-Length: 0'), 'latin1')
        await eventually(`${name}, ${cut} bytes first`, () => seen.text.includes('<>'), 2000)
        t.ok(seen.text.includes('<0123456789>'), `${name}, ${cut} bytes first`)
      }
  }
})

t.test('what one connection sends is not overwritten by what the others send, while it is held up', async (t) => {
  const held: WireResponse[] = []
  const bodies = new Map<string, string>()
  const { open } = await stage(t, (res, req) => {
    if (req.path === '/held') return void held.push(res)
    const pieces: Uint8Array[] = []
    res.onData((piece, isLast) => {
      pieces.push(piece)
      if (!isLast) return
      bodies.set(req.path, Buffer.concat(pieces).toString('latin1'))
      res.end(req.path)
    })
  })
  const body = (letter: string) => letter.repeat(9_000)
  const whole = (letter: string) => `${head(`POST /${letter}`, 'Content-Length: 9000')}${body(letter)}`
  // A request behind one that is not answered yet, half a body, and half a head.
  const behind = await open(`${head('GET /held')}${whole('a')}`)
  const cut = whole('b')
  const half = await open(cut.slice(0, 5_000))
  const start = await open(whole('c').slice(0, 20))
  await eventually('the first request', () => held.length === 1)
  for (const letter of ['d', 'e', 'f']) {
    const other = await open(whole(letter))
    await eventually('an answer', () => other.text.endsWith(`/${letter}`))
  }
  held[0]!.end('held')
  half.socket.write(cut.slice(5_000), 'latin1')
  start.socket.write(whole('c').slice(20), 'latin1')
  await eventually('all answers', () => behind.text.endsWith('/a') && half.text.endsWith('/b') && start.text.endsWith('/c'))
  for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) t.equal(bodies.get(`/${letter}`), body(letter))
})
