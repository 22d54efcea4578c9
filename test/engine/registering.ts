/** A SipPeer that registers as a telephone does: it asks, is challenged, and proves itself. */
import { pause, eventually } from '../harness/waiting.ts'
import { token, type SipMessage, type SipPeer } from './sip-peer.ts'
import { authorization } from './sip-text.ts'

const uri = 'sip:pbx'

/** The last answer of the registrar, undefined where there was none. `headers`: of both requests, such as a Contact of its own. */
export async function register(
  phone: SipPeer,
  user: string,
  password: string,
  headers: readonly string[] = [],
): Promise<SipMessage | undefined> {
  const who = { from: `sip:${user}@pbx`, to: `sip:${user}@pbx`, callId: token() }
  const challenge = await phone.ask('REGISTER', uri, { ...who, headers })
  if (challenge?.status !== 401) return challenge
  const proof = authorization(challenge, 'REGISTER', uri, user, password)
  return phone.ask('REGISTER', uri, { ...who, cseq: 2, headers: [...headers, proof] })
}

/** So many registrations with one nonce, at once; how many were answered by each status within two seconds. */
export async function storm(phone: SipPeer, user: string, password: string, count: number): Promise<Map<number, number>> {
  const who = { from: `sip:${user}@pbx`, to: `sip:${user}@pbx`, callId: token() }
  const challenge = await phone.ask('REGISTER', uri, who)
  for (let n = 0; n < count; n++) {
    const proof = authorization(challenge!, 'REGISTER', uri, user, password, { nc: n + 1 })
    const head = [phone.via(), `From: <${who.from}>;tag=a`, `To: <${who.to}>`, `Call-ID: ${who.callId}`, `CSeq: ${n + 2} REGISTER`, proof]
    phone.raw(`REGISTER ${uri} SIP/2.0\r\n${[...head, 'Max-Forwards: 70', 'Content-Length: 0', '', ''].join('\r\n')}`)
    // The sockets' buffers hold some hundreds.
    if (n % 50 === 49) await pause(10)
  }
  const own = ({ status, header }: SipMessage): boolean => status > 0 && header('Call-ID') === who.callId
  await eventually('the answers', () => phone.received.filter(own).length >= count, 2000).catch(() => undefined)
  const answers = new Map<number, number>()
  for (const { status } of phone.received.filter(own)) answers.set(status, (answers.get(status) ?? 0) + 1)
  return answers
}
