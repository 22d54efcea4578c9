/** Holds what each person did against what the application was told. */
import type { Blow } from './box.ts'
import type { Person, Step } from './people.ts'

export interface Told {
  /** When the application was told, as `Step.done`. */
  readonly at: number
  readonly event: string
  readonly eventId: string
  readonly step: number
  readonly digits: string
  readonly reason: string
  readonly recordingId: string
}

/**
 * What happened so shortly before a kill may not have reached the disk, or not even the daemon: counted apart. On a busy machine so
 * long before the last input that did reach the application.
 */
const atKillMs = 60
/** A recording that began so shortly before a kill may hold no sample. */
const briefMs = 400
const lastMoment = 'in the last moment before a kill'

export type Verdict =
  'told' | 'lost' | 'wrong' | 'twice' | 'in the last moment before a kill' | 'not finished' | 'gone before the box listened'

export interface Judged {
  /** Which step, counted from 0. */
  readonly step: number
  readonly did: string
  readonly verdict: Verdict
  readonly told: string
}

export interface Kill {
  readonly at: number
  /** What was acknowledged after this moment may be lost: later inputs than that had not been told when the process was killed. */
  readonly sureUntil: number
}

/** `inputs`: of everybody, by what was told first of each. */
export function killsAmong(blows: readonly Blow[], inputs: readonly { readonly done: number; readonly toldAt: number }[]): Kill[] {
  const sorted = inputs.filter(({ done }) => done > 0).toSorted((a, b) => a.toldAt - b.toldAt)
  let at = 0
  let latest = 0
  return blows
    .filter(({ kind }) => kind !== 'clock')
    .map((kill) => {
      for (; at < sorted.length && sorted[at]!.toldAt <= kill.at; at += 1) latest = Math.max(latest, sorted[at]!.done)
      return { at: kill.at, sureUntil: Math.min(latest, kill.at) - atKillMs }
    })
}

export function judge(person: Person, told: readonly Told[], kills: readonly Kill[]): Judged[] {
  return person.steps.flatMap((step, n) => {
    if (step.asked === 0) return []
    const events = told.filter((event) => event.step === n)
    const did = describe(step)
    const [event] = events
    if (event === undefined) return [{ step: n, did, verdict: untold(step, kills), told: 'nothing' }]
    const shown = event.event === 'record.completed' ? `record.completed, ${event.reason}` : `gather.completed, ${event.reason}`
    if (new Set(events.map(({ eventId }) => eventId)).size > 1) return [{ step: n, did, verdict: 'twice', told: shown }]
    return [{ step: n, did, verdict: fits(step, event) ? 'told' : inTheLastMoment(step, kills) ? lastMoment : 'wrong', told: shown }]
  })
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

function untold(step: Step, kills: readonly Kill[]): Verdict {
  const { kind, asked, done } = step
  const kill = kills.find(({ at }) => at >= asked - atKillMs)
  // A message that was cut off by a kill is to be told: it has a row from before its first sample.
  if (done === 0) {
    if (kind === 'message' && kill !== undefined && kill.sureUntil + atKillMs - asked > briefMs) return 'lost'
    return 'not finished'
  }
  return inTheLastMoment(step, kills) ? lastMoment : 'lost'
}

function inTheLastMoment({ asked, done }: Step, kills: readonly Kill[]): boolean {
  const kill = kills.find(({ at }) => at >= asked)
  return kill !== undefined && done > kill.sureUntil
}

/** Of two keys and a hang-up on their way together either may be first. */
function fits({ kind, ending, digits, done }: Step, { digits: seen }: Told): boolean {
  if (kind === 'message') return true
  return done > 0 && ending === 'finish' ? seen === digits : digits.startsWith(seen)
}
