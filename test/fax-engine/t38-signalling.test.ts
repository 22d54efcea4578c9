/** The change to T.38 as strangers do it: message by message, against a peer that knows no T.30. */
import t from 'tap'
import { createSocket, type Socket } from 'node:dgram'
import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Engine, skip, trunk } from '../engine/engine.ts'
import { Dialog, SipPeer, type SipMessage } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import { makePage, writeTiff } from './tiff.ts'

t.setTimeout(240_000)

function image(port: number, { version = 2, lines = [] as string[], more = [] as string[] } = {}): string {
  const attributes = ['T38FaxVersion:0', 'T38MaxBitRate:14400', 'T38FaxRateManagement:transferredTCF', 'T38FaxUdpEC:t38UDPRedundancy']
  const head = ['v=0', `o=- 1 ${version} IN IP4 127.0.0.1`, 's=-', 'c=IN IP4 127.0.0.1', 't=0 0']
  return [...head, ...lines, `m=image ${port} udptl t38`, ...attributes.map((a) => `a=${a}`), ...more, ''].join('\r\n')
}

const mediaLines = (message: SipMessage): string[] => message.body.split('\r\n').filter((line) => line.startsWith('m='))
const portOf = (message: SipMessage): number => Number(/^m=image (\d+) udptl t38/m.exec(message.body)?.[1] ?? 0)

/** The far end's T.38 socket. */
class Ear {
  readonly socket: Socket = createSocket('udp4')
  readonly got: Buffer[] = []
  #waiting: (() => void)[] = []
  async open(address = '127.0.0.1'): Promise<number> {
    await new Promise<void>((resolve) => this.socket.bind(0, address, resolve))
    this.socket.on('message', (data) => {
      this.got.push(data)
      for (const wake of this.#waiting.splice(0)) wake()
    })
    return this.socket.address().port
  }
  async next(): Promise<Buffer> {
    while (this.got.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return this.got.shift()!
  }
}

t.test('T.38 signalling', { skip }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'fax-t38-'))
  const file = join(directory, 'page.tif')
  writeTiff(file, [makePage(200, 1)])
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  const ears: Ear[] = []
  t.teardown(async () => {
    for (const ear of ears) ear.socket.close()
    peer.close()
    await engine.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  const ear = async (address?: string): Promise<{ ear: Ear; port: number }> => {
    const one = new Ear()
    ears.push(one)
    return { ear: one, port: await one.open(address) }
  }
  const callIn = async (): Promise<{ call: Dialog; leg: number }> => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const leg = Number((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    return { call, leg }
  }
  /** Resolves when the engine has the order: what the peer says next finds a fax that wants T.38. */
  const send = async (leg: number, more: object = {}): Promise<void> => {
    engine.send('faxSend', {
      leg,
      file,
      standardFile: '',
      firstPage: 0,
      stationId: '1',
      header: 'x',
      ecm: true,
      modems: ['v17', 'v29'],
      t38: true,
      ...more,
    })
    engine.send('ping', { n: leg })
    await engine.next('pong', { n: leg })
  }
  const receive = (leg: number): void =>
    engine.send('faxReceive', { leg, file: join(directory, 'in.tif'), stationId: '2', ecm: true, modems: ['v17', 'v29'], t38: true })

  await t.test('the far end changes, refreshes with and without a description, and goes back to audio', async (t) => {
    const { call, leg } = await callIn()
    await send(leg)
    const { ear: heard, port } = await ear()
    call.send('INVITE', { body: image(port) })
    const changed = await call.answered()
    t.equal(changed.status, 200)
    t.equal(mediaLines(changed).length, 1)
    t.match(changed.body, 'a=T38FaxUdpEC:t38UDPRedundancy')
    t.match(changed.body, 'a=T38FaxVersion:0')
    const own = portOf(changed)
    t.ok(own > 0)
    const datagram = await heard.next()
    t.ok(datagram.length >= 6, 'UDPTL comes')
    t.equal(datagram.readUInt16BE(0), 0, 'numbered from 0')

    call.send('INVITE', { body: image(port, { version: 2 }) })
    t.equal(portOf(await call.answered()), own, 'the refresh is mirrored')
    call.send('INVITE')
    const offer = await call.final('INVITE')
    call.learn(offer)
    t.equal(portOf(offer), own, 'an offer of ours names T.38 too')
    call.send('ACK', { body: image(port, { version: 3 }) })
    t.equal((await call.ask('UPDATE')).status, 200)
    heard.got.length = 0
    await heard.next()

    const stranger = await ear('127.0.0.2')
    stranger.ear.socket.send(datagram, own, '127.0.0.1')
    heard.got.length = 0
    await heard.next()
    t.equal(stranger.ear.got.length, 0, 'a stranger is not answered')

    call.send('INVITE', { body: sdp(9, { version: 4 }) })
    t.match(mediaLines(await call.answered()), [/^m=audio [1-9]/])
    await call.ask('BYE')
    t.match(await engine.next('faxEnded', { leg }), { code: 49, transport: 't38', pages: 0 })
    await engine.next('ended', { leg })
    t.same([...engine.of('held'), ...engine.of('resumed')], [], 'it was never a hold')
  })

  await t.test('a call whose audio is its second line changes there, by our offer, and keeps its lines', async (t) => {
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9).replace('m=audio', 'm=video 0 RTP/AVP 34\r\nm=audio') })
    const leg = Number((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    t.match(mediaLines(await call.answered()), [/^m=video 0/, /^m=audio [1-9]/])
    await engine.next('answered', { leg })
    receive(leg)
    const asked = await call.request('INVITE')
    t.match(mediaLines(asked), [/^m=video 0 /, /^m=image [1-9]\d* udptl t38/])
    const { ear: heard, port } = await ear()
    peer.answer(asked, 200, { body: image(port, { lines: ['m=video 0 RTP/AVP 34'] }) })
    await call.request('ACK')
    t.ok((await heard.next()).length >= 6, 'UDPTL comes')
    await call.ask('BYE')
    t.match(await engine.next('faxEnded', { leg }), { transport: 't38' })
    await engine.next('ended', { leg })
  })

  await t.test('an offer of two lines gets an answer of two', async (t) => {
    const { call, leg } = await callIn()
    await send(leg)
    const { port } = await ear()
    call.send('INVITE', { body: image(port, { lines: ['m=audio 0 RTP/AVP 0'] }) })
    const changed = await call.answered()
    t.match(mediaLines(changed), [/^m=audio 0 /, /^m=image [1-9]/])
    await call.ask('BYE')
    await engine.next('ended', { leg })
  })

  await t.test('where no fax wants T.38 it is refused with 488 and the call goes on', async (t) => {
    const { call, leg } = await callIn()
    call.send('INVITE', { body: image(4000) })
    const refused = await call.final('INVITE')
    t.equal(refused.status, 488)
    call.send('ACK')
    await send(leg, { t38: false })
    call.send('INVITE', { body: image(4000, { version: 3 }) })
    t.equal((await call.final('INVITE')).status, 488)
    call.send('ACK')
    call.send('INVITE', { body: sdp(9, { version: 4 }) })
    t.equal((await call.answered()).status, 200)
    await call.ask('BYE')
    t.match(await engine.next('faxEnded', { leg }), { code: 49, transport: 'sip-audio' })
    await engine.next('ended', { leg })
  })

  await t.test('both sides ask at once: 491, then ours again', async (t) => {
    const { call, leg } = await callIn()
    receive(leg)
    const first = await call.request('INVITE')
    t.equal(mediaLines(first).length, 1)
    t.ok(portOf(first) > 0)
    const { ear: heard, port } = await ear()
    call.send('INVITE', { body: image(port) })
    t.equal((await call.final('INVITE')).status, 491)
    call.send('ACK')
    peer.answer(first, 491)
    await call.request('ACK')
    const second = await call.request('INVITE')
    t.equal(portOf(second), portOf(first))
    peer.answer(second, 200, { body: image(port, { version: 3 }) })
    await call.request('ACK')
    t.ok((await heard.next()).length >= 6, 'UDPTL comes')
    await call.ask('BYE')
    t.match(await engine.next('faxEnded', { leg }), { transport: 't38' })
    await engine.next('ended', { leg })
  })

  await t.test('missing RTP ends no call in T.38, and ends it again after the return to audio', async (t) => {
    await engine.configure({ mediaTimeoutSeconds: 2 })
    const { call, leg } = await callIn()
    await send(leg)
    const { ear: heard, port } = await ear()
    call.send('INVITE', { body: image(port) })
    await call.answered()
    await heard.next()
    // A call without RTP that is younger than it: when that one is cut, this one would have been.
    const other = await callIn()
    peer.answer(await other.call.request('BYE'), 200)
    t.match(await engine.next('ended', { leg: other.leg }), { by: 'system', reason: 'media-timeout' })
    t.same(peer.received.filter((m) => m.method === 'BYE').length, 0, 'the call in T.38 lives')
    call.send('INVITE', { body: sdp(9, { version: 4 }) })
    t.equal((await call.answered()).status, 200)
    peer.answer(await call.request('BYE'), 200)
    t.match(await engine.next('ended', { leg }), { by: 'system', reason: 'media-timeout', cause: 41 })
    t.match(await engine.next('faxEnded', { leg }), { code: 49, text: 'our side: no media' })
    await engine.configure({ mediaTimeoutSeconds: 60 })
  })

  for (const code of [415, 488, 606, 500]) {
    await t.test(`${code} to our offer: the fax goes on over audio`, async (t) => {
      const { call, leg } = await callIn()
      receive(leg)
      const asked = await call.request('INVITE')
      peer.answer(asked, code)
      await call.request('ACK')
      const heardBefore = engine.of('ended').length
      t.equal(heardBefore, 0)
      t.equal((await call.ask('INVITE', { body: sdp(9, { version: 5 }) })).status, 200, 'the call lives')
      call.send('ACK')
      await call.ask('BYE')
      t.match(await engine.next('faxEnded', { leg }), { code: 49, transport: 'sip-audio' })
      await engine.next('ended', { leg })
    })
  }
})
