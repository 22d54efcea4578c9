/** What both directions of a call have in common: setting up, what the modem reports, and the ends of a call. */
import type { FaxDialResult, FaxLineResult, FaxProgress } from '../../fax.ts'
import { dialResult, dialText } from '../dialling.ts'
import type { Class2Quirks } from '../quirks.ts'
import { bitRateOf, readTerms, writeTerms, type Abilities, type Dialect, type Terms } from './dialects.ts'
import { ask, type AnswerOf, type Effect, type Step } from './effects.ts'
import { hangUpOf, type HangUp } from './hangup.ts'

export interface CallTerms {
  readonly dialect: Dialect
  readonly quirks: Class2Quirks
  readonly able: Abilities
  readonly rtscts: boolean
  readonly stationId: string
  readonly ecm: boolean
  /** BR. */
  readonly rate: number
  readonly answerMs: number
  /** Seconds that a far end may ring and be silent. */
  readonly carrierSeconds: number
}

export const callDropped = 49
/** Training at all rates down to 2400 bit/s takes no longer. */
export const trainMs = 60_000
export const resultMs = 60_000

/** Somebody wants the call to end. */
class Stopped extends Error {}

/** The call has ended: by the far end, the modem, or for lack of a modem. */
export class Over extends Error {
  readonly result: FaxLineResult
  constructor(result: FaxLineResult) {
    super(result.text)
    this.result = result
  }
}

export class Talk {
  readonly terms: CallTerms
  progress: FaxProgress = {
    phase: 'negotiating',
    pages: 0,
    bitRate: 0,
    ecm: false,
    resolution: 'standard',
    transport: 'modem',
    remoteId: '',
  }
  heardFax = false
  hangUp: HangUp | null = null
  /** What the far end offers (sending). */
  offered: Terms | null = null
  /** What is agreed on. */
  agreed: Terms | null = null
  /** +FPTS or +FPS: 1 good, 2 again, 3 good but retrain, 4 and 5 the same with a wish to talk. */
  quality: number | null = null
  /** +FET: 0 another page, 1 another document, 2 the end. */
  ending: number | null = null
  badRows = 0
  unconfirmedLastPage = false

  constructor(terms: CallTerms) {
    this.terms = terms
  }

  /** One command; reports between are noted. Throws Stopped, and Over where the modem is gone. */
  *command(text: string, ms = this.terms.answerMs, options: { rings?: true } = {}): Step<AnswerOf<'reply'>> {
    return yield* this.#reply({ do: 'command', text, ms, ...options })
  }

  *result(ms: number): Step<AnswerOf<'reply'>> {
    return yield* this.#reply({ do: 'result', ms })
  }

  *#reply(effect: Effect): Step<AnswerOf<'reply'>> {
    const before = this.progress
    const reply = yield* ask(effect, 'reply')
    for (const line of [...reply.lines, reply.text]) yield* this.#note(line)
    if (this.progress !== before) yield* this.tell(this.progress.phase)
    if (reply.stopped) throw new Stopped()
    if (reply.code === 'closed') throw new Over(this.fault('The modem was unplugged'))
    return reply
  }

  /** Sends the modem our identification and what may be agreed on. `rings`: unless a call comes in meanwhile. */
  *setUp(options: { rings?: true } = {}): Step<void> {
    const { dialect, quirks, answerMs, stationId, rtscts } = this.terms
    const commands = [
      `${dialect.identification}="${stationId.replaceAll(/[^0-9+ ]/g, '').slice(0, 20)}"`,
      `${dialect.capabilities}=${writeTerms(this.own(), dialect.radix)}`,
      ...dialect.setup,
      ...dialect.flow[rtscts ? 0 : 1],
      ...quirks.setup,
      'AT+FCR=1',
    ]
    for (const command of commands) {
      const reply = yield* this.command(command, answerMs, options)
      if (reply.code === 'ring') throw this.undialled(reply)
    }
  }

  own(): Terms {
    const { able, ecm, rate } = this.terms
    return { vr: able.vr, br: Math.min(able.br, rate), ln: 2, df: 0, ec: ecm ? Math.min(able.ec, 2) : 0, st: 0 }
  }

  *tell(phase: FaxProgress['phase'], more: Partial<FaxProgress> = {}): Step<void> {
    this.progress = { ...this.progress, ...more, phase }
    yield* ask({ do: 'progress', progress: this.progress }, 'nothing')
  }

  *frame(received: boolean, name: string): Step<void> {
    yield* ask({ do: 'frame', received, name }, 'nothing')
  }

  *#note(line: string): Step<void> {
    const { radix } = this.terms.dialect
    const found = /^\+F([A-Z]+)\s*[:=]?\s*(.*)$/.exec(line)
    if (found === null) return
    const [, name = '', value = ''] = found
    switch (name) {
      case 'CON':
      case 'CO':
        this.heardFax = true
        this.progress = { ...this.progress }
        break
      case 'CSI':
      case 'CI':
      case 'TSI':
      case 'TI':
        this.heardFax = true
        this.progress = {
          ...this.progress,
          remoteId: value
            .replaceAll(/[^ -~]|"/g, '')
            .trim()
            .slice(0, 20),
        }
        yield* this.frame(true, name.startsWith('T') ? 'TSI' : 'CSI')
        break
      case 'DIS':
      case 'IS':
        this.heardFax = true
        this.offered = readTerms(value, radix) ?? this.offered
        yield* this.frame(true, 'DIS')
        break
      case 'DCS':
      case 'CS':
        this.#agree(readTerms(value, radix))
        yield* this.frame(this.offered === null, 'DCS')
        break
      case 'PTS':
      case 'PS':
        this.quality = readNumber(value, radix)
        break
      case 'ET':
        this.ending = readNumber(value, radix)
        break
      case 'HNG':
      case 'HS':
        this.hangUp = hangUpOf(value, this.terms.quirks.hangUps)
        break
    }
  }

  #agree(terms: Terms | null): void {
    if (terms === null) return
    this.heardFax = true
    this.agreed = terms
    const { vr, br, ec } = terms
    this.progress = { ...this.progress, bitRate: bitRateOf(br), ecm: ec > 0, resolution: vr === 0 ? 'standard' : 'fine' }
  }

  /** The modem did not follow an order. */
  fault(text: string): FaxLineResult {
    return this.ended(callDropped, text, 'modem-fault')
  }

  ended(code: number, text: string, dial: FaxDialResult = 'connected'): FaxLineResult {
    const { progress, badRows, unconfirmedLastPage, heardFax } = this
    return { ...progress, code, text, badRows, unconfirmedLastPage: unconfirmedLastPage && code !== 0, dial, heardFax }
  }

  /** A reply that is not what was hoped for: the modem's own reason if it gave one. */
  failed(reply: AnswerOf<'reply'>): Over {
    const { hangUp } = this
    if (hangUp !== null) return new Over(this.#hungUp(hangUp))
    switch (reply.code) {
      case 'timeout':
        return new Over(this.fault('The modem stopped answering'))
      case 'error':
        return new Over(this.fault('The modem refused a command of the fax'))
      default:
        return new Over(this.ended(callDropped, 'The call was cut off'))
    }
  }

  #hungUp({ code, text, dial }: HangUp): FaxLineResult {
    if (code === 0) return this.ended(callDropped, 'The modem ended the call before the fax was complete')
    return this.ended(code, text, this.heardFax && dial !== 'canceled' ? 'connected' : dial)
  }

  /** The answer to ATD or ATA. */
  undialled(reply: AnswerOf<'reply'>): Over {
    const { hangUp, terms } = this
    if (hangUp !== null && (hangUp.code !== 0 || this.heardFax)) return new Over(this.#hungUp(hangUp))
    // CONNECT without +FCON is a data modem.
    const dial = reply.code === 'connect' ? 'not-a-fax' : dialResult(reply.code, reply.seconds, terms.carrierSeconds)
    return new Over(this.ended(callDropped, dialText(dial, reply.text), dial))
  }
}

function readNumber(value: string, radix: 10 | 16): number | null {
  const number = parseInt(value, radix)
  return Number.isNaN(number) ? null : number
}

/** Runs a call to its end, whatever ends it: a call that is stopped says goodbye. */
export function* toItsEnd(talk: Talk, call: Step<FaxLineResult>): Step<FaxLineResult> {
  try {
    return yield* call
  } catch (error) {
    if (error instanceof Over) return error.result
    if (!(error instanceof Stopped)) throw error
    // Without a fax machine there is nobody to say goodbye to: the line is hung up by its owner.
    if (talk.heardFax && talk.hangUp === null) {
      const { abort } = talk.terms.dialect
      yield* ask({ do: 'command', text: abort, ms: talk.terms.answerMs * 3 }, 'reply')
    }
    return talk.ended(7, 'The fax was stopped', 'canceled')
  }
}

export function stopIf(stopped: boolean): void {
  if (stopped) throw new Stopped()
}
