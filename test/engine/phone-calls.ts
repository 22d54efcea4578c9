/** A SipPeer that calls as a telephone does: it is challenged, and proves itself. */
import { Dialog, type SipMessage, type SipPeer } from './sip-peer.ts'
import { authorization, sdp } from './sip-text.ts'

export interface PhoneCall {
  readonly dialog: Dialog
  /** The first one that is not 100 to the INVITE that proves itself, or the refusal of the first INVITE. */
  readonly answer: SipMessage
  /** Of that answer, in ms since its INVITE. */
  readonly took: number
}

export async function phoneCalls(phone: SipPeer, user: string, password: string, number: string, ms = 3000): Promise<PhoneCall> {
  const dialog = new Dialog(phone)
  const from = `<sip:${user}@pbx>`
  dialog.invite(number, { from, body: sdp(4000) })
  const challenge = await dialog.final('INVITE', ms)
  if (challenge.status !== 401) return { dialog, answer: challenge, took: 0 }
  dialog.send('ACK')
  const since = performance.now()
  dialog.send('INVITE', { body: sdp(4000), headers: [authorization(challenge, 'INVITE', dialog.target, user, password)] })
  const answer = await phone.next(
    'an answer to the INVITE',
    (m) => m.status > 100 && m.header('Call-ID') === dialog.callId && m.header('CSeq') === `${dialog.cseq} INVITE`,
    ms,
  )
  return { dialog, answer, took: performance.now() - since }
}
