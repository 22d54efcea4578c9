/** A fax call on a modem that is ready, as its line sees it: who runs the T.30 session depends on the class of the modem. */
import type { FaxClass, FaxLineHandlers, FaxLineResult, FaxReceiveRequest, FaxSendRequest } from '../fax.ts'
import type { Port } from '../serial/port.ts'
import type { AtSession } from './at-session.ts'
import { placeClass1, takeClass1 } from './class1/call.ts'
import { placeClass2, takeClass2 } from './class2/call.ts'
import type { ModemLog } from './fax-program.ts'
import { isClass2, type Modem } from './setup.ts'

export interface CallGround {
  readonly port: Port
  readonly session: AtSession
  readonly modem: Modem
  readonly faxProgram: string
  readonly log: ModemLog
  readonly speed: number
  readonly answerMs: number
  /** The modem's patience with a far end that rings or is silent (S7). */
  readonly carrierSeconds: number
  readonly handlers: FaxLineHandlers
  /** A fax machine took the call. */
  readonly connected: () => void
}

export interface RunningCall {
  /** Never rejects. */
  readonly result: Promise<FaxLineResult>
  stop(): void
  /** The port is gone. */
  lost(): void
}

/** A call that begins when the modem is ready for it; earlier orders are delivered when it has begun. */
export function begunAfter(ready: Promise<void>, begin: () => RunningCall): RunningCall {
  let running: RunningCall | null = null
  const early: ('stop' | 'lost')[] = []
  const tell = (what: 'stop' | 'lost'): void => {
    if (running === null) early.push(what)
    else running[what]()
  }
  const result = ready.then(() => {
    const call = (running = begin())
    for (const what of early) call[what]()
    return call.result
  })
  return { result, stop: () => tell('stop'), lost: () => tell('lost') }
}

/** What runs the calls of one class. */
interface Runner {
  place(ground: CallGround, digits: string, request: FaxSendRequest): RunningCall
  take(ground: CallGround, request: FaxReceiveRequest): RunningCall
}

const class1: Runner = { place: placeClass1, take: takeClass1 }
const class2: Runner = { place: placeClass2, take: takeClass2 }

export function runnerOf(faxClass: FaxClass): Runner {
  return isClass2(faxClass) ? class2 : class1
}
