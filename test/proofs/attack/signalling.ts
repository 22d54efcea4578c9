/** Hosts on the network of a trunk or of phones: false TLS servers, forged calls, connections that only take places. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createServer, type ConnectionOptions } from 'node:tls'
import { register } from '../../engine/registering.ts'
import { Dialog, SipPeer, token } from '../../engine/sip-peer.ts'
import { authorization, sdp } from '../../engine/sip-text.ts'
import { Authority, type Issued } from '../../harness/authority.ts'
import { freshCertificate } from '../../harness/processes.ts'
import { eventually, pause, Scene } from '../../harness/scene.ts'
import { none, type Area } from './attack.ts'
import { metric } from './metric.ts'

/** A registrar over TLS that asks everybody for a digest with a nonce of its own choice. */
async function tlsServer({ cert, key }: Issued): Promise<{ port: number; digests: number; requests: number; close(): void }> {
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) })
  const seen = { port: 0, digests: 0, requests: 0, close: () => void server.close() }
  server.on('secureConnection', (socket) => {
    void SipPeer.stream(socket, 'TLS', 0).then(
      async (peer) => {
        for (;;) {
          const request = await peer.next('request', () => true, 120_000)
          seen.requests++
          const proven = request.header('Authorization') !== ''
          if (proven) seen.digests++
          const ask = ['WWW-Authenticate: Digest realm="evil", nonce="abc", algorithm=MD5']
          if (!proven) peer.answer(request, 401, { headers: ask })
          else peer.answer(request, 200, { headers: [`Contact: ${request.header('Contact')};expires=300`] })
        }
      },
      () => undefined,
    )
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  seen.port = (server.address() as AddressInfo).port
  return seen
}

const lines = async (box: Scene): Promise<string> => (await box.daemon.pbx('lines', '--json')).out

/** A connection from that address that is opened and left alone. */
function idle(port: number, address: string): Socket {
  return connect({ port, host: '127.0.0.1', localAddress: address }).on('error', () => undefined)
}

/** Answers of the registrar to a phone over TCP: the last status, 0 for none. */
async function registers(box: Scene, address: string): Promise<number> {
  const phone = await SipPeer.tcp(box.daemon.sipPort, address)
  try {
    return (await register(phone, '101', 'a-long-password', [`Contact: ${phone.contact};expires=120`]))?.status ?? 0
  } finally {
    phone.close()
  }
}

/** A call whose headers name things of the provider's own network; the application is promised one of them. */
async function headersTold(box: Scene): Promise<readonly string[]> {
  const peer = await SipPeer.udp(box.daemon.sipPort)
  try {
    box.app.script = () => [{ reject: {} }]
    const call = new Dialog(peer)
    const headers = ['X-Tenant: riverside', 'X-Route-Secret: 10.0.0.7', 'P-Charging-Vector: icid=1', 'Authorization: Digest username="x"']
    call.invite('+15550001000', { body: sdp(9), headers })
    const { event } = await box.app.until('call.inbound.pre_route', undefined, 5000)
    await call.final('INVITE')
    call.send('ACK')
    return Object.keys((event as { sipHeaders?: object }).sipHeaders ?? {})
  } finally {
    peer.close()
  }
}

/** Whether a phone is asked for its password that registers over TLS from an address of its own: the status, 0 for none. */
async function overTls(port: number, address: string): Promise<number> {
  const options: ConnectionOptions & { localAddress: string } = {
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    localAddress: address,
  }
  const socket = connectTls(options)
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(5000) })
  const phone = await SipPeer.stream(socket, 'TLS', port)
  const answer = await phone.ask('REGISTER', 'sip:pbx', { from: 'sip:101@pbx', to: 'sip:101@pbx', ms: 5000 })
  phone.close()
  return answer?.status ?? 0
}

export const signalling: Area = {
  name: 'signalling',
  settings: (settings) => (settings.voice.sipHeaders = ['X-Tenant']),
  attacks: [
    {
      name: 'headers of a caller that nobody listed reach an application',
      play: async (box) => {
        const told = await headersTold(box)
        return { seen: `told: ${told.join(', ') || 'none'}`, stood: told.join() === 'x-tenant' }
      },
    },
    {
      name: 'TLS trunks: self-signed, other name, expired, authority unknown',
      play: async ({ daemon }) => {
        const authority = await Authority.create(join(daemon.dir, 'authority'))
        const stranger = await Authority.create(join(daemon.dir, 'stranger'))
        const own = join(daemon.dir, 'authority')
        await freshCertificate(own)
        const servers = {
          self: await tlsServer({ cert: join(own, 'cert.pem'), key: join(own, 'key.pem') }),
          name: await tlsServer(await authority.issue('name', 'DNS:sip.example.net')),
          expired: await tlsServer(await authority.issue('expired', 'IP:127.0.0.1', [2020, 2021])),
          foreign: await tlsServer(await stranger.issue('foreign', 'IP:127.0.0.1')),
          right: await tlsServer(await authority.issue('right', 'IP:127.0.0.1')),
        }
        const account = { kind: 'sip', transport: 'tls', username: 'clinic', password: 'secret', register: true, caFile: authority.file }
        const box = await Scene.open({
          settings: (settings: any) => {
            settings.trunks.push(...Object.entries(servers).map(([id, { port }]) => ({ id, server: `127.0.0.1:${port}`, ...account })))
          },
        })
        try {
          await eventually('a certificate is judged', async () => (await lines(box)).split('untrusted').length > 4, 15_000)
          await eventually('the true server is registered with', () => servers.right.digests > 0, 15_000)
          const said = await lines(box)
          const reasons = ['self-signed', 'but for sip.example.net', 'has expired', 'authority that is not in']
          const { right, ...false_ } = servers
          return none(
            {
              'requests at false servers': Object.values(false_).reduce((sum, { requests }) => sum + requests, 0),
              'digests there': Object.values(false_).reduce((sum, { digests }) => sum + digests, 0),
              'reasons not told': reasons.filter((reason) => !said.includes(reason)).length,
              'true servers refused': right.digests > 0 && /"right"[^}]*"registered"/.test(said) ? 0 : 1,
            },
            `${right.digests} digest at the true one`,
          )
        } finally {
          await box.close()
          for (const server of Object.values(servers)) server.close()
        }
      },
    },
    {
      name: '40 forged INVITEs in the name of a trunk, answers never read',
      play: async (box) => {
        const keep = [{ say: { text: 'Good morning.' } }, { gather: { actionUrl: `${box.app.url}/voice`, numDigits: 1, timeout: 60 } }]
        box.app.script = ({ event }) => (event === 'call.answered' ? [{ hangup: {} }] : keep)
        const socket = createSocket('udp4')
        await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
        const { port } = socket.address()
        const began = performance.now()
        for (let i = 0; i < 40; i++) {
          const body = sdp(4000)
          const head = [
            'INVITE sip:+15550001000@127.0.0.1 SIP/2.0',
            `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${token()}`,
            `From: <sip:+15551234567@127.0.0.1>;tag=${token()}`,
            'To: <sip:+15550001000@127.0.0.1>',
            `Call-ID: ${token()}`,
            'CSeq: 1 INVITE',
            `Contact: <sip:x@127.0.0.1:${port}>`,
            'Max-Forwards: 70',
            'Content-Type: application/sdp',
            `Content-Length: ${Buffer.byteLength(body)}`,
          ]
          socket.send(`${head.join('\r\n')}\r\n\r\n${body}`, box.daemon.sipPort, '127.0.0.1')
        }
        try {
          await eventually('forged calls arrive', async () => (await metric(box, 'pbx_calls_active')) > 0, 5000)
          // Answers that wait for others are given up when those stay without ACK for a second.
          await eventually('most channels are free again', async () => (await metric(box, 'pbx_calls_active')) <= 7, 6000)
          const freed = (performance.now() - began) / 1000
          const phone = await box.expect('answer')
          const asked = performance.now()
          const call = await box.originate({ to: '+12125550100', endpoint: 'reception' })
          await eventually('a true call is made', () => box.app.received.some(({ event }) => event.callId === call.body.callId), 5000)
          const dialled = (performance.now() - asked) / 1000
          phone.close()
          await eventually('the forged calls end', async () => (await metric(box, 'pbx_calls_active')) === 0, 12_000)
          const over = (performance.now() - began) / 1000
          // The engine reports them every few seconds.
          const warned = async () => JSON.stringify((await box.daemon.api('GET', '/readyz')).body).includes('never acknowledged')
          await eventually('the technician is told', warned, 15_000)
          const seen = `23 channels free after ${freed.toFixed(1)} s, a call out took ${dialled.toFixed(1)} s, all over after ${over.toFixed(1)} s`
          return none({ 'calls after 12 s': over > 12 ? 1 : 0 }, seen)
        } finally {
          socket.close()
        }
      },
    },
    {
      name: '1,600 idle TCP connections, and one that drips a request',
      play: async (box) => {
        const port = box.daemon.sipPort
        const sockets: Socket[] = []
        for (let i = 0; i < 1600; i++) {
          const host = i >> 2
          sockets.push(idle(port, `127.1.${host >> 8}.${host & 255}`))
          if (i % 100 === 99) await pause(10)
        }
        const crowd = Array.from({ length: 20 }, () => idle(port, '127.2.0.1'))
        await pause(1500)
        const held = sockets.filter((socket) => !socket.closed).length
        const ofOne = crowd.filter((socket) => !socket.closed).length
        const status = await registers(box, '127.4.0.1')
        const drip = idle(port, '127.3.0.1')
        const request = `OPTIONS sip:pbx SIP/2.0\r\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\r\nSubject: ${'a'.repeat(500)}`
        let at = 0
        const dripping = setInterval(() => drip.write(request[at++ % request.length] ?? ' '), 100)
        const began = performance.now()
        let ended = 0
        drip.once('close', () => (ended = (performance.now() - began) / 1000))
        try {
          await eventually('those that say nothing are closed', () => ended > 0 && sockets.every((socket) => socket.closed), 12_000)
          await eventually('what was refused is counted', async () => (await metric(box, 'pbx_sip_connections_refused_total')) >= 500, 6000)
          // Warnings are renewed every five seconds.
          const ready = async () => JSON.stringify((await box.daemon.api('GET', '/readyz')).body)
          await eventually('/readyz tells of it', async () => (await ready()).includes('connections to the SIP ports'), 8000)
          const logged = box.daemon.log.some(({ msg }) => String(msg).startsWith('Connections to the SIP listeners were refused'))
          const counted = await metric(box, 'pbx_sip_connections_refused_total')
          return none(
            {
              'idle connections above 200': Math.max(0, held - 200),
              'of one address above 4': Math.max(0, ofOne - 4),
              'phones locked out': status === 200 ? 0 : 1,
              'silences of the log': logged ? 0 : 1,
            },
            `${held} held, ${counted} refused or ended, dripping ended after ${ended.toFixed(1)} s`,
          )
        } finally {
          clearInterval(dripping)
          for (const socket of [...sockets, ...crowd, drip]) socket.destroy()
        }
      },
    },
    {
      name: 'strangers call for help in 20 forms, each with a guessed password',
      play: async (box) => {
        const users = ['911', '9911', '%2B1911', '9-1-1', '911;phone-context=+1']
        const forms = users.flatMap((user) => [`sip:${user}@127.0.0.1`, `sips:${user}@127.0.0.1;user=phone`, `tel:${user}`])
        forms.push('urn:service:sos', 'URN:SERVICE:SOS', 'urn:service:sos.fire', 'urn:service:sos.x', 'urn:service:counseling')
        const sent = box.trunk.invites.length
        let taken = 0
        for (const [index, form] of forms.entries()) {
          const stranger = await SipPeer.udp(box.daemon.sipPort, `127.5.0.${index + 1}`)
          const asked = await stranger.ask('INVITE', form, { from: 'sip:101@pbx', body: sdp(9), ms: 500 })
          const headers = asked === undefined ? [] : [authorization(asked, 'INVITE', form, '101', 'guessed')]
          const answer = await stranger.ask('INVITE', form, { from: 'sip:101@pbx', body: sdp(9), headers, ms: 500 })
          if (answer !== undefined && ![401, 403].includes(answer.status)) taken++
          stranger.close()
        }
        return none({ 'calls at the trunk': box.trunk.invites.length - sent, 'taken in': taken }, `${forms.length} forms`)
      },
    },
    {
      name: '1,000 connections to the TLS port that never say hello',
      play: async (box) => {
        const { tlsPort } = box.daemon
        const all: Socket[] = []
        let gone = 0
        try {
          for (let n = 0; n < 1000; n++) {
            const socket = idle(tlsPort, `127.31.${n >> 7}.${(n & 127) + 1}`).resume()
            all.push(socket.once('close', () => gone++))
            // The backlog of a listener is 128; a connection above it comes again after a second.
            if (n % 50 === 49) await pause(20)
          }
          await eventually('those above the limit are closed', () => gone >= 800, 5000)
          const answer = await overTls(tlsPort, '127.0.0.99')
          await eventually('those that say nothing are closed', () => gone === 1000, 15_000)
          return { seen: `${1000 - gone} held in the end; a phone meanwhile: ${answer || 'silence'}`, stood: answer === 401 }
        } finally {
          for (const socket of all) socket.destroy()
        }
      },
    },
  ],
}
