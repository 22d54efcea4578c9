/** A call that receives: answers, takes page after page, and judges each before the far end gets its answer. */
import type { FaxLineResult } from '../../fax.ts'
import { ask, type AnswerOf, type Class2Call, type PageCoding, type Step } from './effects.ts'
import { callDropped, Over, resultMs, stopIf, Talk, toItsEnd, trainMs, type CallTerms } from './talk.ts'

export type ReceiveOrder = CallTerms

/** Of a hundred rows. */
const mostBadRows = 5
/** A page that came so often with errors is taken as it is. */
const mostTries = 3
const mostPages = 200
const silentMs = 30_000
const mostBytes = 8 << 20
/** spandsp's T30_ERR_RX_NOEOL and T30_ERR_FILEERROR. */
const brokenOff = 27
const fileFault = 41
const good = 1
const again = 2
const codings: readonly PageCoding[] = ['mh', 'mr', 'mh', 'mmr']

interface Page {
  readonly rows: number
  readonly badRows: number
}

export function isReadable({ rows, badRows }: Page): boolean {
  return rows > 0 && badRows * 100 <= rows * mostBadRows
}

export function receiveCall(order: ReceiveOrder): Class2Call {
  const talk = new Talk(order)
  const call = new Receiving(talk)
  return toItsEnd(talk, call.run())
}

class Receiving {
  readonly #talk: Talk
  /** Read and not kept: the far end was asked to send it again. */
  #rejected: Page | null = null
  #tries = 0
  #lastEnding: number | null = null
  /** The modem accepted a page that nobody could read. */
  #unreadable = false

  constructor(talk: Talk) {
    this.#talk = talk
  }

  *run(): Step<FaxLineResult> {
    const talk = this.#talk
    const { carrierSeconds } = talk.terms
    yield* talk.setUp()
    const reply = yield* talk.command('ATA', (carrierSeconds + 15) * 1000)
    if (reply.code !== 'ok' || !talk.heardFax || talk.hangUp !== null) throw talk.undialled(reply)
    try {
      for (;;) {
        const connected = yield* talk.command('AT+FDR', trainMs)
        if (connected.code !== 'connect') return this.#over(connected)
        if (talk.progress.pages >= mostPages) return yield* this.#tooMany()
        yield* this.#page()
      }
    } catch (error) {
      // What the far end was to send again and did not: better with errors than not at all.
      yield* this.#keepRejected()
      if (error instanceof Over) throw new Over({ ...error.result, pages: talk.progress.pages, badRows: talk.badRows })
      throw error
    }
  }

  *#tooMany(): Step<FaxLineResult> {
    const { dialect, answerMs } = this.#talk.terms
    yield* ask({ do: 'command', text: dialect.abort, ms: answerMs * 3 }, 'reply')
    return this.#talk.ended(7, `The fax has more than ${mostPages} pages`)
  }

  /** From CONNECT to the judgement of the page. */
  *#page(): Step<void> {
    const talk = this.#talk
    const { quirks, dialect } = talk.terms
    talk.quality = null
    talk.ending = null
    yield* talk.tell('page')
    const taken = yield* ask({ do: 'receive', start: quirks.start, silentMs, most: mostBytes }, 'page')
    stopIf(taken.stopped)
    if (taken.how === 'closed') throw new Over(talk.fault('The modem was unplugged'))
    const reply = yield* talk.result(resultMs)
    if (taken.how !== 'whole')
      throw new Over(talk.ended(brokenOff, taken.how === 'silent' ? 'The page was cut off' : 'The page did not end'))
    if (reply.code !== 'ok' || talk.ending === null) throw talk.failed(reply)
    const { vr = 1, df = 0 } = talk.agreed ?? {}
    const coding = codings[df] ?? 'mh'
    this.#rejected = null
    const look = yield* ask({ do: 'read', data: taken.data, coding, fine: vr !== 0, reversed: quirks.reversed && dialect.xon }, 'look')
    stopIf(look.stopped)
    yield* this.#judge(look)
  }

  *#judge(page: Page): Step<void> {
    const talk = this.#talk
    const { dialect } = talk.terms
    this.#tries += 1
    const wanted = isReadable(page) || (this.#tries >= mostTries && page.rows > 0) ? good : again
    yield* talk.frame(true, talk.ending === 0 ? 'MPS' : talk.ending === 1 ? 'EOM' : 'EOP')
    this.#rejected = page
    if ((talk.quality ?? good) % 2 !== wanted % 2) {
      const { code } = yield* talk.command(`${dialect.quality}=${wanted}`)
      // It goes by its own judgement.
      if (code !== 'ok' && wanted === again && (talk.quality ?? good) % 2 === 1) return yield* this.#keep(page)
    }
    if (wanted === good) yield* this.#keep(page)
    else yield* talk.frame(false, 'RTN')
  }

  *#keep(page: Page): Step<void> {
    const talk = this.#talk
    this.#rejected = null
    if (page.rows === 0) {
      this.#unreadable = true
      this.#lastEnding = talk.ending
      return
    }
    const { kept } = yield* ask({ do: 'keep' }, 'kept')
    if (!kept) throw new Over(talk.ended(fileFault, 'The page could not be written to the disk'))
    this.#tries = 0
    this.#lastEnding = talk.ending
    talk.badRows += page.badRows
    yield* talk.frame(false, 'MCF')
    yield* talk.tell('confirmed', { pages: talk.progress.pages + 1 })
  }

  *#keepRejected(): Step<void> {
    const page = this.#rejected
    this.#rejected = null
    if (page === null || page.rows === 0) return
    const { kept } = yield* ask({ do: 'keep' }, 'kept')
    if (!kept) return
    const talk = this.#talk
    talk.badRows += page.badRows
    talk.progress = { ...talk.progress, pages: talk.progress.pages + 1 }
  }

  /** No page follows. After the last page it matters no more how the modem puts it. */
  #over(reply: AnswerOf<'reply'>): FaxLineResult {
    const talk = this.#talk
    const ended = this.#rejected === null && this.#lastEnding !== null && this.#lastEnding !== 0
    const well = talk.hangUp === null ? reply.code === 'ok' : talk.hangUp.code === 0
    if (ended && this.#unreadable) return talk.ended(brokenOff, 'A page could not be read')
    if (ended && (well || this.#lastEnding === 2)) return talk.ended(0, 'OK')
    if (talk.hangUp?.code === 0) throw new Over(talk.ended(callDropped, 'The far end hung up before the fax was complete'))
    throw talk.failed(reply)
  }
}
