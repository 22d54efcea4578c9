/** What pbx-engine refused and ended in its own defence, for warnings and figures. */
import type { Message } from './frames.ts'
import { text, whole } from './reading.ts'
import type { DriverLog } from './engine-log.ts'

/** Why a connection over TCP or TLS was refused, or ended. */
export type ConnectionRefusal = 'address' | 'strangers' | 'known' | 'banned' | 'silent' | 'unproven'

const words: Readonly<Record<ConnectionRefusal, string>> = {
  address: 'too many from one address',
  strangers: 'too many from strangers',
  known: 'too many from trunks and phones',
  banned: 'from a banned address',
  silent: 'no whole request in time',
  unproven: 'no authentication in time',
}

export interface Refused {
  /** Since the beginning of the time that is looked at. */
  readonly count: number
  /** The last address of all. */
  readonly address: string
}

export interface UnacknowledgedCalls {
  readonly trunkId: string
  /** Calls that were answered, and ended because no ACK came. */
  readonly ended: number
  /** Calls that were refused because too many others waited for their ACK. */
  readonly refused: number
  readonly address: string
}

/** So long is what was refused worth a warning. */
const recentMs = 600_000

interface Entry {
  readonly at: number
  readonly message: Message
}

export class Refusals {
  readonly #totals = new Map<string, number>()
  readonly #log: DriverLog
  readonly #now: () => number
  #entries: Entry[] = []
  #calls = 0

  constructor(log: DriverLog, now: () => number = Date.now) {
    this.#log = log
    this.#now = now
  }

  /** Takes and logs a `refused` or an `unacknowledged` of the engine; false: it is something else. */
  receive(message: Message): boolean {
    if (message.t !== 'refused' && message.t !== 'unacknowledged') return false
    this.#log.warn(...lineOf(message))
    this.#entries.push({ at: this.#now(), message })
    if (message.t === 'refused')
      for (const [reason, count] of countsOf(message)) this.#totals.set(reason, (this.#totals.get(reason) ?? 0) + count)
    else this.#calls += whole(message['ended']) + whole(message['refused'])
    return true
  }

  /** Connections by reason, since the start. */
  connections(): ReadonlyMap<string, number> {
    return this.#totals
  }

  /** Calls ended or refused for want of an ACK, since the start. */
  get unacknowledgedCalls(): number {
    return this.#calls
  }

  /** Connections refused or ended in the last ten minutes; null for none. */
  recentConnections(): Refused | null {
    const messages = this.#recent('refused')
    const count = messages.flatMap(countsOf).reduce((sum, [, each]) => sum + each, 0)
    return count === 0 ? null : { count, address: text(messages.at(-1)?.['address']) }
  }

  /** Calls without ACK in the last ten minutes, by trunk. */
  recentCalls(): UnacknowledgedCalls[] {
    const byTrunk = new Map<string, UnacknowledgedCalls>()
    for (const message of this.#recent('unacknowledged')) {
      const trunkId = text(message['trunk'])
      const { ended = 0, refused = 0 } = byTrunk.get(trunkId) ?? {}
      const address = text(message['address'])
      byTrunk.set(trunkId, { trunkId, ended: ended + whole(message['ended']), refused: refused + whole(message['refused']), address })
    }
    return [...byTrunk.values()]
  }

  #recent(t: string): Message[] {
    const from = this.#now() - recentMs
    this.#entries = this.#entries.filter(({ at }) => at >= from)
    return this.#entries.flatMap(({ message }) => (message.t === t ? [message] : []))
  }
}

/** The line of the log about such a message: facts and text. */
function lineOf(message: Message): [Record<string, unknown>, string] {
  const address = text(message['address'])
  if (message.t === 'refused') {
    const why = countsOf(message).map(([reason, count]) => `${count} ${words[reason as ConnectionRefusal] ?? reason}`)
    return [{ address }, `Connections to the SIP listeners were refused or ended: ${why.join(', ')}`]
  }
  const facts = { address, trunk: text(message['trunk']), ended: whole(message['ended']), refused: whole(message['refused']) }
  return [facts, 'Answered calls were not acknowledged and were ended; further ones of that address are refused while there are many']
}

function countsOf(message: Message): [string, number][] {
  const counts = message['counts']
  return typeof counts === 'object' && counts !== null ? Object.entries(counts).map(([reason, count]) => [reason, whole(count)]) : []
}
