/** The outside by a SIP trunk: sipp behind it. */
import { Scene } from '../scene.ts'
import type { Phone } from '../sipp.ts'
import type { Outside, Outsider } from './outside.ts'

export function outsider(phone: Phone): Outsider {
  const { rtp, sip } = phone
  return {
    press: (key) => rtp.press(key),
    say: (samples) => rtp.say(samples),
    said: () => rtp.said(),
    lately: (ms) => rtp.lately(ms),
    get heardMs() {
      return rtp.heardMs
    },
    heard: () => rtp.heard(),
    sound: () => rtp.sound(),
    quiet: (ms) => rtp.quiet(ms),
    hangUp: () => phone.hangup(),
    released: async () => {
      if ((await sip.exit) !== 0) throw new Error(sip.failure())
    },
  }
}

export async function sipOutside(): Promise<Outside> {
  const scene = await Scene.open()
  return {
    scene,
    trunkId: 'main',
    fullDuplex: true,
    greeting: [],
    call: async () => outsider(await scene.call()),
    async expect(manner) {
      const phone = await scene.expect(manner, 300)
      return { number: '+15559870000', taken: Promise.resolve(outsider(phone)) }
    },
    rest: () => scene.sweep(),
    close: () => scene.close(),
  }
}
