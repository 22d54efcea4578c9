/** 200 phones watch one extension: how soon the last of them learns that it rings, talks, is free. */
import { LightPhone } from '../../../harness/light-phone.ts'
import { Dialog, SipPeer } from '../../../engine/sip-peer.ts'
import { sdp } from '../../../engine/sip-text.ts'
import { atMost, describe, spread, type Row } from '../measure.ts'
import { openHouse } from './daemon.ts'

const watchers = 200
const rounds = 10

/** Answers the notices of all until each has heard of this state; milliseconds of each since `began`. */
async function told(phones: readonly LightPhone[], state: 'early' | 'confirmed' | 'free', began: number): Promise<number[]> {
  return Promise.all(
    phones.map(async ({ peer }) => {
      for (;;) {
        const notify = await peer.request('NOTIFY')
        const at = performance.now()
        peer.answer(notify, 200)
        const [, seen = 'free'] = /<state>(\w+)<\/state>/.exec(notify.body) ?? []
        if (seen === state) return at - began
      }
    }),
  )
}

export async function lamps(): Promise<Row[]> {
  const scene = await openHouse(watchers + 1)
  try {
    const [desk, ...phones] = await LightPhone.registered(scene, watchers + 1)
    const caller = scene.keep(await SipPeer.udp(scene.daemon.sipPort))
    for (const phone of phones) await phone.watch(desk!.user)
    await told(phones, 'free', performance.now())
    const times: number[] = []
    for (let n = -1; n < rounds; n++) {
      const dialog = new Dialog(caller)
      const seen: number[] = []
      dialog.invite('+15550001000', { body: sdp(39_000) })
      const invite = await desk!.peer.request('INVITE')
      let began = performance.now()
      desk!.peer.answer(invite, 180)
      seen.push(...(await told(phones, 'early', began)))
      began = performance.now()
      desk!.peer.answer(invite, 200, { body: sdp(39_002) })
      const talk = Dialog.of(desk!.peer, invite)
      seen.push(...(await told(phones, 'confirmed', began)))
      await dialog.answered()
      began = performance.now()
      dialog.send('BYE')
      seen.push(...(await told(phones, 'free', began)))
      desk!.peer.answer(await talk.request('BYE'), 200)
      await desk!.settle()
      if (n >= 0) times.push(...seen)
    }
    const s = spread(times)
    return [atMost(`a change -> NOTIFY at each of ${watchers} lamps, p95`, 200, 'ms', s.p95, describe(s))]
  } finally {
    await scene.close()
  }
}
