/** Who answers outside is asked to take the call by a key: a voicemail or a machine there must not swallow it. */
import type { PlaySource } from '../../drivers/line.ts'
import type { Call } from '../calls/call.ts'
import type { SecondLeg } from '../calls/second-leg.ts'
import type { Clock } from '../base/clock.ts'

/** Somebody who has answered. */
interface Asked {
  /** Called for each key. */
  onDigit: (digit: string) => void
  readonly ended: Promise<unknown>
  /** Resolves whether it was heard to its end. */
  play(source: PlaySource): Promise<boolean>
  clear(): void
}

const takesKey = '1'
/** After the answer; who has said nothing by then does not take the call. */
const patienceMs = 20_000
const betweenMs = 1500

/** Of a further leg. Resolves true when the key was pressed. `words`: what is said, in this order, again and again. */
export function pressesOne(clock: Clock, leg: SecondLeg, words: readonly Promise<PlaySource>[]): Promise<boolean> {
  return asks(clock, leg, words)
}

/** The same for the party on the call's own leg. */
export async function callerPressesOne(clock: Clock, call: Call, words: readonly Promise<PlaySource>[]): Promise<boolean> {
  const ended = Promise.withResolvers<void>()
  call.over.addEventListener('abort', () => ended.resolve(), { once: true })
  const asked: Asked = {
    onDigit: () => undefined,
    ended: ended.promise,
    play: async (source) => (await call.play(source)).completed,
    clear: () => call.clear(),
  }
  const deaf = call.listen((signal) => {
    if (signal.type === 'digit') asked.onDigit(signal.digit)
  })
  try {
    return !call.over.aborted && (await asks(clock, asked, words))
  } finally {
    deaf()
  }
}

async function asks(clock: Clock, asked: Asked, words: readonly Promise<PlaySource>[]): Promise<boolean> {
  const decided = Promise.withResolvers<boolean>()
  asked.onDigit = (digit) => {
    if (digit === takesKey) decided.resolve(true)
  }
  const timer = clock.after(patienceMs, () => decided.resolve(false))
  void asked.ended.then(() => decided.resolve(false))
  void repeat(asked, words, decided.promise)
  const takes = await decided.promise
  timer.cancel()
  asked.clear()
  return takes
}

async function repeat(asked: Asked, words: readonly Promise<PlaySource>[], decided: Promise<boolean>): Promise<void> {
  const over = decided.then(() => null)
  for (;;) {
    for (const word of words) {
      const source = await Promise.race([word.catch(() => undefined), over])
      if (source === null) return
      if (source !== undefined && (await Promise.race([asked.play(source), over])) === null) return
    }
    const paused = await Promise.race([asked.play({ kind: 'silence', ms: betweenMs }), over])
    if (paused !== true) return
  }
}
