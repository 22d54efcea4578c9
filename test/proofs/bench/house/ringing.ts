/** A call from outside to a group of five: how soon phones ring, how soon both hear each other, how soon the other phones stop. */
import { LightPhone, extensionOf } from '../../../harness/light-phone.ts'
import { Dialog, SipPeer, type SipMessage } from '../../../engine/sip-peer.ts'
import { sdp } from '../../../engine/sip-text.ts'
import { tone } from '../../../harness/audio.ts'
import { RtpPhone } from '../../../harness/phone.ts'
import { atMost, describe, spread, type Row } from '../measure.ts'
import { openHouse } from './daemon.ts'

const phonesCount = 5
const rounds = 40

interface Times {
  readonly ring: number
  readonly speech: number
  readonly stop: number
  /** From the caller's CANCEL to the last of five phones that got one. */
  readonly left: number
}

interface Ringing {
  readonly dialog: Dialog
  readonly invites: readonly SipMessage[]
  readonly ring: number
}

async function timed<T>(asked: Promise<T>): Promise<{ value: T; at: number }> {
  const value = await asked
  return { value, at: performance.now() }
}

async function ring(caller: SipPeer, rtp: RtpPhone, phones: readonly LightPhone[]): Promise<Ringing> {
  const dialog = new Dialog(caller)
  const began = performance.now()
  dialog.invite('+15550001000', { body: sdp(rtp.port) })
  const came = await Promise.all(phones.map(({ peer }) => timed(peer.request('INVITE'))))
  phones.forEach(({ peer }, n) => peer.answer(came[n]!.value, 180))
  await dialog.provisional(180)
  return { dialog, invites: came.map(({ value }) => value), ring: Math.min(...came.map(({ at }) => at)) - began }
}

/** When the last of these phones was ordered to stop. */
async function stopped(phones: readonly LightPhone[], invites: readonly SipMessage[]): Promise<number> {
  const times = await Promise.all(
    phones.map(async ({ peer }, n) => {
      const { value, at } = await timed(peer.request('CANCEL'))
      peer.answer(value, 200)
      peer.answer(invites[n]!, 487)
      return at
    }),
  )
  return Math.max(...times)
}

async function leaves(caller: SipPeer, phones: readonly LightPhone[]): Promise<number> {
  const rtp = await RtpPhone.open()
  const { dialog, invites } = await ring(caller, rtp, phones)
  const at = performance.now()
  dialog.send('CANCEL')
  const ms = (await stopped(phones, invites)) - at
  await dialog.final('INVITE')
  dialog.send('ACK')
  rtp.close()
  return ms
}

async function round(caller: SipPeer, phones: readonly LightPhone[]): Promise<Times> {
  const [outside, inside] = [await RtpPhone.open(), await RtpPhone.open()]
  for (const rtp of [outside, inside]) rtp.say(tone(500, 4000))
  const { dialog, invites, ring: ringMs } = await ring(caller, outside, phones)
  const [first, ...others] = phones
  const [invite, ...rest] = invites
  const [, address = ''] = /c=IN IP4 (\S+)/.exec(invite!.body) ?? []
  inside.sendTo(Number(/m=audio (\d+)/.exec(invite!.body)?.[1]), address)
  const answered = performance.now()
  first!.peer.answer(invite!, 200, { body: sdp(inside.port) })
  const talk = Dialog.of(first!.peer, invite!)
  const stop = stopped(others, rest)
  const accepted = await dialog.answered()
  const [, far = ''] = /c=IN IP4 (\S+)/.exec(accepted.body) ?? []
  outside.sendTo(Number(/m=audio (\d+)/.exec(accepted.body)?.[1]), far)
  const heard = await Promise.all([inside, outside].map((rtp) => rtp.sound(answered)))
  await talk.request('ACK')
  const last = await stop
  dialog.send('BYE')
  first!.peer.answer(await talk.request('BYE'), 200)
  await dialog.final('BYE')
  outside.close()
  inside.close()
  return { ring: ringMs, speech: Math.max(...heard) - answered, stop: last - answered, left: await leaves(caller, phones) }
}

export async function ringing(): Promise<Row[]> {
  const scene = await openHouse(phonesCount, (base) => {
    base['ringGroups'] = [{ id: 'front', members: Array.from({ length: phonesCount }, (_, n) => extensionOf(n)), ringSeconds: 30 }]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: 'group:front' }]
  })
  try {
    const phones = await LightPhone.registered(scene, phonesCount)
    const caller = scene.keep(await SipPeer.udp(scene.daemon.sipPort))
    const times: Times[] = []
    // The first calls run code that is not compiled yet.
    for (let n = -5; n < rounds; n++) {
      const seen = await round(caller, phones)
      if (n >= 0) times.push(seen)
      await Promise.all(phones.map((phone) => phone.settle()))
    }
    const row = (what: string, limit: number, of: (seen: Times) => number): Row => {
      const s = spread(times.map(of))
      return atMost(`${what}, p95`, limit, 'ms', s.p95, describe(s))
    }
    return [
      row('INVITE -> first of five phones rings', 30, ({ ring: ms }) => ms),
      row('answer -> speech both ways', 60, ({ speech }) => speech),
      row('answer -> the last of four other phones stops', 100, ({ stop }) => stop),
      row('the caller leaves -> the last of five phones stops', 100, ({ left }) => left),
    ]
  } finally {
    await scene.close()
  }
}
