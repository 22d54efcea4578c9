/**
 * The outside by lines of kind `sim`: the line that is tested and another one of the same box are on one simulated exchange, and a SIP
 * phone is put through from the other one, both ways. So the caller gets as much of an answer as a telephone does: the greeting that makes
 * it out is cut.
 */
import { tone, writeWav } from '../audio.ts'
import { eventually, Scene } from '../scene.ts'
import type { Outside } from './outside.ts'
import { outsider } from './sip.ts'

const own = '+15551230001'
const other = '+15551230002'
const person = '+15559870000'

export async function simOutside(): Promise<Outside> {
  const scene = await Scene.open({
    settings: (base) => {
      base['lines'] = [
        { id: 'line1', kind: 'sim', roles: ['voice'], number: own },
        { id: 'line2', kind: 'sim', roles: ['voice'], number: other },
      ]
      base['inbound'] = [
        { trunk: 'line1', to: '*', destination: 'endpoint:reception' },
        { trunk: 'line2', to: '*', destination: `external:${person}` },
        { trunk: 'main', to: '*', destination: `external:${own}` },
      ]
      base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
      base['outbound'] = [
        { to: '+1555123*', trunks: ['line2'] },
        { to: '+1*', trunks: ['main'] },
      ]
    },
  })
  const ready = () =>
    eventually('both lines are ready', async () => {
      const modems = JSON.parse((await scene.daemon.pbx('modem', 'list', '--json')).out) as { state: string }[]
      return modems.every(({ state }) => state === 'ready')
    })
  await ready()
  scene.app.files.set('/greeting.wav', writeWav(tone(620, 1500)))
  return {
    scene,
    trunkId: 'line1',
    fullDuplex: true,
    drifts: true,
    greeting: [{ play: { url: `${scene.app.url}/greeting.wav` } }],
    call: async () => outsider(await scene.call()),
    async expect(manner) {
      // A line that is not taken rings on; the one that calls is busy to itself.
      if (manner === 'busy') return { number: own, taken: new Promise(() => undefined) }
      const phone = await scene.expect(manner, 300)
      return { number: other, taken: Promise.resolve(outsider(phone)) }
    },
    async rest() {
      await scene.sweep()
      await ready()
    },
    close: () => scene.close(),
  }
}
