/** 500 phones that register in the same moment, as after a power cut: each repeats what is not answered, as telephones do. */
import { LightPhone } from '../../../harness/light-phone.ts'
import { atMost, describe, fact, spread, type Row } from '../measure.ts'
import { used } from './cost.ts'
import { openHouse } from './daemon.ts'

const count = 500

export async function registrations(): Promise<Row[]> {
  const scene = await openHouse(count)
  try {
    const phones: LightPhone[] = []
    for (let n = 0; n < count; n++) phones.push(scene.keep(await LightPhone.open(scene, n)))
    const began = performance.now()
    const times = await Promise.all(phones.map(async (phone) => ((await phone.register()) ? performance.now() - began : Infinity)))
    const cost = await used(scene, 5)
    const took = spread(times.filter(Number.isFinite))
    const lost = times.filter((ms) => !Number.isFinite(ms)).length
    const repeated = phones.reduce((total, phone) => total + phone.repeated, 0)
    return [
      atMost(`registration of ${count} phones at once`, 30, 's', Math.max(...times) / 1000, `${describe(took)} ms`),
      atMost('phones that are not registered then', 0, '', lost, `${repeated} requests were sent twice or more`),
      fact('processor in the five seconds after', `engine ${cost.engine.toFixed(1)} %, daemon ${cost.daemon.toFixed(1)} %`),
    ]
  } finally {
    await scene.close()
  }
}
