/** The queues of the house: callers wait for the first member who is free. */
import type { PlaySource } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { connect, type Talks } from '../../routing/connect.ts'
import type { Destinations, TakeRequest } from '../../routing/destinations.ts'
import { ringExtension } from '../../routing/extension.ts'
import { canceled, type Taken } from '../../routing/taken.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import type { QueueConfig } from '../../schema/config-pbx-queues.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { Store } from '../../store/store.ts'
import type { SettingsOfExtensions } from '../extension-settings.ts'
import { isEngaged } from '../presence.ts'
import { sendAfter } from '../send-after.ts'
import { Company, type Music } from './company.ts'
import { QueueFigures } from './figures.ts'
import { QueueMembers, type MemberChange } from './members.ts'
import { queuePhrasesIn, type QueuePhrases } from './phrases.ts'
import { Queue, type QueueVisit } from './queue.ts'

export interface QueuesOptions {
  readonly config: Config
  readonly store: Store
  readonly calls: Pick<Calls, 'live'>
  readonly trunks: Trunks
  readonly clock: Clock
  readonly log: Log
  readonly speaker: Pick<Speaker, 'prepare'>
  readonly send: Destinations['send']
  readonly settings: Pick<SettingsOfExtensions, 'of'>
  readonly music: Music
  readonly talks: Talks
}

/** A driver ends what nobody answers by itself; the queue does so before. */
const laterSeconds = 2

export class Queues {
  readonly members: QueueMembers
  readonly #options: QueuesOptions
  readonly #queues: ReadonlyMap<string, Queue>
  readonly #phrases: QueuePhrases
  /** Members that ring for any queue. */
  readonly #ringing = new Set<string>()

  constructor(options: QueuesOptions) {
    const { config, store, clock } = options
    this.#options = options
    this.members = new QueueMembers(store, clock)
    this.#phrases = queuePhrasesIn(config.site.language)
    this.#queues = new Map(config.queues.map((settings) => [settings.id, this.#queueOf(settings)]))
  }

  all(): readonly Queue[] {
    return [...this.#queues.values()]
  }

  get(id: string): Queue | undefined {
    return this.#queues.get(id)
  }

  /** Takes the call to this queue; resolves when it has no part in the call any more. */
  async take(call: Call, id: string, request: TakeRequest): Promise<Taken> {
    const { clock, send } = this.#options
    const queue = this.#queues.get(id)
    if (queue === undefined) return { outcome: 'failed', sipCode: 404, text: `there is no queue ${id}` }
    const { figures, settings } = queue
    figures.offered()
    // Whoever cannot wait goes on unanswered, as if the queue were not there.
    if (queue.closed === null && !(await here(call, request))) {
      figures.abandoned()
      return canceled
    }
    const visit = queue.enter(call, request.priority ?? 0)
    const company = visit.end === null ? this.#company(call, queue, visit) : null
    if (company !== null) {
      call.note('state', `queue ${id}: waits, at place ${queue.machine.positionOf(call.id)}`)
      void visit.found.then(() => company.stop())
    }
    const taken = await connect(this.#options, call, request, () => visit)
    company?.stop()
    const seconds = Math.round((clock.elapsed() - visit.since) / 1000)
    if (visit.end === 'connected') return taken
    if (visit.end === 'left' || visit.end === null) {
      figures.abandoned()
      call.note('state', `queue ${id}: abandoned after ${seconds} s`)
      return canceled
    }
    figures.sentOn()
    call.note('state', `queue ${id}: ${visit.end} after ${seconds} s`)
    const { timeoutSeconds: _, announce: __, ...onwards } = request
    if (visit.end === 'key') return send(call, settings.leave!.destination, { ...onwards, via: [] })
    return sendAfter(send, call, request, taken, onwardsOf(settings, visit.end), `queue ${id}`)
  }

  /** What a person says of a member; resolves when it is on the disk with what `alongside` writes, false where there is no such member. */
  async change(queueId: string, extension: string, change: MemberChange, alongside?: () => void): Promise<boolean> {
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

  #queueOf(settings: QueueConfig): Queue {
    const { clock, log, store, trunks, config } = this.#options
    const { id } = settings
    return new Queue({
      settings,
      clock,
      log,
      members: this.members,
      figures: new QueueFigures(id, { store, clock, log, timeZone: config.site.timeZone }),
      ringing: this.#ringing,
      staff: {
        isThere: (member) => this.members.isExpected(id, member) && trunks.hasPhone(member),
        isFree: (member) => this.members.isReady(id, member) && !this.#ringing.has(member) && this.presenceOf(member) === 'free',
      },
      ring: (call, member, ms) =>
        ringExtension(this.#options, call, member, {
          timeoutSeconds: Math.ceil(ms / 1000) + laterSeconds,
          announce: this.#whisper(call, settings),
        }),
    })
  }

  #whisper(call: Call, { whisper }: QueueConfig): readonly Promise<PlaySource>[] {
    if (whisper === undefined) return []
    const { speaker, config } = this.#options
    const { parts } = speaker.prepare({ text: whisper, language: config.site.language, callId: call.id, signal: call.over })
    return parts.map(async (part): Promise<PlaySource> => {
      const made = await part
      return 'silenceMs' in made ? { kind: 'silence', ms: made.silenceMs } : { kind: 'clip', clip: made }
    })
  }

  #company(call: Call, queue: Queue, visit: QueueVisit): Company {
    const { clock, speaker, music } = this.#options
    const { announce, leave } = queue.settings
    return new Company(call, {
      clock,
      speaker,
      music,
      everyMs: announce === undefined ? null : announce.everySeconds * 1000,
      language: this.#phrases.language,
      words: () => this.#wordsFor(call, queue),
      key: leave?.key ?? null,
      onKey: () => visit.leave(),
    })
  }

  #wordsFor(call: Call, { settings, machine, figures }: Queue): string[] {
    const { announce, leave } = settings
    const { position, wait, leave: leaveBy } = this.#phrases
    const place = machine.positionOf(call.id)
    const estimate = figures.estimate()
    return [
      ...(announce?.position === true && place > 0 ? [position(place - 1)] : []),
      ...(announce?.wait === true && estimate !== null ? [wait(Math.max(1, Math.round(estimate / 60)))] : []),
      ...(leave === undefined ? [] : [leaveBy(leave.key)]),
    ]
  }
}

/** Answers the call, for there is music; false when the caller is gone. */
async function here(call: Call, { signal }: TakeRequest): Promise<boolean> {
  const there = await call.answer()
  return there && !signal.aborted && !call.ending
}

function onwardsOf({ onFull, onEmpty, onTimeout }: QueueConfig, end: 'full' | 'empty' | 'timeout'): string | undefined {
  switch (end) {
    case 'full':
      return onFull ?? onTimeout
    case 'empty':
      return onEmpty
    case 'timeout':
      return onTimeout
  }
}
