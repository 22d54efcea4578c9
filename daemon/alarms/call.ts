/**
 * A telephone that is rung for an alarm: the person who answers hears what is wrong, and acknowledges it with key 1. An application inside
 * the daemon, as menus are. The call goes through any trunk that is up, as the usual one may be the one that failed. An application inside
 * the daemon, as menus are. Through any trunk that is up: the one that is usual may be what is the matter.
 */
import { internalPrefix, newCallRow } from '../calls/new-call.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { NoticeRefused } from '../base/notice-ways.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { createReach } from '../numbers/reach.ts'
import type { Originator } from '../routing/originate.ts'
import type { Trunks } from '../routing/trunks.ts'
import type { Config } from '../schema/config.ts'
import type { CallEvent } from '../schema/events.ts'
import type { BoxEventRow, CallRow } from '../store/tables.ts'
import type { InternalApplication } from '../voice/internal.ts'
import type { AlarmWay } from './alarms.ts'
import { words, type Said } from '../words/words.ts'
import { spokenOf, type Told } from './words.ts'

export interface AlarmCallOptions {
  readonly config: Config
  readonly originator: Pick<Originator, 'accept'>
  readonly trunks: Pick<Trunks, 'fault'>
  readonly clock: Clock
  readonly log: Log
  /** Somebody at that number takes these events in hand; resolves when it is durable. */
  readonly acknowledge: (eventIds: readonly string[], to: string) => Promise<void>
  /** What lasts and is in nobody's hands. */
  readonly open: () => readonly Readonly<BoxEventRow>[]
}

interface Held {
  readonly to: string
  readonly said: readonly Said[]
  readonly eventIds: readonly string[]
  asked: number
}

type Order = Parameters<AlarmWay['tell']>[0]

const name = 'alarm'
const ringSeconds = 40
const longestSeconds = 180
const mostAsked = 3
/** A person who does not answer is called again soon: telephones set to silence let a second call through. */
const mostCalls = 3
const againMs = 30_000

export class AlarmCall implements InternalApplication, AlarmWay {
  readonly name = name
  readonly destinations: readonly string[] = []
  readonly #options: AlarmCallOptions
  readonly #held = new Map<string, Held>()
  #again: Timer[] = []

  constructor(options: AlarmCallOptions) {
    this.#options = options
  }

  /** Nobody is called again from now on. */
  stop(): void {
    for (const timer of this.#again) timer.cancel()
  }

  tell(told: Order, alongside: () => void): Promise<void> {
    return this.#ring(told, alongside, 1)
  }

  async #ring(told: Order, alongside: () => void, times: number): Promise<void> {
    const { config, clock, originator, log } = this.#options
    const row = Object.assign(newCallRow(clock.now(), 'outbound'), this.#where(told.to), {
      callerName: config.site.name,
      endpointId: internalPrefix + name,
      timeoutSeconds: ringSeconds,
      maxSeconds: longestSeconds,
      startedAt: null,
    })
    this.#held.set(row.callId, this.#heldOf(told.to, told))
    try {
      const call = await originator.accept(row, alongside)
      call.note('state', `alarm ${told.rule}`)
      void call.settled.then(() => {
        this.#held.delete(row.callId)
        if (call.row.answeredAt !== null) return
        if (told.news !== 'test' && times < mostCalls) this.#later(told, times + 1)
        log.warn({ callId: call.id, rule: told.rule, reason: call.row.endReason }, 'the call of an alarm was not answered')
      })
    } catch (error) {
      this.#held.delete(row.callId)
      throw error instanceof ApiError && error.code === 'destination_denied' ? new NoticeRefused(error.message, { cause: error }) : error
    }
  }

  #later(told: Order, times: number): void {
    const { clock, open, log } = this.#options
    const timer = clock.after(againMs, () => {
      this.#again = this.#again.filter((other) => other !== timer)
      const wanted = open().map(({ eventId }) => eventId)
      if (!told.events.some(({ eventId }) => wanted.includes(eventId))) return
      this.#ring(told, () => undefined, times).catch((error: unknown) =>
        log.warn({ err: error, rule: told.rule }, 'the call of an alarm could not be made again'),
      )
    })
    this.#again.push(timer)
  }

  async respond(event: CallEvent): Promise<readonly unknown[]> {
    const held = this.#held.get(event.callId) ?? this.#ofBefore(event)
    const { alarms, language } = words(this.#options.config.site.language)
    if (event.event === 'call.answered') return ask(held)
    if (event.event !== 'gather.completed' || event.reason === 'hangup') return []
    if (event.digits !== '1') return held.asked < mostAsked ? ask(held) : [{ hangup: {} }]
    this.#held.delete(event.callId)
    await this.#options.acknowledge(held.eventIds, held.to)
    return [{ say: { text: alarms.taken, language } }, { hangup: {} }]
  }

  #heldOf(to: string, told: Told): Held {
    const { site } = this.#options.config
    const { takeInHand, confirm } = words(site.language).alarms
    const eventIds = told.events.map(({ eventId }) => eventId)
    return { to, said: spokenOf(told, site, eventIds.length === 0 ? confirm : takeInHand), eventIds, asked: 0 }
  }

  /** A call that was placed before a restart of the daemon: the person who answers hears what lasts now. */
  #ofBefore({ callId, to }: CallEvent): Held {
    const events = this.#options.open()
    const held = this.#heldOf(to, { rule: name, news: events.length === 0 ? 'ended' : 'lasts', events })
    this.#held.set(callId, held)
    return held
  }

  /** Throws NoticeRefused where the number may not be called, another error where no trunk is up. */
  #where(given: string): Pick<CallRow, 'to' | 'from' | 'trunkId' | 'extension'> {
    const { config, trunks } = this.#options
    const number = normaliseNumber(given, config.site.country, new Set(config.extensions.map((extension) => extension.number)))
    const to = number.kind === 'e164' ? number.e164! : number.dial
    if (number.kind === 'extension') return { to, from: config.site.number ?? '', trunkId: '', extension: to }
    const { allowed, reason } = createReach(config).mayReach(number, 'call')
    if (!allowed) throw new NoticeRefused(reason)
    const usual = config.trunks.toSorted((a, b) => Number(b.default) - Number(a.default))
    const trunk = usual.find(({ id }) => trunks.fault(id) === null)
    if (trunk === undefined) throw new Error('no trunk is up')
    return { to, from: trunk.numbers[0] ?? config.site.number ?? '', trunkId: trunk.id, extension: '' }
  }
}

function ask(held: Held): readonly unknown[] {
  held.asked += 1
  return [...held.said.map((say) => ({ say })), { gather: { numDigits: 1, finishOnKey: '', bargeIn: 'dtmf', timeout: 8 } }]
}
