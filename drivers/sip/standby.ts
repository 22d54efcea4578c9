/** An engine that runs already, as a service or since it has outlived its daemon: where it is found, and what it says of the calls that it has kept. */
import { connect, type Socket } from 'node:net'
import type { Leg } from '../line.ts'
import type { StandingLeg } from '../pbx.ts'
import type { Message } from './frames.ts'
import { SipLeg, type LegOrigin } from './legs.ts'
import { text, whole } from './reading.ts'

/** The first that listens at one of the places; null: none does. */
export async function findEngine(places: readonly string[]): Promise<Socket | null> {
  for (const path of places) {
    const found = await new Promise<Socket | null>((resolve) => {
      const socket = connect(path)
      socket.once('connect', () => resolve(socket))
      socket.once('error', () => resolve(null))
    })
    if (found !== null) return found
  }
  return null
}

/** What is known of a leg before there is an object for it. */
interface Described {
  readonly origin: Omit<LegOrigin, 'id'>
  readonly facts: Omit<StandingLeg, 'leg'>
}

/** `adopt` of the protocol. */
function readStanding(message: Message, placeOf: (file: string) => string): readonly Described[] {
  const legs = (Array.isArray(message['legs']) ? message['legs'] : []) as readonly Record<string, unknown>[]
  return legs.map((one) => ({
    origin: {
      number: whole(one['leg']),
      direction: one['inbound'] === true ? 'inbound' : 'outbound',
      trunkId: text(one['trunk']),
      extension: text(one['extension']),
      bridge: whole(one['bridge']),
    },
    facts: {
      tag: text(one['tag']),
      held: one['held'] === true,
      answeredMs: whole(one['answeredMs']),
      records: ((one['records'] ?? []) as Record<string, unknown>[]).map(({ record, file }) => ({
        recordId: whole(record),
        file: placeOf(text(file)),
      })),
    },
  }))
}

/** Calls that an engine has kept, until somebody takes them. */
export class StandingCalls {
  /** Given all of them; returns those that it has taken, the others are ended. */
  #take: ((legs: readonly StandingLeg[]) => readonly Leg[]) | null = null
  #waiting: readonly StandingLeg[] | null = null
  readonly #adopted: (legs: readonly number[]) => void
  readonly #placeOf: (file: string) => string

  constructor(adopted: (legs: readonly number[]) => void, placeOf: (file: string) => string) {
    this.#adopted = adopted
    this.#placeOf = placeOf
  }

  /** The engine is gone, and they with it. */
  lost(): void {
    this.#waiting = null
  }

  /** `message`: `adopt`; `make`: a leg of the driver. */
  came(message: Message, make: (origin: Omit<LegOrigin, 'id'>) => SipLeg): void {
    this.#waiting = readStanding(message, this.#placeOf).map(({ origin, facts }) => ({ leg: make(origin), ...facts }))
    this.#hand()
  }

  onStanding(take: (legs: readonly StandingLeg[]) => readonly Leg[]): void {
    this.#take = take
    this.#hand()
  }

  #hand(): void {
    if (this.#take === null || this.#waiting === null) return
    const taken = this.#take(this.#waiting)
    this.#waiting = null
    // What happened meanwhile is reported from then on: the code that has taken the legs is ready at the end of this turn of the loop.
    const numbers = taken.flatMap((leg) => (leg instanceof SipLeg ? [leg.number] : []))
    setImmediate(() => this.#adopted(numbers))
  }
}
