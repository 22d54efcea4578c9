/** A call that sends: dials, agrees, and gives page after page, each until the far end confirmed it. */
import type { FaxLineResult } from '../../fax.ts'
import { writeTerms, type Terms } from './dialects.ts'
import { ask, type AnswerOf, type Class2Call, type Step } from './effects.ts'
import { shielded } from './shielding.ts'
import { Over, resultMs, stopIf, Talk, toItsEnd, trainMs, type CallTerms } from './talk.ts'

export interface SendOrder extends CallTerms {
  readonly digits: string
  readonly firstPage: number
  readonly hasStandard: boolean
}

/** Times one page is given to a far end that wants it again. */
const mostTries = 3
const xonMs = 2000
const drainMs = 10_000
const retriesOver = 48
const noSuchPage = 42
const noSuchResolution = 11
const etxEnd = '\x03'

export function sendCall(order: SendOrder): Class2Call {
  const talk = new Talk(order)
  return toItsEnd(talk, send(talk, order))
}

function* send(talk: Talk, order: SendOrder): Step<FaxLineResult> {
  yield* talk.setUp({ rings: true })
  const reply = yield* talk.command(`ATDT${order.digits}`, (order.carrierSeconds + 15) * 1000, { rings: true })
  if (reply.code !== 'ok' || !talk.heardFax || talk.hangUp !== null) throw talk.undialled(reply)
  const fine = talk.offered === null || (talk.offered.vr & 1) !== 0
  if (!fine && !order.hasStandard) return yield* refused(talk, noSuchResolution, 'The far end does not support fine resolution')
  const terms = termsOf(talk, fine)
  yield* talk.tell('training', { resolution: fine ? 'fine' : 'standard' })
  yield* talk.command(`${order.dialect.session}=${writeTerms(terms, order.dialect.radix)}`)
  talk.agreed = terms

  let page = yield* encoded(order.firstPage, fine)
  if (page.code !== 0) return yield* refused(talk, page.code, 'The pages could not be read')
  for (let number = order.firstPage; ; number++) {
    const next = yield* encoded(number + 1, fine)
    if (next.code !== 0 && next.code !== noSuchPage) return yield* refused(talk, next.code, 'The pages could not be read')
    const last = next.code === noSuchPage
    yield* untilConfirmed(talk, order, page.data, last)
    yield* talk.tell('confirmed', { pages: talk.progress.pages + 1 })
    if (last) return talk.ended(0, 'OK')
    if (talk.hangUp !== null) throw talk.failed({ of: 'reply', code: 'ok', text: '', lines: [], seconds: 0, stopped: false })
    page = next
  }
}

function* encoded(page: number, fine: boolean): Step<AnswerOf<'encoded'>> {
  const answer = yield* ask({ do: 'encode', page, fine }, 'encoded')
  stopIf(answer.stopped)
  return answer
}

/** It is us who cannot go on. */
function* refused(talk: Talk, code: number, text: string): Step<FaxLineResult> {
  const { dialect, answerMs } = talk.terms
  yield* ask({ do: 'command', text: dialect.abort, ms: answerMs * 3 }, 'reply')
  return talk.ended(code, text)
}

function termsOf(talk: Talk, fine: boolean): Terms {
  const own = talk.own()
  const far = talk.offered ?? own
  const corrects = own.ec > 0 && far.ec > 0
  return {
    ...own,
    vr: fine ? 1 : 0,
    br: Math.min(own.br, far.br),
    ln: Math.min(own.ln, far.ln),
    ec: corrects ? Math.min(own.ec, far.ec) : 0,
    st: far.st,
  }
}

function* untilConfirmed(talk: Talk, order: SendOrder, data: Uint8Array, last: boolean): Step<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    if (yield* pageAccepted(talk, order, data, last)) return
  }
  throw new Over(yield* refused(talk, retriesOver, 'The far end requested the same page again and again'))
}

function* pageAccepted(talk: Talk, order: SendOrder, data: Uint8Array, last: boolean): Step<boolean> {
  const { dialect, quirks } = order
  talk.quality = null
  talk.unconfirmedLastPage = false
  const connected = yield* talk.command('AT+FDT', trainMs)
  if (connected.code !== 'connect') throw talk.failed(connected)
  yield* talk.tell('page')
  if (dialect.xon) {
    // Some leave it out.
    const { stopped } = yield* ask({ do: 'xon', ms: xonMs }, 'nothing')
    stopIf(stopped)
  }
  const filled = quirks.leadIn > 0 ? Buffer.concat([new Uint8Array(quirks.leadIn), data]) : data
  const end = dialect.endings === null ? etxEnd : last ? dialect.endings.last : dialect.endings.more
  const sent = yield* ask({ do: 'send', bytes: shielded(filled, end), cancel: dialect.cancel }, 'sent')
  // What the modem holds goes out first.
  if (sent.stopped) yield* ask({ do: 'result', ms: drainMs }, 'reply')
  stopIf(sent.stopped)
  if (sent.how === 'closed') throw new Over(talk.fault('The modem was unplugged'))
  if (sent.how === 'stuck') throw new Over(talk.fault('The modem accepts no more of the page'))
  talk.unconfirmedLastPage = true
  yield* talk.frame(false, last ? 'EOP' : 'MPS')
  const judged = yield* dialect.endings === null ? askQuality(talk, last) : talk.result(resultMs)
  const good = isGood(talk, judged)
  yield* talk.frame(true, good ? 'MCF' : 'RTN')
  if (!good) talk.unconfirmedLastPage = false
  return good
}

/** SP-2388-A: what follows the page is a command, and its answer is what the far end said. */
function* askQuality(talk: Talk, last: boolean): Step<AnswerOf<'reply'>> {
  const over = yield* talk.result(resultMs)
  if (over.code !== 'ok' || talk.hangUp !== null) throw talk.failed(over)
  return yield* talk.command(`AT+FET=${last ? 2 : 0}`, resultMs)
}

/** MCF, RTP and PIP have odd numbers, RTN and PIN even ones. */
function isGood(talk: Talk, reply: AnswerOf<'reply'>): boolean {
  const { quality, hangUp } = talk
  const brokenOff = hangUp !== null && hangUp.code !== 0
  if (quality !== null && quality > 0) {
    if (quality % 2 === 1) return true
    if (hangUp !== null) throw talk.failed(reply)
    return false
  }
  if (brokenOff) throw talk.failed(reply)
  if (reply.code === 'ok') return true
  // TIA-592 says ERROR for a page that the far end wants again.
  if (reply.code === 'error' && talk.terms.dialect.endings !== null && hangUp === null) return false
  throw talk.failed(reply)
}
