/** The servers of the stream tests are themselves tried, with a stand-in that speaks the published frames: what each does, it does. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { linearToUlaw, tone as pcmTone } from '../harness/audio.ts'
import { certificate } from '../harness/processes.ts'
import { quiet } from '../harness/streams/frames.ts'
import * as manners from '../harness/streams/manners.ts'
import { StreamServer, type Manner, type StreamServerOptions } from '../harness/streams/server.ts'
import { StandIn, type StandInOptions } from '../harness/streams/stand-in.ts'
import { judgeTone, tonePiece } from '../harness/streams/tones.ts'

async function meet(t: Test, manner: Manner, options: StandInOptions = {}, serverOptions: StreamServerOptions = {}) {
  const server = await StreamServer.open(manner, serverOptions)
  t.teardown(() => server.close())
  const caller = await StandIn.call(server.url, { speed: 20, ...options })
  t.teardown(() => caller.close())
  return { server, caller, session: await server.session() }
}

t.test('a recorder has what the caller said, and no fault with who says it well', async (t) => {
  const says = Uint8Array.from(pcmTone(440, 400), linearToUlaw)
  const { server, caller, session } = await meet(t, manners.recorder(), { says, parameters: { patient: 'A-5' } })
  await session.frame('media', 30)
  caller.press('#')
  await session.frame('dtmf')
  caller.hangUp()
  t.match(await session.over(), { code: 1000 })
  t.equal(Buffer.compare(session.audio().subarray(0, says.length), Buffer.from(says)), 0)
  t.ok(
    session
      .audio()
      .subarray(says.length)
      .every((byte) => byte === quiet),
  )
  t.same(server.allFaults(), [])
})

t.test('an echo sends every byte back', async (t) => {
  const says = tonePiece(0, 8000)
  const { server, caller, session } = await meet(t, manners.echo(), { says })
  await caller.until('a second and a half', () => caller.received.length >= 75)
  const sent = caller.received.map(({ media }) => Buffer.from((media as { payload: string }).payload, 'base64'))
  t.match(judgeTone(Buffer.concat(sent)), { length: 8000, wrong: 0 })
  caller.hangUp()
  await session.over()
  t.same(server.allFaults(), [])
})

t.test('the tone is whole at every chunk border, and each of its marks comes back when its second was played', async (t) => {
  // All of it at once: at a hundred times the speed of a telephone a moment is a second.
  const seconds = 60
  const { server, caller, session } = await meet(t, manners.tone({ seconds, close: true, aheadSeconds: seconds }), { speed: 100 })
  t.match(await session.over(), { code: 1000 })
  t.match(judgeTone(caller.heard), { length: seconds * 8000, firstWrong: -1, wrong: 0 })
  t.equal(caller.marks.length, seconds)
  const first = caller.marks[0]!.playedMs
  for (const [n, { name, playedMs }] of caller.marks.entries()) {
    t.equal(name, n === seconds - 1 ? 'end' : String(n + 1))
    t.ok(Math.abs(playedMs - first - n * 1000) <= 20, `mark ${name} after ${playedMs - first} ms`)
  }
  t.same(server.allFaults(), [])
})

t.test('the judge of tones hears a lost byte, a repeated frame, a click and a gap', async (t) => {
  const whole = tonePiece(0, 24_000)
  const lead = new Uint8Array(480).fill(quiet)
  t.match(judgeTone(Buffer.concat([lead, whole, lead])), { lead: 480, length: 24_000, wrong: 0 })
  for (const [what, pieces] of Object.entries({
    'a lost byte': [whole.subarray(0, 5000), whole.subarray(5001)],
    'a repeated frame': [whole.subarray(0, 8160), whole.subarray(8000)],
    'a gap of a frame': [whole.subarray(0, 8160), new Uint8Array(160).fill(quiet), whole.subarray(8160)],
  }))
    t.ok(judgeTone(Buffer.concat([lead, ...pieces])).wrong > 1000, what)
  const click = whole.slice()
  click[12_345] = 0
  t.match(judgeTone(Buffer.concat([lead, click])), { firstWrong: 12_345, wrong: 1 })
})

t.test('who stalls, stalls, and goes on after it', async (t) => {
  t.test('reading nothing', async (t) => {
    const { caller, session } = await meet(t, manners.deaf(1000), { speed: 1 })
    await caller.until('1.6 s', () => caller.playedMs >= 1600)
    const times = session.frames('media').map(({ at }) => at)
    const gaps = times.slice(1).map((at, n) => at - times[n]!)
    t.ok(Math.max(...gaps) >= 900, `nothing was read for ${Math.max(...gaps).toFixed()} ms`)
    await session.frame('media', 60)
  })
  t.test('saying nothing', async (t) => {
    const { caller, session } = await meet(t, manners.mute(600), { speed: 1, says: tonePiece(0, 4800) })
    await caller.until('audio', () => caller.received.length > 0)
    const began = session.frames('media')[0]!.at
    t.ok(performance.now() - began >= 600)
    t.ok(caller.received.length > 0)
    await caller.until('all of it', () => judgeTone(caller.heard).length === 4800)
    t.equal(judgeTone(caller.heard).wrong, 0)
  })
})

for (const moment of manners.moments) {
  for (const how of ['reset', 'end'] as const) {
    t.test(`a crash by ${how} at the moment: ${moment}`, async (t) => {
      const { server, caller, session } = await meet(t, manners.crashAt(moment, how))
      if (moment === 'stop') await caller.until('some audio', () => caller.playedMs >= 200)
      if (moment === 'stop') caller.hangUp()
      await caller.until('the end', () => caller.closed !== undefined)
      if (moment !== 'stop') t.equal(caller.closed?.code, 1006, 'without a close frame')
      await session.over()
      const last = session.arrived.at(-1)?.frame['event']
      if (moment === 'connected' || moment === 'start') t.equal(last, moment)
      // A reset takes away what was not read yet.
      if (how === 'end' && (moment === 'queued' || moment === 'marked')) t.ok(caller.received.some(({ event }) => event === 'media'))
      if (how === 'end' && moment === 'cleared') t.equal(caller.received.at(-1)?.['event'], 'clear')
      t.same(server.allFaults(), [])
    })
  }
}

t.test('the largest frame has a MiB to the byte, with whole audio', async (t) => {
  for (const size of [manners.mostFrameBytes, manners.mostFrameBytes + 1]) {
    const { text, audio } = manners.frameOfSize(`MZ${'0'.repeat(32)}`, size)
    t.equal(Buffer.byteLength(text), size)
    const { media } = JSON.parse(text) as { media: { payload: string } }
    t.equal(Buffer.compare(Buffer.from(media.payload, 'base64'), audio), 0)
  }
  const { caller } = await meet(t, manners.huge({ frames: 3 }))
  await caller.until('four', () => caller.received.length === 4)
})

t.test('rubbish is rubbish to the last piece', async (t) => {
  const { server, caller, session } = await meet(t, manners.garbage({ seed: 7 }))
  await caller.until('the mark', () => caller.marks.some(({ name }) => name === 'still here'))
  t.ok(
    caller.received.filter(({ event, media }) => event === 'media' && typeof (media as any)?.payload === 'string').length <= 2,
    'no piece of it is audio but those whose payload is empty or no base64',
  )
  await session.frame('mark')
  t.same(server.allFaults(), [])
})

t.test('marks without end', async (t) => {
  const { server, session } = await meet(t, manners.endlessMarks({ most: 3000, audioEvery: 100, name: (n) => `same ${n % 7}` }))
  await session.frame('mark', 3000)
  t.same(server.allFaults(), [])
})

t.test('a header in front of the audio is sent as one', async (t) => {
  const { caller } = await meet(t, manners.withHeader())
  await caller.until('the mark', () => caller.marks.length === 1)
  const at = caller.heard.indexOf('RIFF')
  t.ok(at >= 0)
  t.match(judgeTone(caller.heard.subarray(at + 44)), { length: 8000, wrong: 0 })
})

t.test('an upgrade is judged, and refused when that is asked for', async (t) => {
  const secret = 'a secret'
  const server = await StreamServer.open(manners.recorder(), {
    secret,
    refuse: (_, nth) => (nth === 1 ? 503 : nth === 2 ? 'reset' : undefined),
  })
  t.teardown(() => server.close())
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).digest('hex')}`,
    'x-service-call-id': `CA${'0'.repeat(32)}`,
  }
  const attempt = async (more: Record<string, string>, perMessageDeflate = false): Promise<number | string> => {
    const socket = new WebSocket(`${server.url}/media?token=a%20b`, { headers: { ...headers, ...more }, perMessageDeflate })
    t.teardown(() => socket.terminate())
    return new Promise((resolve) => {
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      socket.once('open', () => resolve('open'))
    })
  }
  t.equal(await attempt({}), 503)
  t.equal(await attempt({}), 'ECONNRESET')
  t.equal(await attempt({}), 'open')
  t.same(server.faults, [])
  t.equal((await server.session()).opened.url, '/media?token=a%20b')
  await attempt({ 'x-service-signature': 'sha256=0', 'x-service-call-id': 'me' }, true)
  t.match(server.faults, [/extensions are offered: permessage-deflate/, /signature is sha256=0/, /call id is me/])
  t.equal(server.upgrades.length, 4)
})

t.test('over TLS it shows its own certificate', async (t) => {
  const dir = t.testdir({})
  await certificate(dir)
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(dir, name)))
  const server = await StreamServer.open(manners.recorder(), { tls: { cert: cert!, key: key! } })
  t.teardown(() => server.close())
  t.match(server.url, /^wss:/)
  await t.rejects(StandIn.call(server.url), /self-signed/)
  const caller = await StandIn.call(server.url, { ca: cert! })
  t.teardown(() => caller.close())
  const session = await server.session()
  await session.frame('media', 3)
  t.same(server.allFaults(), [])
})

t.test('an upgrade that is never answered stays so', async (t) => {
  const server = await StreamServer.open(manners.recorder(), { refuse: () => 'hang' })
  t.teardown(() => server.close())
  const socket = new WebSocket(server.url, { handshakeTimeout: 300 })
  const [error] = (await once(socket, 'error')) as [Error]
  t.match(error.message, /timed out/)
  t.equal(server.sessions.length, 0)
})
