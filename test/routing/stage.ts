/** A box with trunks of few channels: real calls, routing, fax lines, reminder caller and store; the line is played, time stands still. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Calls, type Apology } from '../../daemon/calls/calls.ts'
import { newCallRow } from '../../daemon/calls/new-call.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { SipFaxLines } from '../../daemon/fax/sip-line.ts'
import { newCallId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox } from '../../daemon/outbox/outbox.ts'
import { createReminderCaller } from '../../daemon/reminders/call/caller.ts'
import type { Queues } from '../../daemon/pbx/queues/queues.ts'
import type { ReminderCallRequest, ReminderCaller } from '../../daemon/reminders/caller.ts'
import type { Routing } from '../../daemon/routing/routing.ts'
import type { ServedLines } from '../../daemon/routing/lines.ts'
import type { Config } from '../../daemon/schema/config.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { CallRow } from '../../daemon/store/tables.ts'
import type { Voice } from '../../daemon/voice/voice.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { houseOver, type House } from '../harness/routing.ts'
import { StandInDriver } from '../fax/stand-in-driver.ts'

const log = createLog({ level: 'silent' })
const nothing = async () => undefined
const voice = { serve: () => undefined, answered: nothing, replace: () => null, apologise: nothing } as unknown as Voice

export interface BoxOptions {
  readonly channels: number
  readonly more?: Record<string, unknown>
  /** In place of the line of the box. */
  readonly lines?: readonly ServedLines[]
  readonly dir?: string
}

export function configOf(dir: string, { channels, more }: Pick<BoxOptions, 'channels' | 'more'>): Config {
  const trunk = { server: '127.0.0.1', register: false, channels }
  const settings = {
    site: { name: 'Riverside Clinic', country: 'US', timeZone: 'America/New_York' },
    callbacks: { secret: 'whsec_callbacks_0123456789abcdef', allowLoopback: true },
    storage: { dir },
    trunks: [
      { ...trunk, id: 'main', numbers: ['+15550001000'], default: true },
      { ...trunk, id: 'other', numbers: ['+15550002000'] },
    ],
    extensions: [{ number: '101', password: 'Pa55word-Pa55word' }],
    inbound: [{ trunk: '*', to: '*', destination: '101' }],
    limits: { originateStartsPerSecond: 50 },
    ...more,
  }
  return parseConfig(JSON.stringify(settings), join(dir, 'pbxd.yaml')).config
}

export class Box {
  readonly clock = new FakeClock()
  readonly driver = new StandInDriver()
  readonly config: Config
  readonly store: Store
  readonly calls: Calls
  readonly routing: Routing
  readonly house: House
  readonly queues: Queues
  /** What was said to callers, and why. */
  readonly apologies: [string, Apology][] = []
  readonly faxes: SipFaxLines
  readonly reminders: ReminderCaller
  /** Until it resolves nothing is reported as being on the disk; null: at once. */
  disk: Promise<void> | null = null
  #n = 0

  private constructor(dir: string, store: Store, options: BoxOptions) {
    const { clock, driver } = this
    const config = (this.config = configOf(dir, options))
    this.store = {
      ...store,
      transaction: async (work) => {
        const written = await store.transaction(work)
        await this.disk
        return written
      },
    }
    const ground = { config, store: this.store, clock, log }
    const outbox = createOutbox({ ...ground, policy: { allowLoopback: true, ownPorts: [] }, secret: () => 'whsec', version: '0' })
    const calls = (this.calls = new Calls({ ...ground, outbox, apologise: async (call, why) => void this.apologies.push([call.id, why]) }))
    const { routing, house } = houseOver({ ...ground, calls }, options.lines ?? [{ driver, serves: () => true }], {
      applications: { inbound: nothing, takeOver: nothing, answered: (call) => call.answer().then(() => call.settled) },
    })
    this.routing = routing
    this.house = house
    this.queues = house.callQueues
    const { trunks } = this.routing
    this.faxes = new SipFaxLines({ config, calls, trunks, clock })
    this.reminders = createReminderCaller({ ...ground, calls, trunks, voice })
  }

  static async open(t: { teardown(fn: () => unknown): void }, options: BoxOptions): Promise<Box> {
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'pbx-routing-'))
    const store = await openStore(join(dir, 'store'), log)
    const box = new Box(dir, store, options)
    t.teardown(async () => {
      box.routing.originator.stop()
      await store.close()
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true })
    })
    return box
  }

  /** Everything happens that happens by itself. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      if (this.disk === null) await this.store.transaction(() => undefined)
      this.clock.advance(1)
    }
  }

  number(): string {
    this.#n += 1
    return `+1555123${String(1000 + this.#n).slice(-4)}`
  }

  /** Somebody wants a call. */
  async originate(trunkId = 'main'): Promise<CallRow> {
    const row = newCallRow(this.clock.now(), 'outbound')
    Object.assign(row, { to: this.number(), from: '+15550001000', trunkId, timeoutSeconds: 30, maxSeconds: 60 })
    await this.routing.originator.accept(row)
    return row
  }

  reminder(number: string): ReminderCallRequest {
    return {
      reminderId: 'r-1',
      callId: newCallId(),
      number,
      language: 'en-US',
      timeZone: 'America/New_York',
      customerName: 'Maria Lopez',
      appointmentAt: this.clock.now() + 86_400_000,
      serviceName: '',
      staffName: '',
      ringSeconds: 20,
      attempt: 1,
      token: '',
    }
  }

  /** Legs of a trunk that have not ended. */
  legs(trunkId = 'main'): number {
    return this.driver.legs.filter(({ over, request }) => !over && request?.via.kind === 'trunk' && request.via.trunkId === trunkId).length
  }
}
