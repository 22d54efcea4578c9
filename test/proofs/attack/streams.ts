/** A server of a stream that floods, at the end of four calls at once: the box has other calls. */
import { flood, floodStage, mostStillMs, type FloodStage } from '../stream/floods.ts'
import type { FloodName } from '../../harness/streams/flood-server.ts'
import type { Area, Attack } from './attack.ts'

const floodMs = 3000

/** Those that took the event loop before frames were read one in a turn, and no faster than they can be heard. */
const played: readonly FloodName[] = [
  'frames of 1 MB',
  'frames with one byte of audio',
  'clears',
  'pings, and reads nothing',
  'brackets without end',
  'a million brackets',
  'a frame in empty pieces',
]

const attack = (name: FloodName): Attack => ({
  name: `four streams whose servers send ${name}`,
  async play() {
    const stage: FloodStage = await floodStage()
    try {
      const { p999, ranMs } = await flood(stage, name, floodMs)
      return {
        seen: `the event loop stood still for ${ranMs.toFixed(0)} ms (p99.9; ${p999.toFixed(0)} with the wait for a processor)`,
        stood: ranMs <= mostStillMs,
      }
    } finally {
      await stage.close()
    }
  },
})

export const streams: Area = { name: 'streams', attacks: played.map(attack) }
