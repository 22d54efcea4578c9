/**
 * Two whole boxes, a daemon each, that call each other over two modems on one exchange. The exchange and the modems are simulated, in the process of the
 * test; serial ports, tones and samples between them are real.
 */
import t from 'tap'
import { AnalogHost } from '../../../drivers/sim/analog/host.ts'
import { Exchange } from '../../../drivers/sim/analog/exchange.ts'
import { Handset } from '../../../drivers/sim/analog/handset.ts'
import { realClock } from '../../../drivers/sim/time.ts'
import { tone, writeWav } from '../audio.ts'
import { eventually, Scene } from '../scene.ts'
import { programs } from '../../modem-voice/rig.ts'

const exchange = new Exchange({ clock: realClock, country: 'US', ringEveryMs: 3000, delayMs: 60 })
export const numbers = ['+15551230001', '+15551230002'] as const
/** As people dial it. */
const digits = (number: string) => number.slice(1)
const hosts = numbers.map((number) => new AnalogHost(programs, exchange.line(digits(number))))

async function box(index: 0 | 1): Promise<Scene> {
  const device = await hosts[index]!.open()
  await hosts[index]!.plug()
  return Scene.open({
    settings: (base) => {
      base['trunks'] = []
      base['lines'] = [{ id: 'line1', device, roles: ['voice', 'fax'], number: numbers[index] }]
      base['inbound'] = [{ trunk: 'line1', to: '*', destination: 'endpoint:reception' }]
      base['outbound'] = [{ to: '+1*', trunks: ['line1'] }]
      base['fax'] = { line: 'line1', header: 'Riverside Clinic' }
      base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    },
  })
}
export const boxes = await Promise.all([box(0), box(1)])
const [one, two] = boxes
export const person = new Handset(exchange.line('15551230009'), realClock)

t.setTimeout(400_000)
t.teardown(async () => {
  person.hangUp()
  await Promise.all(boxes.map((each) => each.close()))
  await Promise.all(hosts.map((each) => each.close()))
})
export const state = async ({ daemon }: Scene): Promise<string> => JSON.parse((await daemon.pbx('modem', 'list', '--json')).out)[0].state
t.beforeEach(async () => {
  for (const { app } of boxes) app.reset()
  for (const each of boxes) await eventually('the line is ready', async () => (await state(each)) === 'ready', 60_000)
})

for (const [{ app }, hz] of [
  [one, 700],
  [two, 900],
] as const)
  app.files.set('/tone.wav', writeWav(tone(hz, 6000)))
export const says = ({ app }: Scene) => ({ play: { url: `${app.url}/tone.wav` } })
export const calls = (to: string, more: object = {}) => one.originate({ to, trunkId: 'line1', endpoint: 'reception', ...more })
export const ended = async ({ app }: Scene) => (await app.until('call.ended', () => true, 90_000)).event
