/** The telephone system of the house against the figures of its contract. */
import type { Measurement } from '../measure.ts'
import { bridged } from './bridged.ts'
import { lamps } from './lamps.ts'
import { queue } from './queue.ts'
import { registrations } from './registrations.ts'
import { restart } from './restart.ts'
import { ringing } from './ringing.ts'

export const house: Measurement = {
  name: 'pbx',
  title: 'The telephone system of the house',
  async run() {
    return [...(await ringing()), ...(await lamps()), ...(await bridged()), ...(await queue()), ...(await registrations())]
  },
}

export const outliving: Measurement = {
  name: 'restart',
  title: 'The daemon is started again, and killed, under talks',
  run: restart,
}
