/** A call on a modem of class 1: it dials and answers, everything else is said by pbx-fax. */
import type { FaxLineResult, FaxReceiveRequest, FaxSendRequest } from '../../fax.ts'
import type { Reply } from '../at-session.ts'
import { dialResult, dialText, undialled } from '../dialling.ts'
import type { CallGround, RunningCall } from '../fax-call.ts'
import { receiveOrder, runFaxProgram, sendOrder, type FaxProgram, type ProgramResult } from '../fax-program.ts'

export function placeClass1(ground: CallGround, digits: string, request: FaxSendRequest): RunningCall {
  const { session, carrierSeconds, modem, speed } = ground
  return new Class1Call(ground, async (call) => {
    const since = performance.now()
    const reply = await session.command(`ATDT${digits}`, call.mostMs, { ringEnds: true })
    const failed = call.failed(reply, ((performance.now() - since) / 1000) * speed, carrierSeconds)
    if (failed === null) return call.fax(sendOrder(request, modem.modems, speed))
    if (reply.code === 'ring' || reply.code === 'timeout') session.write('\r')
    return failed
  })
}

export function takeClass1(ground: CallGround, request: FaxReceiveRequest): RunningCall {
  const { session, carrierSeconds, modem, speed } = ground
  return new Class1Call(ground, async (call) => {
    const reply = await session.command('ATA', call.mostMs)
    return call.failed(reply, 0, carrierSeconds) ?? call.fax(receiveOrder(request, modem.modems, speed))
  })
}

class Class1Call implements RunningCall {
  readonly result: Promise<FaxLineResult>
  readonly mostMs: number
  readonly #ground: CallGround
  #program: FaxProgram | null = null
  #stopped = false

  constructor(ground: CallGround, work: (call: Class1Call) => Promise<FaxLineResult>) {
    this.#ground = ground
    this.mostMs = ((ground.carrierSeconds + 15) * 1000) / ground.speed
    this.result = work(this)
  }

  stop(): void {
    this.#stopped = true
    if (this.#program !== null) this.#program.stop()
    else this.#ground.session.interrupt()
  }

  lost(): void {
    this.#program?.lost()
  }

  /** Null where a fax machine answers. */
  failed(reply: Reply, seconds: number, carrierSeconds: number): FaxLineResult | null {
    const dial = this.#stopped ? 'canceled' : dialResult(reply.code, seconds, carrierSeconds)
    return dial === 'connected' ? null : undialled(dial, dialText(dial, reply.text))
  }

  fax(order: object): Promise<FaxLineResult> {
    const { faxProgram, port, session, handlers, log, connected } = this.#ground
    connected()
    return new Promise((resolve) => {
      const program = runFaxProgram(
        faxProgram,
        order,
        port,
        {
          progress: (progress) => handlers.progress(progress),
          frame: (frame) => handlers.frame?.(frame),
          ended: (result) => {
            this.#program = null
            resolve(lineResult(result))
          },
        },
        log,
      )
      this.#program = program
      session.takeData((bytes) => program.hear(bytes))
      if (this.#stopped) program.stop()
    })
  }
}

function lineResult({ modemFault, ...result }: ProgramResult): FaxLineResult {
  if (modemFault !== '') return { ...result, dial: 'modem-fault' }
  return { ...result, dial: result.heardFax || result.code === 0 ? 'connected' : 'not-a-fax' }
}
