/** People who call, press keys, leave messages and hang up at any moment, over real SIP; each remembers what it did and when. */
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'

export type Kind = 'key' | 'keys' | 'message'
/** How a step ends: as asked, in one breath with the hang-up, or by the hang-up alone. */
export type Ending = 'finish' | 'finish-and-leave' | 'leave'

export interface Step {
  readonly kind: Kind
  readonly ending: Ending
  readonly digits: string
  /** Milliseconds after the step began. */
  readonly afterMs: number
  /** When its document went to the box; 0 where it never did. By `performance.now()`, as all moments here. */
  asked: number
  /** When the last of it was acknowledged by the box; 0 where it was not. */
  done: number
}

export interface Person {
  readonly name: string
  readonly steps: Step[]
  /** The application has ordered step `n`. */
  readonly ordered: PromiseWithResolvers<void>[]
  answered: boolean
  /** When each key left, in the order of the call. */
  readonly pressed: number[]
  /** The line went dead in the call. */
  cutOff: boolean
  /** It does nothing more. */
  gone: boolean
}

export function newPerson(number: number, random: () => number): Person {
  const steps: Step[] = []
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
  const count = 1 + Math.floor(random() * 3)
  for (let n = 0; n < count; n += 1) {
    const kind = pick(['key', 'key', 'keys', 'message'] as const)
    const ending = pick(['finish', 'finish', 'finish', 'finish-and-leave', 'leave'] as const)
    const digits = kind === 'message' ? '#' : Array.from({ length: kind === 'key' ? 1 : 3 }, () => pick([...'1234567890'])).join('')
    steps.push({ kind, ending, digits, afterMs: (kind === 'message' ? 300 : 20) + Math.floor(random() * 500), asked: 0, done: 0 })
    if (ending !== 'finish') break
  }
  const ordered = steps.map(() => Promise.withResolvers<void>())
  return { name: `P${number}`, steps, ordered, answered: false, pressed: [], cutOff: false, gone: false }
}

const patience = 4000
/** What was on its way when a process was killed has come by then. */
const echoMs = 150
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

/** What a caller knows of the box. */
export interface Line {
  readonly peer: SipPeer
  /** Resolves at the next kill of a process. */
  killed(): Promise<void>
}

/** Calls and does what it came for; gives up where the box is silent, or where the line goes dead. */
export async function call(person: Person, line: Line): Promise<void> {
  const { peer } = line
  const dialog = new Dialog(peer)
  const dead = line.killed().then(async () => {
    await pause(echoMs)
    if (!person.gone) person.cutOff = true
  })
  /** Undefined where the line went dead, or nobody answered. */
  const orDead = <T>(happens: Promise<T>): Promise<T | undefined> =>
    Promise.race([happens.catch(() => undefined), dead.then(() => undefined)])
  dialog.invite('+15550001000', { from: `"${person.name}" <sip:+15551230001@pbx>`, body: sdp(40000) })
  const answer = await orDead(dialog.answered(patience))
  if (answer?.status === 200) {
    person.answered = true
    const over = await orDead(talk(person, dialog, orDead))
    if (over === false) await leave(dialog, orDead)
  }
  person.gone = true
  peer.received.length = 0
}

type OrDead = <T>(happens: Promise<T>) => Promise<T | undefined>

/** False where the box does not know yet that the call has ended. */
async function talk(person: Person, dialog: Dialog, orDead: OrDead): Promise<boolean> {
  for (const [n, step] of person.steps.entries()) {
    if (!(await within(person.ordered[n]!.promise))) return false
    await pause(step.afterMs)
    const keys = step.ending === 'leave' ? [...step.digits].slice(0, -1) : [...step.digits]
    const last = step.ending === 'finish' ? undefined : keys.pop()
    const press = (key: string) => {
      person.pressed.push(performance.now())
      dialog.send('INFO', info(key))
    }
    for (const key of keys) {
      press(key)
      if ((await orDead(dialog.final('INFO', patience)))?.status !== 200) return false
    }
    if (step.ending === 'finish') step.done = performance.now()
    else {
      // Both leave in one breath.
      if (last !== undefined) press(last)
      dialog.send('BYE')
      if ((await orDead(dialog.final('BYE', patience)))?.status === 200) step.done = performance.now()
      return true
    }
  }
  const bye = await orDead(dialog.request('BYE', patience))
  if (bye !== undefined) dialog.peer.answer(bye, 200)
  return bye !== undefined
}

const info = (key: string) => ({ type: 'application/dtmf-relay', body: `Signal=${key}\r\nDuration=100\r\n` })

async function leave(dialog: Dialog, orDead: OrDead): Promise<void> {
  dialog.send('BYE')
  await orDead(dialog.final('BYE', patience))
}

async function within(happens: Promise<void>): Promise<boolean> {
  return Promise.race([happens.then(() => true), pause(patience).then(() => false)])
}
