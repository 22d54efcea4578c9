/** The queues of the house: callers wait for the first member who is free. */
import type { PlaySource } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { callerPressesOne } from '../../routing/confirm.ts'
import { connect, type Talks } from '../../routing/connect.ts'
import type { Destinations, TakeRequest } from '../../routing/destinations.ts'
import { ringExtension, sendAfter } from '../../routing/extension.ts'
import { answered, canceled, type Taken } from '../../routing/taken.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import type { QueueConfig } from '../../schema/config/pbx-queues.ts'
import type { QueueMemberChange } from '../../schema/queues.ts'
import { spokenSources } from '../../speech/prompts.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { Store } from '../../store/store.ts'
import { type SettingsOfExtensions, isEngaged } from '../extensions/settings.ts'
import { againMs, Callbacks, type CallbacksOptions } from './callbacks.ts'
import { Company, say, type Music } from './company.ts'
import { QueueFigures } from './figures.ts'
import { QueueMembers } from './members.ts'
import { words, type Wording } from '../../words/words.ts'
import { Rests } from './member-table.ts'
import { Queue, type QueueVisit } from './queue.ts'

export interface QueuesOptions {
  readonly config: Config
  readonly store: Store
  readonly calls: Pick<Calls, 'live'> & CallbacksOptions['calls']
  readonly trunks: Trunks
  readonly clock: Clock
  readonly log: Log
  readonly speaker: Pick<Speaker, 'prepare'>
  readonly destinations: Pick<Destinations, 'send'>
  readonly settings: Pick<SettingsOfExtensions, 'of'>
  readonly music: Music
  readonly talks: Talks
}

/** A driver ends what nobody answers by itself; the queue does so before. */
const laterSeconds = 2
/** A talk that its member ends sooner is none. */
const slipMs = 1000

export class Queues {
  readonly members: QueueMembers
  readonly callbacks: Callbacks
  readonly #options: QueuesOptions
  readonly #queues: Map<string, Queue>
  readonly #words: Wording
  /** Members that ring for any queue. */
  readonly #ringing = new Set<string>()
  readonly #rests = new Rests()

  constructor(options: QueuesOptions) {
    const { config, store, clock } = options
    this.#options = options
    this.members = new QueueMembers(store, clock)
    this.callbacks = new Callbacks(options)
    this.#words = words(config.site.language)
    this.#queues = new Map(config.queues.map((settings) => [settings.id, this.#queueOf(settings)]))
  }

  all(): readonly Queue[] {
    return [...this.#queues.values()]
  }

  /** The configuration is another. A queue that is not there any more serves those who wait in it, and nobody else comes. */
  reconfigure(): void {
    const { queues } = this.#options.config
    for (const [id, queue] of this.#queues)
      if (!queues.some((settings) => settings.id === id) && queue.machine.callers().length === 0) {
        void queue.stop()
        this.#queues.delete(id)
      }
    for (const settings of queues) {
      const known = this.#queues.get(settings.id)
      if (known === undefined) {
        this.#queues.set(settings.id, this.#queueOf(settings))
        this.#resume(settings.id)
      } else if (known.settings !== settings) known.reconfigure(settings)
    }
  }

  get(id: string): Queue | undefined {
    return this.#queues.get(id)
  }

  /** Takes the call to this queue; resolves when it has no part in the call any more. */
  async take(call: Call, id: string, request: TakeRequest): Promise<Taken> {
    const { clock, destinations } = this.#options
    const queue = this.#queues.get(id)
    if (queue === undefined) return { outcome: 'failed', sipCode: 404, text: `there is no queue ${id}` }
    const { figures, settings } = queue
    figures.offered()
    // A caller who cannot wait goes on unanswered, as if the queue were not there.
    if (queue.closed === null && !(await here(call, request))) {
      figures.abandoned()
      return canceled
    }
    const { visit, taken } = await this.#waitToTalk(queue, call, request)
    const seconds = Math.round((clock.elapsed() - visit.since) / 1000)
    if (visit.end === 'connected' || visit.end === 'picked-up' || visit.end === 'moved') return taken
    if (visit.end === 'left' || visit.end === null) {
      figures.abandoned()
      call.note('state', `queue ${id}: abandoned after ${seconds} s`)
      return canceled
    }
    figures.sentOn()
    call.note('state', `queue ${id}: ${visit.end} after ${seconds} s`)
    const { timeoutSeconds: _, announce: __, ...onwards } = request
    if (visit.end === 'callback') return this.#promise(queue, visit, request)
    if (visit.end === 'key') return destinations.send(call, settings.leave!.destination, { ...onwards, via: [] })
    return sendAfter(destinations, call, request, taken, onwardsOf(settings, visit.end), `queue ${id}`)
  }

  /** Who was to be called back when the daemon ended still is. */
  start(): void {
    for (const id of this.#queues.keys()) this.#resume(id)
  }

  #resume(id: string): void {
    const { clock } = this.#options
    const queue = this.#queues.get(id)!
    for (const { id: caller, priority, placeAt } of this.callbacks.of(id))
      queue.expect(caller, priority, clock.elapsed() - Math.max(0, clock.now() - placeAt))
  }

  /** What a person says of a member; resolves when it is on the disk with what `alongside` writes, false where there is no such member. */
  async change(queueId: string, extension: string, change: QueueMemberChange, alongside?: () => void): Promise<boolean> {
    const queue = this.#queues.get(queueId)
    if (queue?.settings.members.includes(extension) !== true) return false
    await this.members.change(queueId, extension, change, alongside)
    queue.look()
    return true
  }

  /** Logs in to all queues of which the extension is a member, or out of them where it is logged in to any; null where it is of none. */
  async toggle(extension: string): Promise<'in' | 'out' | null> {
    const own = this.all().filter(({ settings }) => settings.members.includes(extension))
    if (own.length === 0) return null
    const out = own.some(({ settings }) => this.members.isLoggedIn(settings.id, extension))
    for (const { settings } of own) await this.change(settings.id, extension, { action: out ? 'logout' : 'login' })
    return out ? 'out' : 'in'
  }

  async stop(): Promise<void> {
    await Promise.all(this.all().map((queue) => queue.stop()))
  }

  /** What is known of a member besides what it does for the queue. */
  presenceOf(extension: string): 'free' | 'on the telephone' | 'no phone' | 'do not disturb' {
    const { trunks, calls, settings } = this.#options
    if (!trunks.hasPhone(extension)) return 'no phone'
    // Looked at, and never made a pause: it ends with the phone's own setting.
    if (settings.of(extension).doNotDisturb) return 'do not disturb'
    return isEngaged(calls.live(), extension) ? 'on the telephone' : 'free'
  }

  /** A member who answers and hangs up at once, by a receiver that falls or a key of the headset, does not cost the caller the place. */
  async #waitToTalk(queue: Queue, call: Call, request: TakeRequest): Promise<{ visit: QueueVisit; taken: Taken }> {
    const { clock } = this.#options
    let placeAt = clock.elapsed()
    for (;;) {
      const visit = queue.enter(call, request.priority ?? 0, placeAt)
      placeAt = Math.min(placeAt, visit.since)
      let slipped = false
      const again = (): boolean => (slipped = clock.elapsed() - visit.connectedAt < slipMs)
      const taken = await this.#wait(queue, call.id, visit, { ...request, again })
      if (!slipped) return { visit, taken }
      call.note('state', `queue ${queue.settings.id}: the caller who answered hung up at once; the place is kept`)
    }
  }

  /** Until the caller, who holds the place of `caller`, has somebody or leaves. */
  async #wait(queue: Queue, caller: string, visit: QueueVisit, request: Parameters<typeof connect>[2]): Promise<Taken> {
    const { call } = visit
    const company = visit.end === null ? this.#company(queue, caller, visit) : null
    if (company !== null) {
      call.note('state', `queue ${queue.settings.id}: waits, at place ${queue.machine.positionOf(caller)}`)
      void visit.found.then(() => company.stop())
    }
    const taken = await connect(this.#options, call, request, () => visit)
    company?.stop()
    return taken
  }

  /** The caller hears that the place is kept, and the call ends. */
  async #promise({ settings }: Queue, { call, since }: QueueVisit, { signal, priority = 0 }: TakeRequest): Promise<Taken> {
    const { clock, speaker } = this.#options
    await this.callbacks.keep(settings.id, call, clock.now() - (clock.elapsed() - since), priority)
    await say(call, speaker, { text: this.#words.queues.willCall, language: this.#words.language }, signal)
    call.end({ reason: 'document-end', by: 'system' })
    return answered
  }

  async #summon(id: string, caller: string): Promise<void> {
    const { clock, log } = this.#options
    const queue = this.#queues.get(id)!
    const tried = await this.callbacks
      .call(caller, (call) => this.#back(queue, caller, call))
      .catch((error: unknown) => {
        log.error({ err: error, callId: caller }, 'a caller could not be called back; trying again')
        return 'again' as const
      })
    if (tried === 'again') queue.tell({ type: 'absent', caller, notBefore: clock.elapsed() + againMs })
    else queue.tell({ type: 'left', caller })
  }

  /** Drives the call to who is called back, from the answer on; false where no person takes it. */
  async #back(queue: Queue, caller: string, call: Call): Promise<boolean> {
    const { speaker, config, destinations, clock } = this.#options
    const words = { text: this.#words.queues.back(config.site.name), language: this.#words.language, callId: call.id, signal: call.over }
    if (!(await callerPressesOne(clock, call, spokenSources(speaker, words)))) {
      call.note('state', 'nobody pressed 1')
      call.end({ reason: 'no-answer', by: 'system' })
      return false
    }
    const visit = queue.comeBack(caller, call)
    const request = { signal: call.over }
    const taken = await this.#wait(queue, caller, visit, request)
    if (visit.end === 'left') queue.figures.abandoned()
    const settled: readonly (typeof visit.end)[] = ['connected', 'picked-up', 'moved', 'left']
    if (settled.includes(visit.end) || call.ending) return true
    await sendAfter(destinations, call, request, taken, onwardsOf(queue.settings, visit.end), `queue ${queue.settings.id}`)
    return true
  }

  #queueOf(settings: QueueConfig): Queue {
    const { clock, log, store, trunks, config } = this.#options
    const { id } = settings
    const queue: Queue = new Queue({
      settings,
      clock,
      log,
      members: this.members,
      figures: new QueueFigures(id, { store, clock, log, timeZone: config.site.timeZone }),
      ringing: this.#ringing,
      staff: {
        isThere: (member) => this.members.isExpected(id, member) && trunks.hasPhone(member),
        rests: this.#rests,
        isFree: (member) => this.members.isReady(id, member) && !this.#ringing.has(member) && this.presenceOf(member) === 'free',
      },
      ring: (call, member, ms) =>
        ringExtension(this.#options, call, member, {
          timeoutSeconds: Math.ceil(ms / 1000) + laterSeconds,
          announce: this.#whisper(call, queue.settings),
        }),
      summon: (caller) => void this.#summon(id, caller),
    })
    return queue
  }

  #whisper(call: Call, { whisper }: QueueConfig): readonly Promise<PlaySource>[] {
    if (whisper === undefined) return []
    const { speaker, config } = this.#options
    return spokenSources(speaker, { text: whisper, language: config.site.language, callId: call.id, signal: call.over })
  }

  #company(queue: Queue, caller: string, visit: QueueVisit): Company {
    const { clock, speaker, music } = this.#options
    const { announce, leave } = queue.settings
    const back = leave?.destination === 'callback'
    // One call-back is promised to nobody who cannot be called, nor to who was.
    const key = leave === undefined || (back && !(caller === visit.call.id && this.callbacks.canCall(visit.call.row))) ? null : leave.key
    const offer = key === null ? [] : [back ? this.#words.queues.callBack(key) : this.#words.queues.leave(key)]
    return new Company(visit.call, {
      clock,
      speaker,
      music,
      everyMs: announce === undefined ? null : announce.everySeconds * 1000,
      language: this.#words.language,
      words: () => [...this.#wordsFor(caller, queue), ...offer],
      key,
      onKey: () => (back ? visit.callBack() : visit.leave()),
    })
  }

  #wordsFor(caller: string, { settings, machine, figures }: Queue): string[] {
    const { announce } = settings
    const { position, wait } = this.#words.queues
    const place = machine.positionOf(caller)
    const estimate = figures.estimate()
    return [
      ...(announce?.position === true && place > 0 ? [position(place - 1)] : []),
      ...(announce?.wait === true && estimate !== null ? [wait(Math.max(1, Math.round(estimate / 60)))] : []),
    ]
  }
}

/** Answers the call, for there is music; false when the caller is gone. */
async function here(call: Call, { signal }: TakeRequest): Promise<boolean> {
  const there = await call.answer()
  return there && !signal.aborted && !call.ending
}

function onwardsOf({ onFull, onEmpty, onTimeout }: QueueConfig, end: QueueVisit['end']): string | undefined {
  switch (end) {
    case 'full':
      return onFull ?? onTimeout
    case 'empty':
      return onEmpty
    case 'timeout':
      return onTimeout
    default:
      return undefined
  }
}
