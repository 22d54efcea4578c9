/**
 * Strangers on the network and the media of calls: they know neither ports nor SSRC, and are 127.0.0.66. Each attack is played
 * while a caller talks; the caller must be heard and spoken to as if nobody else were there.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine, trunk } from '../../engine/engine.ts'
import { RtpSource } from '../../engine/rtp-source.ts'
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { eventually, pause, type Scene } from '../../harness/scene.ts'
import { makePage, writeTiff } from '../../fax-engine/tiff.ts'
import { none, type Area, type Verdict } from './attack.ts'
import { metric } from './metric.ts'

const stranger = '127.0.0.66'

interface Stage {
  readonly engine: Engine
  /** The trunk's gateway. */
  readonly peer: SipPeer
  readonly attacker: RtpSource
  /** Even ports of the engine's range. */
  readonly ports: readonly number[]
  /** A caller who talks, and whose audio has arrived. */
  talk(): Promise<{ call: Dialog; leg: number; caller: RtpSource; port: number }>
  /** Hangs up and answers what the engine counted. */
  end(call: Dialog, leg: number): Promise<Record<string, number>>
}

/** The engine alone with one trunk: its messages say what a call heard. */
async function onStage(play: (stage: Stage) => Promise<Verdict>): Promise<Verdict> {
  const engine = await Engine.start()
  const peer = await SipPeer.udp(engine.port())
  const attacker = await RtpSource.open(stranger)
  const callers: RtpSource[] = []
  const [first, last] = engine.configuration.rtpPorts
  try {
    await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
    return await play({
      engine,
      peer,
      attacker,
      ports: Array.from({ length: (last - first) / 2 + 1 }, (_, i) => first + 2 * i),
      async talk() {
        const caller = await RtpSource.open()
        callers.push(caller)
        const call = new Dialog(peer)
        call.invite('101', { body: sdp(caller.port) })
        const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
        engine.send('answer', { leg })
        const port = Number(/m=audio (\d+)/.exec((await call.answered()).body)?.[1])
        await engine.next('answered', { leg })
        caller.speak(port)
        await eventually('audio for the caller', () => caller.received > 20)
        return { call, leg, caller, port }
      },
      async end(call, leg) {
        engine.send('hangup', { leg })
        peer.answer(await call.request('BYE'), 200)
        return (await engine.next('ended', { leg }))['stats'] as Record<string, number>
      },
    })
  } finally {
    for (const source of [attacker, ...callers]) source.close()
    peer.close()
    await engine.stop()
  }
}

/** What the caller got, of what it should have got, and what the attacker got. */
function shares(toAttacker: number, toCaller: number, expected: number, foreign: number): Verdict {
  const percent = Math.round((100 * toCaller) / expected)
  return {
    seen: `${toAttacker} packets for the stranger, ${percent} % of ${expected} for the caller, ${foreign} dropped and counted`,
    stood: toAttacker === 0 && percent >= 90 && foreign > 0,
  }
}

/** Sends it to every port, a few ports at a time: loopback has small buffers. */
async function toAll(ports: readonly number[], attacker: RtpSource, packets: readonly Buffer[]): Promise<void> {
  for (const [i, port] of ports.entries()) {
    for (const packet of packets) attacker.raw(packet, port)
    if (i % 10 === 9) await pause(1)
  }
}

export const media: Area = {
  name: 'media',
  attacks: [
    {
      name: '14 RTP packets to every port in one sweep',
      play: () =>
        onStage(async ({ attacker, ports, talk, end }) => {
          const { call, leg, caller } = await talk()
          await toAll(
            ports,
            attacker,
            Array.from({ length: 14 }, () => attacker.frame()),
          )
          const before = caller.received
          const since = performance.now()
          await pause(1000)
          const expected = Math.round((performance.now() - since) / 20)
          const got = caller.received - before
          const { foreignPackets } = await end(call, leg)
          return shares(attacker.received, got, expected, foreignPackets ?? 0)
        }),
    },
    {
      name: '1,400 RTP packets a second at a call for 6 s',
      play: () =>
        onStage(async ({ attacker, talk, end }) => {
          const { call, leg, caller, port } = await talk()
          const before = caller.received
          const since = performance.now()
          while (performance.now() - since < 6000) {
            for (let i = 0; i < 14; i++) attacker.raw(attacker.frame(), port)
            await pause(10)
          }
          const expected = Math.round((performance.now() - since) / 20)
          const got = caller.received - before
          const { foreignPackets } = await end(call, leg)
          return shares(attacker.received, got, expected, foreignPackets ?? 0)
        }),
    },
    { name: 'a call through the whole box among strangers: what a technician sees', play: toldOf },
    {
      name: 'a burst of RFC 4733 events to every port',
      play: () =>
        onStage(async ({ engine, attacker, ports, talk, end }) => {
          const { call, leg, caller, port } = await talk()
          await toAll(ports, attacker, [...attacker.key('2'), ...attacker.key('2')])
          await pause(300)
          for (const packet of caller.key('7')) caller.raw(packet, port)
          await engine.next('digit', { digit: '7' })
          const pressed = engine.of('digit').length
          const { foreignPackets } = await end(call, leg)
          return {
            seen: `${pressed} keys of the stranger, the caller's key came, ${foreignPackets} dropped`,
            stood: pressed === 0 && foreignPackets! > 0,
          }
        }),
    },
    {
      name: 'RTCP to every odd port',
      play: () =>
        onStage(async ({ attacker, ports, talk, end }) => {
          const { call, leg } = await talk()
          const report = Buffer.alloc(28)
          report.writeUInt32BE(0x80c80006, 0)
          report.writeUInt32BE(attacker.ssrc, 4)
          await toAll(
            ports.map((port) => port + 1),
            attacker,
            Array.from({ length: 8 }, () => report),
          )
          // The engine reports every 5 s or so.
          await pause(6000)
          const { foreignPackets } = await end(call, leg)
          return {
            seen: `${attacker.received} reports for the stranger, ${foreignPackets} dropped`,
            stood: attacker.received === 0 && foreignPackets! > 0,
          }
        }),
    },
    {
      name: 'UDPTL, RTCP and junk at the fax of a call in T.38',
      play: () => onStage(intrudeFax),
    },
    {
      name: 'an INVITE in the trunk’s name, answers never read, audio to a third party',
      play: () => reflect(1, 2000),
    },
    {
      name: '40 of them at once: a reflector',
      play: () => reflect(40, 4000),
    },
  ],
}

function reflect(count: number, ms: number): Promise<Verdict> {
  return onStage(async ({ engine, peer }) => {
    const victim = await RtpSource.open(stranger)
    try {
      let sent = 0
      for (let i = 0; i < count; i++) {
        const call = new Dialog(peer)
        const body = sdp(victim.port, { address: stranger })
        call.invite('101', { body })
        sent += body.length + 500
        const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
        engine.send('progress', { leg, code: 183 })
        engine.send('answer', { leg })
        engine.send('play', { leg, play: 1, tone: { hz: [440], ms: 5000 } })
      }
      await pause(ms)
      return {
        seen: `${victim.received} packets for the third party in ${ms / 1000} s (${sent} bytes were forged)`,
        stood: victim.received === 0,
      }
    } finally {
      victim.close()
    }
  })
}

/** A fax goes out over T.38; strangers, also on the far end's own machine, send to its port what could turn it round. */
async function intrudeFax({ engine, peer, attacker }: Stage): Promise<Verdict> {
  const directory = mkdtempSync(join(tmpdir(), 'attack-t38-'))
  const far = await RtpSource.open()
  const sameHost = await RtpSource.open()
  try {
    const file = join(directory, 'page.tif')
    writeTiff(file, [makePage(200, 1)])
    const call = new Dialog(peer)
    call.invite('101', { body: sdp(9) })
    const leg = Number((await engine.next('invite'))['leg'])
    engine.send('answer', { leg })
    await call.answered()
    await engine.next('answered', { leg })
    const fax = { leg, file, standardFile: '', firstPage: 0, stationId: '1', header: 'x', ecm: true, modems: ['v17'], t38: true }
    engine.send('faxSend', fax)
    engine.send('ping', { n: 1 })
    await engine.next('pong', { n: 1 })
    call.send('INVITE', { body: sdp(9, { version: 2 }).replace(/m=audio[^]*/, `m=image ${far.port} udptl t38\r\n`) })
    const port = Number(/m=image (\d+)/.exec((await call.answered()).body)?.[1])
    const datagram = Buffer.from(await firstDatagram(far))
    const before = far.received
    const rtcp = Buffer.from('81c90007000000010000000200000000', 'hex')
    for (const bytes of [datagram, rtcp, Buffer.from('junk, and nothing else')]) attacker.raw(bytes, port)
    for (const bytes of [rtcp, Buffer.from('junk, and nothing else'), attacker.frame()]) sameHost.raw(bytes, port)
    far.raw(datagram, port)
    await pause(100)
    sameHost.raw(datagram, port)
    await pause(300)
    await eventually('UDPTL for the far end', () => far.received > before + 1)
    engine.send('faxStop', { leg })
    engine.send('hangup', { leg })
    peer.answer(await call.request('BYE'), 200)
    const { foreignPackets } = (await engine.next('ended', { leg }))['stats'] as Record<string, number>
    const diverted = attacker.received + sameHost.received
    return {
      seen: `${diverted} datagrams diverted, ${far.received} for the far end, ${foreignPackets} of 7 dropped, even port: ${port % 2 === 0}`,
      stood: diverted === 0 && foreignPackets === 7 && port % 2 === 0,
    }
  } finally {
    for (const source of [far, sameHost]) source.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A call through the whole box, and a stranger who tries all of its ports: what a technician can see of it. */
async function toldOf(box: Scene): Promise<Verdict> {
  const attacker = await RtpSource.open(stranger)
  const caller = await RtpSource.open()
  const peer = await SipPeer.udp(box.daemon.sipPort)
  const figure = () => metric(box, 'pbx_rtp_foreign_packets_total')
  try {
    const before = await figure()
    box.app.script = () => [{ pause: { seconds: 20 } }]
    const call = new Dialog(peer)
    call.invite('+15550001000', { body: sdp(caller.port) })
    const port = Number(/m=audio (\d+)/.exec((await call.answered()).body)?.[1])
    caller.speak(port)
    await eventually('audio for the caller', () => caller.received > 20)
    for (let n = 0; n < 40; n++) attacker.raw(attacker.frame(), port)
    await eventually('the count of what was dropped', async () => (await figure()) >= before + 40, 12_000)
    const told = async (): Promise<boolean> => JSON.stringify((await box.daemon.api('GET', '/readyz')).body).includes('foreign-media')
    await eventually('a warning', told, 12_000)
    const status = await box.daemon.pbx('status')
    call.send('BYE')
    const { seen, stood } = none({ 'warnings in pbx status missing': /tries to get into calls/.test(status.out) ? 0 : 1 })
    return { seen: `${(await figure()) - before} dropped, in the metric and as a warning; ${seen}`, stood }
  } finally {
    for (const source of [attacker, caller]) source.close()
    peer.close()
  }
}

function firstDatagram(source: RtpSource): Promise<Buffer> {
  return new Promise((resolve) => source.socket.once('message', resolve))
}
