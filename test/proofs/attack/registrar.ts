/** Hosts that forge and guess: the registrar, its bans and its tables. Each attack has source addresses of its own (127.n.0.0/16). */
import { createSocket } from 'node:dgram'
import { Dialog, SipPeer, token, type SipMessage } from '../../engine/sip-peer.ts'
import { authorization, sdp } from '../../engine/sip-text.ts'
import type { Scene } from '../../harness/scene.ts'
import type { Area, Verdict } from './attack.ts'

const uri = 'sip:pbx'
const password = 'a-long-password'

/** A whole registration by a phone: the status of its last answer (0: none came) and how long it took, retransmissions included. */
async function register(box: Scene, address: string, given = password, user = '101'): Promise<{ status: number; ms: number }> {
  const phone = await SipPeer.udp(box.daemon.sipPort, address)
  const began = performance.now()
  try {
    const who = { to: `sip:${user}@pbx`, from: `sip:${user}@pbx` }
    const challenge = await insist(() => phone.ask('REGISTER', uri, { ...who, ms: 500 }))
    if (challenge?.status !== 401) return { status: challenge?.status ?? 0, ms: performance.now() - began }
    const header = authorization(challenge, 'REGISTER', uri, user, given)
    const answer = await insist(() => phone.ask('REGISTER', uri, { ...who, headers: [header], cseq: 2, ms: 500 }))
    return { status: answer?.status ?? 0, ms: performance.now() - began }
  } finally {
    phone.close()
  }
}

/** A phone asks again after half a second, as RFC 3261 has it; four times here. */
async function insist(ask: () => Promise<SipMessage | undefined>): Promise<SipMessage | undefined> {
  for (let n = 0; n < 4; n++) {
    const answer = await ask()
    if (answer !== undefined) return answer
  }
  return undefined
}

const forgedDigest = (user = '101'): string =>
  `Authorization: Digest username="${user}", realm="pbx", nonce="${token()}", uri="${uri}", response="${'0'.repeat(32)}", algorithm=MD5, cnonce="x", qop=auth, nc=00000001\r\n`

const forgedRegister = (address: string, port: number, more = ''): string =>
  `REGISTER ${uri} SIP/2.0\r\nVia: SIP/2.0/UDP ${address}:${port};rport;branch=z9hG4bK${token()}\r\nFrom: <sip:101@pbx>;tag=${token()}\r\nTo: <sip:101@pbx>\r\nCall-ID: ${token()}\r\nCSeq: 1 REGISTER\r\nContact: <sip:101@${address}:${port}>\r\nMax-Forwards: 70\r\n${more}Content-Length: 0\r\n\r\n`

/** One datagram each from `count` addresses of 127.`network`.0.0/16, as fast as they can be made; the answers are never read. */
async function flood(box: Scene, network: number, count: number, more = ''): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < count; n += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, count - n) }, async (_, i) => {
        const address = `127.${network}.${(n + i) >> 8}.${(n + i) & 255 || 255}`
        const socket = createSocket('udp4')
        await new Promise<void>((resolve) => socket.bind(0, address, resolve))
        const text = forgedRegister(address, socket.address().port, more)
        await new Promise<void>((resolve) => socket.send(text, box.daemon.sipPort, '127.0.0.1', () => resolve()))
        socket.close()
      }),
    )
  }
  return Math.round((count / (performance.now() - began)) * 1000)
}

const shape = (answer: SipMessage | undefined): string =>
  (answer?.text ?? 'silence').replaceAll(/(nonce|branch|tag|Via:|Call-ID:|From:|To:|received|rport)[^;\r]*/g, '$1')

/** How long answers to a wrong password take, alternately for a user that exists and one that does not, and what they say. */
async function enumerate(box: Scene): Promise<Verdict> {
  const users = ['101', '799'] as const
  const times: Record<string, number[]> = { 101: [], 799: [] }
  const shapes: Record<string, Set<string>> = { 101: new Set(), 799: new Set() }
  for (let n = 0; n < 60; n++) {
    // Four wrong passwords for each address: no ban.
    const phone = await SipPeer.udp(box.daemon.sipPort, `127.25.0.${1 + n}`)
    for (const user of n % 2 === 0 ? [...users, ...users] : [...users, ...users].reverse()) {
      const who = { to: `sip:${user}@pbx`, from: `sip:${user}@pbx` }
      const challenge = await phone.ask('REGISTER', uri, who)
      if (challenge === undefined) continue
      const headers = [authorization(challenge, 'REGISTER', uri, user, 'wrong')]
      const began = performance.now()
      const answer = await phone.ask('REGISTER', uri, { ...who, headers, cseq: 2 })
      times[user]!.push(performance.now() - began)
      shapes[user]!.add(shape(challenge) + shape(answer))
    }
    phone.close()
  }
  // The share of pairs in which the unknown user was answered later: one half where the times give nothing away.
  let later = 0
  for (const a of times['101']!) for (const b of times['799']!) later += b > a ? 1 : 0
  const share = later / (times['101']!.length * times['799']!.length)
  const alike = shapes['101']!.size === 1 && [...shapes['101']!].join() === [...shapes['799']!].join()
  return {
    seen: `answers ${alike ? 'alike' : 'differ'}, the unknown user's later in ${Math.round(share * 100)} % of ${times['101']!.length}x${times['799']!.length} pairs`,
    stood: alike && Math.abs(share - 0.5) < 0.15,
  }
}

export const registrar: Area = {
  name: 'registrar',
  attacks: [
    {
      name: '6 wrong digests with a made-up nonce, forged from the address of a phone',
      async play(box) {
        const forger = await SipPeer.udp(box.daemon.sipPort, '127.20.0.1')
        for (let n = 0; n < 6; n++) forger.raw(forgedRegister('127.20.0.1', forger.port, forgedDigest()))
        const { status, ms } = await register(box, '127.20.0.1')
        forger.close()
        return { seen: `the phone got ${status || 'silence'} after ${Math.round(ms)} ms`, stood: status === 200 && ms < 1000 }
      },
    },
    {
      name: '20,500 forged REGISTERs; a phone that was never seen registers',
      async play(box) {
        const flooding = flood(box, 21, 20_500)
        await new Promise((resolve) => setTimeout(resolve, 1500))
        const during = await register(box, '127.121.0.1')
        const rate = await flooding
        const after = await register(box, '127.121.0.2')
        const stood = [during, after].every(({ status, ms }) => status === 200 && ms < 2000)
        const said = [during, after].map(({ status, ms }) => `${status || 'silence'} after ${Math.round(ms)} ms`)
        return { seen: `during (${rate} packets/s): ${said[0]}; afterwards: ${said[1]}`, stood }
      },
    },
    {
      name: '20,500 forged failures, then a guesser from one address',
      async play(box) {
        await flood(box, 22, 20_500, forgedDigest())
        let answered = 0
        for (; answered < 12; answered++) if ((await register(box, '127.122.0.1', `guess-${answered}`)).status !== 403) break
        const right = await register(box, '127.122.0.1')
        return {
          seen: `${answered} guesses answered, then ${right.status || 'silence'} to the right password`,
          stood: answered === 5 && right.status === 0,
        }
      },
    },
    {
      name: 'an INVITE to +1 900 with the digest made for another number',
      async play(box) {
        await register(box, '127.23.0.1')
        const thief = await SipPeer.udp(box.daemon.sipPort, '127.23.0.1')
        const call = new Dialog(thief)
        call.invite('+19005550100', { from: '<sip:101@pbx>', body: sdp(9) })
        const challenge = await call.final('INVITE')
        call.send('ACK')
        const relayed = authorization(challenge, 'INVITE', `sip:102@127.0.0.1:${box.daemon.sipPort}`, '101', password)
        call.send('INVITE', { headers: [relayed], body: sdp(9) })
        const answer = await thief
          .next('answer', (m) => m.status >= 180 && m.header('CSeq').startsWith('2 INVITE'), 2000)
          .catch(() => undefined)
        thief.close()
        return {
          seen: `the call was answered ${answer?.status ?? 'with silence'}`,
          stood: answer?.status === 400 || answer?.status === 403,
        }
      },
    },
    { name: 'telling users that exist from others by the answers and their times', play: enumerate },
  ],
}
