/** A call on a modem of class 2, which runs the T.30 session itself: the state machine of the call with a port, a clock and files. */
import { type FaxLineResult, type FaxReceiveRequest, type FaxSendRequest, utcOffsetMinutes } from '../../fax.ts'
import type { Reply } from '../at-session.ts'
import { undialled } from '../dialling.ts'
import type { CallGround, RunningCall } from '../fax-call.ts'
import { isClass2 } from '../setup.ts'
import { dialects, rateOf } from './dialects.ts'
import type { Answer, Class2Call, Effect } from './effects.ts'
import { runPageProgram, type PageProgram } from './page-program.ts'
import { receiveCall } from './receive-call.ts'
import { sendCall } from './send-call.ts'
import { can, Unshield, xon } from './shielding.ts'
import type { CallTerms } from './talk.ts'

type Plain<T> = T extends { readonly stopped: boolean } ? Omit<T, 'stopped'> : never

/** Written at once; the port says when it has taken it. */
const chunkBytes = 1024
/** No longer does a modem wait with what it was given: its memory at 2400 bit/s. */
const stuckMs = 60_000
const callMs = 60 * 60_000
/** How long the modem may take to leave its data when asked to. */
const cancelMs = 2000
const nothing = { of: 'nothing' } as const

export function placeClass2(ground: CallGround, digits: string, request: FaxSendRequest): RunningCall {
  const { file, standardFile, stationId, header, timeZone, firstPage } = request
  const rtc = ground.modem.quirks.class2.wantsRtc && ground.modem.faxClass !== '2'
  const order = { t: 'pagesOut', file, standardFile, stationId, header, utcOffsetMinutes: utcOffsetMinutes(timeZone, new Date()), rtc }
  const modems = request.modems.filter((modem) => ground.modem.modems.includes(modem))
  const machine = sendCall({ ...termsOf(ground, request, rateOf(modems)), digits, firstPage, hasStandard: standardFile !== '' })
  return new Running(ground, machine, order)
}

export function takeClass2(ground: CallGround, request: FaxReceiveRequest): RunningCall {
  const order = { t: 'pagesIn', file: request.file }
  return new Running(ground, receiveCall(termsOf(ground, request, rateOf(ground.modem.modems))), order)
}

function termsOf(ground: CallGround, request: { stationId: string; ecm: boolean }, rate: number): CallTerms {
  const { modem, answerMs, carrierSeconds, speed } = ground
  const { faxClass, quirks, abilities } = modem
  if (!isClass2(faxClass) || abilities === null) throw new Error(`class ${faxClass} is not run by the modem`)
  const { stationId, ecm } = request
  // A line that runs faster than time does not make its modem answer faster.
  return {
    dialect: dialects[faxClass],
    quirks: quirks.class2,
    able: abilities,
    rtscts: quirks.rtscts,
    stationId,
    ecm,
    rate,
    answerMs: answerMs * speed,
    carrierSeconds,
  }
}

class Running implements RunningCall {
  readonly result: Promise<FaxLineResult>
  readonly #ground: CallGround
  readonly #pages: PageProgram
  readonly #since = performance.now()
  #stopped = false
  #lost = false
  #heard: (() => void) | null = null
  /** Lines between two commands, for the next answer. */
  #unasked: string[] = []

  constructor(ground: CallGround, machine: Class2Call, order: object) {
    this.#ground = ground
    this.#pages = runPageProgram(ground.faxProgram, order, ground.log)
    this.result = this.#run(machine)
  }

  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#ground.session.interrupt()
    this.#heard?.()
  }

  lost(): void {
    this.#lost = true
    this.#heard?.()
  }

  async #run(machine: Class2Call): Promise<FaxLineResult> {
    const { session, speed } = this.#ground
    session.unasked = (text) => void (/^\+F[A-Z]/.test(text) && this.#unasked.push(text))
    const limit = setTimeout(() => this.stop(), callMs / speed)
    try {
      let step = machine.next()
      while (step.done !== true) {
        const answer = await this.#do(step.value)
        step = machine.next({ ...answer, stopped: this.#stopped } as Answer)
      }
      return step.value
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      this.#ground.log.warn({ err: error }, 'a fax call in class 2 failed within the daemon')
      return undialled('modem-fault', text)
    } finally {
      await this.#pages.close()
      clearTimeout(limit)
      session.unasked = null
    }
  }

  async #do(effect: Effect): Promise<Plain<Answer>> {
    const { session, speed, handlers } = this.#ground
    switch (effect.do) {
      case 'command':
        return this.#reply(() => session.command(effect.text, effect.ms / speed, effect.rings === true ? { ringEnds: true } : {}))
      case 'result':
        return this.#reply(() => session.result(effect.ms / speed))
      case 'xon':
        await this.#xon(effect.ms / speed)
        return nothing
      case 'send':
        return { of: 'sent', how: await this.#send(effect) }
      case 'receive':
        return await this.#receive(effect)
      case 'encode':
        return { of: 'encoded', ...(await this.#pages.encode(effect.page, effect.fine)) }
      case 'read': {
        const { data, coding, fine, reversed } = effect
        return { of: 'look', ...((await this.#pages.read(data, coding, fine, reversed)) ?? { rows: 0, badRows: 0 }) }
      }
      case 'keep':
        return { of: 'kept', kept: await this.#pages.keep() }
      case 'progress':
        this.#ground.connected()
        handlers.progress(effect.progress)
        return nothing
      case 'frame': {
        const { received, name } = effect
        handlers.frame?.({ atMs: Math.round((performance.now() - this.#since) * speed), received, name, fif: '' })
        return nothing
      }
    }
  }

  async #reply(wait: () => Promise<Reply>): Promise<Plain<Answer>> {
    const { session, speed } = this.#ground
    const since = performance.now()
    const { code, text, lines } = await wait()
    const before = this.#unasked
    this.#unasked = []
    if (code === 'ring' || (code === 'timeout' && !this.#lost)) session.write('\r')
    return { of: 'reply', code, text, lines: [...before, ...lines], seconds: ((performance.now() - since) / 1000) * speed }
  }

  async #xon(ms: number): Promise<void> {
    const { session } = this.#ground
    await this.#waiting(ms, (done) => session.takeData((bytes) => void (bytes.includes(xon) && done())))
    session.holdData()
  }

  /** Until `done` is called, the call is stopped or lost, or the time is up. */
  #waiting(ms: number, begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#heard = null
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#heard = done
      if (this.#stopped || this.#lost) done()
      else begin(done)
    })
  }

  async #send({ bytes, cancel }: Extract<Effect, { do: 'send' }>): Promise<'done' | 'stuck' | 'closed'> {
    const { port, session, speed } = this.#ground
    // What the modem says before the data have ended is kept for the code that waits for the result.
    session.holdData()
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      let taken = false
      await this.#waiting(stuckMs / speed, (done) => {
        port.write(Buffer.from(bytes.subarray(at, at + chunkBytes)), () => {
          taken = true
          done()
        })
      })
      if (this.#lost) return 'closed'
      if (this.#stopped) {
        port.write(Buffer.from(cancel, 'latin1'))
        return 'done'
      }
      if (!taken) return 'stuck'
    }
    return 'done'
  }

  async #receive({ start, silentMs, most }: Extract<Effect, { do: 'receive' }>): Promise<Plain<Answer>> {
    const { port, session, speed } = this.#ground
    const shield = new Unshield()
    const chunks: Uint8Array[] = []
    const rest: Uint8Array[] = []
    const end = Promise.withResolvers<void>()
    const how = await new Promise<'whole' | 'silent' | 'too-long' | 'closed'>((resolve) => {
      const leave = (): void => resolve(this.#lost ? 'closed' : 'silent')
      if (this.#stopped || this.#lost) return leave()
      this.#heard = leave
      const patience = setTimeout(leave, silentMs / speed)
      let bytes = 0
      let whole = false
      session.takeData((chunk) => {
        if (whole) return void rest.push(chunk)
        patience.refresh()
        const taken = shield.take(chunk)
        bytes += taken.data.length
        if (bytes > most) resolve('too-long')
        else chunks.push(taken.data)
        if (taken.rest === null) return
        whole = true
        rest.push(taken.rest)
        clearTimeout(patience)
        resolve('whole')
        end.resolve()
      })
      port.write(Buffer.of(start))
      void end.promise.then(() => clearTimeout(patience))
    })
    this.#heard = null
    if (how === 'silent' || how === 'too-long') {
      port.write(Buffer.of(can))
      await Promise.race([end.promise, new Promise((resolve) => setTimeout(resolve, cancelMs / speed))])
      end.resolve()
    }
    session.holdData(rest)
    return { of: 'page', data: Buffer.concat(chunks), how }
  }
}
