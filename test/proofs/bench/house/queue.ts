/** 50 callers who hear music in a queue while the phones of its 20 members ring. */
import { LightPhone, extensionOf } from '../../../harness/light-phone.ts'
import { pause } from '../../../harness/scene.ts'
import { atMost, fact, type Row } from '../measure.ts'
import { Meter, hold } from '../stage.ts'
import { atRest, besides, shares, used } from './cost.ts'
import { openHouse } from './daemon.ts'

const callers = 50
const members = 20
/** Each caller hears one announcement in it. */
const seconds = 45

export async function queue(): Promise<Row[]> {
  const scene = await openHouse(members, (base) => {
    base['queues'] = [
      {
        id: 'nurses',
        members: Array.from({ length: members }, (_, n) => extensionOf(n)),
        strategy: 'longest-idle',
        ringSeconds: 120,
        maxCallers: callers,
        announce: { everySeconds: seconds, position: true, wait: true },
      },
    ]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: 'queue:nurses' }]
  })
  const meter = await Meter.open(callers)
  try {
    const phones = await LightPhone.registered(scene, members)
    const rest = await atRest(scene)
    const rung = Promise.all(phones.map((phone) => phone.rings()))
    const load = await hold(scene, meter, callers)
    await rung
    await pause(2000)
    await meter.start()
    const busy = await used(scene, seconds)
    const heard = await meter.report()
    await load.close()
    return [
      atMost(`a queue of ${callers} callers and ${members} members`, 5, '% of a core', besides(busy, rest), shares(busy, rest)),
      fact(
        'what its callers hear: RTP interval deviation, p99',
        `${heard.p99.toFixed(2)} ms`,
        `${heard.packets} packets, ${heard.lost} lost`,
      ),
    ]
  } finally {
    meter.close()
    await scene.close()
  }
}
