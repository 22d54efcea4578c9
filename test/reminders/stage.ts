/** A box that reminds: real store, outbox, desk and queue; people and texts are played by the test, time stands still. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createOutbox, type Outbox } from '../../daemon/outbox/outbox.ts'
import { createReminders, type Reminders } from '../../daemon/reminders/reminders.ts'
import type { ReminderRequest, SubmitAnswer } from '../../daemon/reminders/submit.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { ReminderRow } from '../../daemon/store/tables.ts'
import '../harness/events-fit.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { ScriptedCaller, type ScriptedCall } from './scripted-caller.ts'

export const log = createLog({ level: 'silent' })
export const policy = { allowLoopback: true, ownPorts: [] }

/** Monday, 09:30 in New York. */
export const monday = Date.parse('2026-03-02T14:30:00Z')
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export interface StageOptions {
  readonly reminders?: Record<string, unknown>
  readonly now?: number
  readonly timeZone?: string
  readonly clockTrusted?: () => boolean
}

export class Stage {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-reminders-'))
  readonly clock: FakeClock
  readonly texts: { to: string; body: string; subject: string }[] = []
  reminderSettings: Record<string, unknown>
  timeZone: string
  readonly clockTrusted: () => boolean
  caller = new ScriptedCaller()
  textsPossible = true
  textError = ''
  admitted = 0
  #given = 0
  store!: Store
  outbox!: Outbox
  reminders!: Reminders

  constructor({ reminders = {}, now = monday, timeZone = 'America/New_York', clockTrusted = () => true }: StageOptions = {}) {
    this.clockTrusted = clockTrusted
    this.clock = new FakeClock(now)
    this.reminderSettings = reminders
    this.timeZone = timeZone
  }

  static async open(t: Test, options?: StageOptions): Promise<Stage> {
    const stage = new Stage(options)
    await stage.start()
    t.teardown(async () => {
      await stage.stop()
      rmSync(stage.dir, { recursive: true, force: true })
    })
    return stage
  }

  /** Without the queue: `begin` starts it. */
  async start(): Promise<void> {
    const { clock } = this
    const { config } = parseConfig(
      JSON.stringify({
        site: { name: 'Riverside Clinic', country: 'US', timeZone: this.timeZone, number: '+15550001000' },
        callbacks: { secret: 'whsec_callbacks_0123456789abcdef', allowLoopback: true },
        storage: { dir: join(this.dir, 'var') },
        reminders: this.reminderSettings,
      }),
      join(this.dir, 'pbxd.yaml'),
    )
    const store = (this.store = await openStore(join(this.dir, 'var', 'store'), log))
    const outbox = (this.outbox = createOutbox({ store, clock, log, policy, secret: () => 'whsec', version: '1.2.3' }))
    const texts = {
      hasTrunk: () => this.textsPossible,
      prepare: (request: { to: string; body: string; subject: string }) => {
        if (this.textError !== '') return { error: this.textError }
        return { put: () => void this.texts.push(request), admit: () => void (this.admitted += 1) }
      },
    }
    this.reminders = createReminders({
      config,
      store,
      outbox,
      caller: this.caller,
      texts,
      clock,
      log,
      policy,
      clockTrusted: this.clockTrusted,
    })
  }

  async begin(): Promise<void> {
    this.reminders.queue.start()
    await this.settle()
  }

  async stop(): Promise<void> {
    for (const call of this.caller.live()) call.end({ kind: 'failed', text: 'the test is over' })
    const stopping = this.reminders.queue.stop()
    await this.reminders.queue.settled()
    this.clock.advance(5000)
    await stopping
    await this.outbox.stop()
    await this.store.close()
  }

  /** As after a crash: nothing that was under way is reported. */
  async crash(): Promise<void> {
    this.reminders.queue.drain()
    await this.reminders.queue.settled()
    await this.store.close()
    this.caller = new ScriptedCaller()
    this.#given = 0
    await this.start()
  }

  async submit(...requests: Partial<ReminderRequest>[]): Promise<SubmitAnswer> {
    const items = requests.map((request, index) => ({ request: this.request({ externalRef: `A-${index}`, ...request }) }))
    const answer = await this.reminders.desk.submit(items)
    await this.settle()
    return answer
  }

  request(change: Partial<ReminderRequest> = {}): ReminderRequest {
    return {
      customerName: 'Jane Doe',
      phoneNumber: '555-123-0001',
      appointmentAt: '2026-03-03T20:00:00Z',
      statusCallbackUrl: 'http://127.0.0.1:9/done',
      ...change,
    }
  }

  row(reminderId: string): ReminderRow {
    return this.store.tables.reminders.get(reminderId)!
  }

  rows(): ReminderRow[] {
    return [...this.store.tables.reminders.range()].map(({ value }) => value)
  }

  /** Bodies of all callbacks, oldest first. */
  callbacks(): Record<string, unknown>[] {
    return [...this.store.tables.outbox.range()].map(({ value }) => JSON.parse(value.body) as Record<string, unknown>)
  }

  /** Runs what is due, until nothing is on its way to the disk. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3;) {
      this.clock.advance(0)
      await this.reminders.queue.settled()
      await new Promise((resolve) => setImmediate(resolve))
      quiet = this.clock.next === 0 ? 0 : quiet + 1
    }
  }

  /** Moves time to the next thing that happens, again and again, up to `at`. */
  async runTo(at: number): Promise<void> {
    await this.settle()
    while (this.clock.next !== undefined && this.clock.now() + this.clock.next <= at) {
      this.clock.advance(this.clock.next)
      await this.settle()
    }
    this.clock.advance(Math.max(0, at - this.clock.now()))
    await this.settle()
  }

  /** Gives the next call that was not given yet, and runs until it is placed. */
  async nextCall(): Promise<ScriptedCall> {
    const known = this.#given++
    await this.settle()
    while (this.caller.calls.length <= known) {
      const { next } = this.clock
      if (next === undefined) throw new Error('nothing is planned')
      this.clock.advance(next)
      await this.settle()
    }
    return this.caller.calls[known]!
  }

  async end(call: ScriptedCall, result: Parameters<ScriptedCall['end']>[0]): Promise<void> {
    call.end(result)
    await this.settle()
  }
}

/** The id of an item that was accepted. */
export function idOf(answer: SubmitAnswer, index = 0): string {
  const item = answer.reminders[index]!
  if (!('reminderId' in item)) throw new Error(`item ${index} was rejected: ${item.error}`)
  return item.reminderId
}
