/** One thing that callers and applications do, whatever line leads to the box. */
import type { Test } from 'tap'
import { findClip, speech } from '../../harness/audio.ts'
import type { Outside, Outsider } from '../../harness/lines/outside.ts'

export interface Scenario {
  readonly name: string
  readonly suits?: (outside: Outside) => boolean
  run(t: Test, outside: Outside): Promise<void>
}

export const welcome = 'Welcome to Riverside Clinic.'
export const menu = 'Please press the key of the service that you would like to speak to now, or stay on the line for the reception.'
export const goodbye = 'Goodbye, and thank you for calling.'

export const whole = (who: Outsider, text: string): boolean => findClip(who.heard(), speech(text)).whole

const pieceSamples = 3200

/** Ms of the clip that were heard, a piece after the other: where two clocks meet, frames are left out and made up on the way, and nothing is at its time. */
function heardInPieces(heard: Int16Array, clip: Int16Array): number {
  let [all, fromMs] = [0, 0]
  for (let at = 0; at + pieceSamples <= clip.length; at += pieceSamples) {
    const { atMs, heardMs, clipMs } = findClip(heard, clip.subarray(at, at + pieceSamples), fromMs)
    // Not where an earlier word sounds like it.
    if (atMs >= 0) fromMs = atMs + clipMs - 60
    all += heardMs
  }
  return all
}

export const wholly = (t: Test, outside: Outside, who: Outsider, text: string): void => {
  const [heard, clip] = [who.heard(), speech(text)]
  const found = findClip(heard, clip)
  const most = outside.drifts === true && Math.max(found.heardMs, heardInPieces(heard, clip)) > found.clipMs / 2
  t.ok(found.whole || most, `${text} ${JSON.stringify(found)}`)
}

/** What an application does with a call that comes in, and with what becomes of it. */
export const inbound =
  (document: unknown[], then: unknown[] = []) =>
  (e: { event: string }) =>
    e.event === 'call.inbound.pre_route' ? document : e.event === 'call.ended' ? [] : then
