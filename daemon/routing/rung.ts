/** One leg that is rung for a call, from the first packet until somebody there has taken the call or it is clear that nobody does. */
import { type PlaySource, endWords } from '../../drivers/line.ts'
import type { Call } from '../calls/call.ts'
import type { SecondLeg } from '../calls/second-leg.ts'
import type { Answerer, Search } from './connect.ts'
import { canceled, takenOf, type Taken } from './taken.ts'

/** Cause of Q.850 for a phone that need not ring any more because another one has the call: non-selected user clearing. */
export const elsewhereCause = 26

export interface RungOptions extends Pick<Answerer, 'name' | 'activity'> {
  /** Played to who answers before the two hear each other, in this order. A part that cannot be made is left out. */
  readonly announce?: readonly Promise<PlaySource>[]
  /** Who answers is asked whether they take the call; it is not theirs before this resolves true. */
  readonly confirm?: (leg: SecondLeg) => Promise<boolean>
}

export class Rung implements Search {
  readonly found: Promise<Answerer | Taken>
  readonly #leg: SecondLeg

  /** `leg`: attached already. */
  constructor(call: Call, leg: SecondLeg, options: RungOptions) {
    this.#leg = leg
    this.found = taking(call, leg, options)
  }

  /** Resolves true when somebody there has lifted the receiver, false when nobody does. */
  get lifted(): Promise<boolean> {
    return this.#leg.taken
  }

  set onRinging(told: () => void) {
    this.#leg.onRinging = told
  }

  set onEarlyMedia(told: (leg: SecondLeg) => void) {
    this.#leg.onEarlyMedia = () => told(this.#leg)
  }

  release(cause?: number): void {
    this.#leg.release(cause)
  }
}

async function taking(call: Call, leg: SecondLeg, options: RungOptions): Promise<Answerer | Taken> {
  const { name, activity, announce = [], confirm } = options
  const asked = announce.length > 0 || confirm !== undefined
  const takes = (await leg.taken) && (!asked || ((await announced(leg, announce)) && (confirm === undefined || (await confirm(leg)))))
  // Who is asked nothing has taken the call by answering, also where they have hung up in the same moment.
  if (takes && !leg.released) return { leg, name, activity }
  if (leg.released) return canceled
  const after = leg.row.answeredAt !== null
  if (after && !leg.over.aborted) {
    leg.release()
    call.note('leg', `${name}: answered, and the call was not taken`)
    return { outcome: 'no-answer', sipCode: 480, text: 'answered, and the call was not taken' }
  }
  const end = await leg.ended
  call.note('leg', `${name}: ${endWords(end) || end.reason} (${end.sipCode})`)
  return after ? { outcome: 'refused', sipCode: 603, text: 'hung up before the call was put through' } : takenOf(end)
}

/** Who answers hears why, while the caller hears it ring; false when they are gone before its end. */
async function announced(leg: SecondLeg, announce: readonly Promise<PlaySource>[]): Promise<boolean> {
  for (const part of announce) {
    const source = await part.catch(() => null)
    if (leg.over.aborted || leg.released) return false
    if (source !== null && !(await leg.play(source)) && leg.over.aborted) return false
  }
  return !leg.over.aborted && !leg.released
}
