/** Who answers outside is asked to take the call by a key: a voicemail or a machine there must not swallow it. */
import type { PlaySource } from '../../drivers/line.ts'
import type { SecondLeg } from '../calls/second-leg.ts'
import type { Clock } from '../clock.ts'

const takesKey = '1'
/** After the answer; who has said nothing by then does not take the call. */
const patienceMs = 20_000
const betweenMs = 1500

/** Resolves true when the key was pressed. `words`: what is said, in this order, again and again. */
export async function pressesOne(clock: Clock, leg: SecondLeg, words: readonly Promise<PlaySource>[]): Promise<boolean> {
  const decided = Promise.withResolvers<boolean>()
  leg.onDigit = (digit) => {
    if (digit === takesKey) decided.resolve(true)
  }
  const timer = clock.after(patienceMs, () => decided.resolve(false))
  void leg.ended.then(() => decided.resolve(false))
  void repeat(leg, words, decided.promise)
  const takes = await decided.promise
  timer.cancel()
  leg.clear()
  return takes
}

async function repeat(leg: SecondLeg, words: readonly Promise<PlaySource>[], decided: Promise<boolean>): Promise<void> {
  const over = decided.then(() => null)
  for (;;) {
    for (const word of words) {
      const source = await Promise.race([word.catch(() => undefined), over])
      if (source === null) return
      if (source !== undefined && (await Promise.race([leg.play(source), over])) === null) return
    }
    const paused = await Promise.race([leg.play({ kind: 'silence', ms: betweenMs }), over])
    if (paused !== true) return
  }
}
