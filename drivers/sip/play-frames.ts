/** What the engine is sent to have something played: one item of a leg's play queue. */
import type { PlaySource } from '../line.ts'
import { encodeMessage, encodePcm } from './frames.ts'

/** `clip`: the engine's number of it, where the source is one. `over`: heard over what the leg hears otherwise. */
export function playFrames(leg: number, play: number, source: PlaySource, clip: number, { over }: { readonly over?: true }): Buffer[] {
  const order = (members: Record<string, unknown>): Buffer =>
    encodeMessage({ t: 'play', leg, play, ...members, ...(over === true ? { over } : {}) })
  switch (source.kind) {
    case 'clip':
      return [order({ clip, ...(source.offsetMs === undefined ? {} : { offsetMs: Math.round(source.offsetMs) }) })]
    case 'silence':
      return [encodeMessage({ t: 'play', leg, play, silenceMs: Math.round(source.ms) })]
    case 'tone': {
      const level = source.dbm0 === undefined ? {} : { dbm0: source.dbm0 }
      return [order({ tone: { hz: source.hz, ms: Math.round(source.ms), ...level } })]
    }
    case 'samples':
      return [
        order({ stream: true, ...(source.rate === undefined ? {} : { rate: source.rate }) }),
        encodePcm(leg, play, source.samples),
        encodeMessage({ t: 'playEnd', leg, play }),
      ]
  }
}
