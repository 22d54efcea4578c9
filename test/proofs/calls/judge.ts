/**
 * Compares what each person did with what the application was sent. An input that was not sent is excused only by the daemon's own account
 * of what it knew when it was killed (`witness.ts`), never by how little time had passed: so it is right on a busy machine too.
 *
 * - The engine acknowledges a key after the daemon could read of it, so the death of the engine excuses nothing.
 * - The daemon reads in the order in which the engine writes: once it has heard a key that left after another was acknowledged, it has
 *   heard that one too.
 * - What it hears at once it hears before it turns to any of it: once it has done anything else, it has turned to what it heard before.
 * - It writes in the order in which inputs are finished: once a later one is on the disk, so are all before.
 */
import type { Blow } from './box.ts'
import type { Person, Step } from './people.ts'
import type { Account, Witness } from './witness.ts'

export interface Told {
  /** When the application got it, as `Step.done`. */
  readonly at: number
  readonly event: string
  readonly eventId: string
  readonly step: number
  readonly digits: string
  readonly reason: string
  readonly recordingId: string
}

export const faults = ['lost', 'wrong', 'twice'] as const

export type Verdict =
  | 'told'
  | (typeof faults)[number]
  | typeof unread
  | typeof unwritten
  | 'the recording had no sample yet when its daemon was killed'
  | 'not finished'
  | 'gone before the box listened'

const unread = 'the daemon was killed before it had read of it'
const unwritten = 'the daemon was killed before it was on the disk'

export interface Judged {
  /** Which step, counted from 0. */
  readonly step: number
  readonly did: string
  readonly verdict: Verdict
  readonly told: string
  /** Milliseconds from its acknowledgement to the kill that excuses it; below 0 where the engine outlived its daemon. */
  readonly beforeKillMs?: number
}

interface Evidence {
  readonly witness: Witness
  readonly blows: readonly Blow[]
  /** The name of the person by the id of the call. */
  readonly calls: ReadonlyMap<string, string>
  readonly people: ReadonlyMap<string, Person>
  /** Ids of recordings without a usable file. */
  readonly empty: ReadonlySet<string>
}

export class Judge {
  readonly #evidence: Evidence
  readonly #callIds: ReadonlyMap<string, string>
  /** By daemon. */
  readonly #killed: ReadonlyMap<number, number>
  /** By daemon: when the latest of the keys left that it heard. */
  readonly #heardUntil = new Map<number, number>()

  constructor(evidence: Evidence) {
    this.#evidence = evidence
    this.#callIds = new Map([...evidence.calls].map(([id, name]) => [name, id]))
    this.#killed = new Map(evidence.blows.filter(({ kind }) => kind === 'daemon').map(({ pid, at }) => [pid, at]))
    for (const [id, { daemon, keys }] of evidence.witness.calls) {
      const left = evidence.people.get(evidence.calls.get(id) ?? '')?.pressed[keys.length - 1] ?? 0
      this.#heardUntil.set(daemon, Math.max(left, this.#heardUntil.get(daemon) ?? 0))
    }
  }

  judge(person: Person, told: readonly Told[]): Judged[] {
    const account = this.#evidence.witness.calls.get(this.#callIds.get(person.name) ?? '')
    return person.steps.flatMap((step, n) => {
      if (step.asked === 0) return []
      const events = told.filter((event) => event.step === n)
      const did = describe(step)
      const [event] = events
      const judged = (verdict: Verdict, shown: string): Judged[] => [
        { step: n, did, verdict, told: shown, ...this.#age(verdict, step, account) },
      ]
      if (event === undefined) return judged(this.#untold(person, n, account), 'nothing')
      const shown = `${event.event}, ${event.reason}`
      if (new Set(events.map(({ eventId }) => eventId)).size > 1) return judged('twice', shown)
      return judged(fits(step, event) ? 'told' : this.#unheard(person, n, account) ? unread : 'wrong', shown)
    })
  }

  #age(verdict: Verdict, { done }: Step, account: Account | undefined): Pick<Judged, 'beforeKillMs'> {
    const at = this.#killed.get(account?.daemon ?? this.#daemonAt(done) ?? 0)
    return at === undefined || done === 0 || (verdict !== unread && verdict !== unwritten) ? {} : { beforeKillMs: at - done }
  }

  #untold(person: Person, n: number, account: Account | undefined): Verdict {
    const { kind, done, ending } = person.steps[n]!
    const killed = account !== undefined && this.#killed.has(account.daemon)
    /** The daemon has had something on the disk that it wrote after the moment `at`. */
    const overtaken = (at: number) => at < (this.#evidence.witness.lastStored.get(account!.daemon) ?? 0)
    const input = account?.inputs.find(({ step }) => step === n)
    if (input !== undefined) return killed && !input.stored && !overtaken(input.finishedAt) ? unwritten : 'lost'
    const verbAt = account?.verbs[n]
    if (kind === 'message' && verbAt !== undefined && killed) {
      const id = account!.begun[person.steps.slice(0, n).filter((before) => before.kind === 'message').length]
      if (id === undefined) return overtaken(verbAt) ? 'lost' : 'gone before the box listened'
      // It has a row from before its first sample, so it is reported however it was cut off.
      return this.#evidence.empty.has(id) && done === 0 ? 'the recording had no sample yet when its daemon was killed' : 'lost'
    }
    if (done === 0) return 'not finished'
    if (this.#unheard(person, n, account)) return unread
    if (killed && verbAt !== undefined && account.heardAt > (this.#evidence.witness.lastDid.get(account.daemon) ?? 0)) return unwritten
    return verbAt === undefined && (ending !== 'finish' || person.cutOff) ? 'gone before the box listened' : 'lost'
  }

  /** Whether the daemon was killed and nothing says that it had read all that step `n` needs. */
  #unheard({ steps }: Person, n: number, account: Account | undefined): boolean {
    const { done, ending } = steps[n]!
    const keys = steps.slice(0, n + 1).reduce((sum, step) => sum + (step.ending === 'leave' ? 0 : step.digits.length), 0)
    const heard = account !== undefined && (ending === 'leave' ? account.ended : account.ended || account.keys.length >= keys)
    if (heard) return false
    const daemon = account?.daemon ?? this.#daemonAt(done)
    return daemon !== undefined && this.#killed.has(daemon) && done > (this.#heardUntil.get(daemon) ?? 0)
  }

  /** The daemon that was killed next after `at`. */
  #daemonAt(at: number): number | undefined {
    return this.#evidence.blows.find((blow) => blow.kind === 'daemon' && blow.at >= at)?.pid
  }
}

function describe({ kind, ending, done }: Step): string {
  const what = kind === 'message' ? 'left a message' : kind === 'key' ? 'pressed a key' : 'pressed three keys'
  if (done === 0) return `${what}: was cut off in it`
  if (ending === 'finish') return kind === 'message' ? `${what}, pressed #` : what
  if (ending === 'finish-and-leave') return `${what}${kind === 'message' ? ', # ' : ' '}and hung up in one breath`
  return kind === 'message'
    ? `${what} and hung up`
    : `${what === 'pressed a key' ? 'pressed nothing' : 'pressed two of three keys'} and hung up`
}

/** Of two keys and a hang-up on their way together either may be first. */
function fits({ kind, ending, digits, done }: Step, { digits: seen }: Told): boolean {
  if (kind === 'message') return true
  return done > 0 && ending === 'finish' ? seen === digits : digits.startsWith(seen)
}
