/** A SipPeer that registers as a telephone does: it asks, is challenged, and proves itself. */
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
