/** The outside by an analog line: a telephone on the exchange of a simulated modem. */
import { AnalogHost } from '../../../drivers/sim/analog/host.ts'
import { Exchange } from '../../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../../drivers/sim/analog/handset.ts'
import type { VoiceModemQuirks } from '../../../drivers/sim/analog/modem-quirks.ts'
import { realClock } from '../../../drivers/sim/time.ts'
import { programs } from '../../modem-voice/rig.ts'
import { eventually, Scene } from '../scene.ts'
import type { Outside, Outsider } from './outside.ts'

const loud = 500
const hears = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > loud)

function outsider(handset: Handset): Outsider {
  return {
    press: (key) => handset.press(key),
    say: (samples) => handset.say(samples),
    // Keys of an analog telephone are said.
    said: () => Promise.resolve(),
    lately: (ms) => handset.last(ms),
    get heardMs() {
      return handset.heard.length * 20
    },
    heard: () => handset.last(handset.heard.length * 20),
    sound: () => eventually('sound', () => handset.line.state === 'talking' && hears(handset.last(100))),
    quiet: (ms) => eventually('quiet', () => !hears(handset.last(ms))),
    hangUp: () => handset.hangUp(),
    released: async () => {
      await eventually('busy tone', () => handset.line.tone === 'busy')
      handset.hangUp()
    },
  }
}

/** `more`: further settings of the daemon. */
export async function analogOutside(
  quirks: Partial<VoiceModemQuirks>,
  more: (base: Record<string, unknown>) => void = () => undefined,
): Promise<Outside & { forget(): void }> {
  const exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 2000 })
  const host = new AnalogHost(programs, exchange.line('200'), quirks)
  const device = await host.open()
  await host.plug()
  const handset = new Handset(exchange.line('15559870000'), realClock)
  const scene = await Scene.open({
    settings: (base) => {
      base['lines'] = [{ id: 'line1', device, roles: ['voice'], number: '+15550001000' }]
      base['inbound'] = [{ trunk: 'line1', to: '*', destination: 'endpoint:reception' }]
      base['outbound'] = [{ to: '+1*', trunks: ['line1'] }]
      more(base)
    },
  })
  const ready = () =>
    eventually('the line is ready', async () => JSON.parse((await scene.daemon.pbx('modem', 'list', '--json')).out)[0]?.state === 'ready')
  await ready()
  return {
    scene,
    trunkId: 'line1',
    fullDuplex: quirks.fullDuplex !== false,
    greeting: [],
    async call() {
      handset.heard.length = 0
      handset.call('200')
      return outsider(handset)
    },
    async expect(manner) {
      const { promise, resolve } = Promise.withResolvers<Outsider>()
      handset.heard.length = 0
      if (manner === 'busy') handset.lift()
      handset.onRing = () => {
        if (manner === 'answer') handset.lift()
        resolve(outsider(handset))
      }
      return { number: '+15559870000', taken: promise }
    },
    /** What was heard so far. */
    forget: () => void (handset.heard.length = 0),
    async rest() {
      handset.hangUp()
      handset.onRing = () => undefined
      await scene.sweep()
      await ready()
    },
    async close() {
      handset.hangUp()
      await scene.close()
      await host.close()
    },
  }
}
