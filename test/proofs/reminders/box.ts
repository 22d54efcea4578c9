/** A box that reminds in simulated time: the planner, the store and the outbox are the real ones, the people are not. */
import { join } from 'node:path'
import { parseConfig } from '../../../daemon/config/load.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { createOutbox, type Outbox } from '../../../daemon/outbox/outbox.ts'
import { createReminders, type Reminders } from '../../../daemon/reminders/reminders.ts'
import { openStore, type Store } from '../../../daemon/store/store.ts'
import { FakeClock } from '../../harness/fake-clock.ts'
import { People } from './people.ts'

export const zone = 'America/New_York'

export interface BoxOptions {
  readonly dir: string
  readonly startAt: number
  readonly seed: number
  readonly lines: number
  readonly channels: number
  readonly tell: (line: string) => void
  readonly before: readonly string[]
}

export class Box {
  readonly clock: FakeClock
  readonly people: People
  readonly store: Store
  readonly outbox: Outbox
  readonly reminders: Reminders
  texts = 0
  readonly #tell: (line: string) => void

  private constructor(options: BoxOptions, store: Store) {
    this.store = store
    this.#tell = options.tell
    const log = createLog({ level: 'error' })
    const clock = (this.clock = new FakeClock(options.startAt))
    this.people = new People({ ...options, clock })
    const policy = { allowLoopback: true }
    // Not started: callbacks stay where they are written, to be counted.
    const outbox = (this.outbox = createOutbox({ store, clock, log, policy, secret: () => 'whsec', version: '0' }))
    const settings = {
      site: { name: 'Riverside Clinic', country: 'US', timeZone: zone },
      callbacks: { secret: 'whsec_callbacks_0123456789abcdef', allowLoopback: true },
      storage: { dir: options.dir },
      reminders: { lines: options.lines },
    }
    const { config } = parseConfig(JSON.stringify(settings), join(options.dir, 'pbxd.yaml'))
    const texts = {
      hasTrunk: () => true,
      prepare: () => ({ put: () => undefined, admit: () => void (this.texts += 1) }),
    }
    this.reminders = createReminders({ config, store, outbox, caller: this.people, texts, clock, log, policy })
  }

  static async open(options: BoxOptions): Promise<Box> {
    return new Box(options, await openStore(join(options.dir, 'store'), createLog({ level: 'error' })))
  }

  /** Runs what is due now, until nothing is on its way to the disk. */
  async settle(): Promise<void> {
    const { clock, reminders } = this
    for (let quiet = 0; quiet < 2;) {
      clock.advance(0)
      await reminders.queue.settled()
      await new Promise((resolve) => setImmediate(resolve))
      quiet = clock.next === 0 ? 0 : quiet + 1
    }
  }

  /** Moves to the next thing that happens; false when nothing is planned before `until`. */
  async next(until = Infinity): Promise<boolean> {
    const { clock } = this
    if (clock.next === undefined || clock.now() + clock.next > until) return false
    // Before anything happens then: after a kill no clock begins before what the store knows of.
    if (clock.next > 0) this.#tell(`T ${clock.now() + clock.next}`)
    clock.advance(clock.next)
    await this.settle()
    return true
  }

  async runTo(at: number): Promise<void> {
    await this.settle()
    while (await this.next(at));
    this.clock.advance(Math.max(0, at - this.clock.now()))
    await this.settle()
  }

  async close(): Promise<void> {
    this.reminders.queue.drain()
    await this.reminders.queue.settled()
    await this.outbox.stop()
    await this.store.close()
  }
}
