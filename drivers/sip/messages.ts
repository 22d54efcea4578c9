/**
 * The text trunk over SIP: one MESSAGE (RFC 3428) a text, whole, through the account of a SIP trunk, and what its provider
 * sends. There are no delivery reports: what the provider accepted is as far as the box can see.
 */
import type { LineStatus } from '../line.ts'
import type { InboundText, OutboundText, SmsOutcome, SmsTrunk, SmsTrunkHandlers, SmsTrunkLog, SmsTrunkStatus } from '../sms.ts'
import type { InboundSipText, SipTextOutcome, SipTexts } from './texts.ts'

/** What this trunk needs of a SipDriver. */
export interface SipTextDriver {
  readonly texts: SipTexts
  lines(): readonly LineStatus[]
}

export interface SipMessageTrunkOptions {
  readonly id: string
  /** E.164; '' where it is not configured. */
  readonly number: string
  readonly log: SmsTrunkLog
  /** Name of the SIP trunk. */
  readonly trunk: string
  readonly driver: SipTextDriver
}

/** RFC 3428 section 8: a longer text does not fit next to the headers unless the network is known to carry it. */
export const largestSipText = 1300

/** Texts under way get this long to be answered when the daemon stops. */
const patienceMs = 2000

/** Create it before the driver is started: from then on a text that comes too early is answered with a request to try again. */
export function createSipMessageTrunk(options: SipMessageTrunkOptions): SmsTrunk {
  return new SipMessageTrunk(options)
}

class SipMessageTrunk implements SmsTrunk {
  readonly kind = 'sip'
  readonly window = 4
  readonly id: string
  readonly number: string
  readonly #options: SipMessageTrunkOptions
  readonly #underWay = new Set<Promise<unknown>>()
  #giveUp: (outcome: SipTextOutcome) => void = () => undefined
  readonly #givenUp = new Promise<SipTextOutcome>((resolve) => (this.#giveUp = resolve))
  #unlisten: () => void = () => undefined
  #stopped = false

  constructor(options: SipMessageTrunkOptions) {
    this.#options = options
    this.id = options.id
    this.number = options.number
    options.driver.texts.claim(options.trunk)
  }

  start(handlers: SmsTrunkHandlers): void {
    const { driver, trunk } = this.#options
    driver.texts.onText(trunk, (text) => handlers.received(this.#inbound(text)))
    this.#unlisten = driver.texts.onStatus(() => handlers.statusChanged())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#unlisten()
    this.#options.driver.texts.onText(this.#options.trunk, null)
    if (this.#underWay.size === 0) return
    const patience = setTimeout(
      () => this.#giveUp({ code: 0, reason: 'The daemon is stopping', sent: true, retryAfterSeconds: 0, sipCallId: '' }),
      patienceMs,
    )
    await Promise.allSettled(this.#underWay)
    clearTimeout(patience)
  }

  async send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const accepted = text.accepted
    if (accepted[0]) return { kind: 'accepted', accepted: [accepted[0]] }
    const bytes = Buffer.byteLength(text.body)
    if (bytes > largestSipText) {
      const said = `The text has ${bytes} bytes; a SIP MESSAGE carries at most ${largestSipText}`
      return { kind: 'refused', text: said, code: 'message_too_long', accepted: [null] }
    }
    const status = this.status()
    if (signal.aborted || this.#stopped) return { kind: 'temporary', text: 'The daemon is stopping', accepted: [null] }
    if (!status.ok) return { kind: 'temporary', text: status.text, accepted: [null] }
    const { driver, trunk } = this.#options
    const sending = driver.texts.send({ trunkId: trunk, to: text.to, from: text.from || this.number, body: text.body })
    const outcome = Promise.race([sending, this.#givenUp])
    this.#underWay.add(outcome)
    try {
      return outcomeOf(await outcome)
    } finally {
      this.#underWay.delete(outcome)
    }
  }

  status(): SmsTrunkStatus {
    const { driver, trunk } = this.#options
    const line = driver.lines().find((each) => each.kind === 'trunk' && each.id === trunk)
    const facts = { trunk }
    if (line === undefined) return { ok: false, state: 'refused', text: `There is no SIP trunk "${trunk}"`, since: 0, facts }
    const since = Date.parse(line.since) || 0
    if (line.ok) return { ok: true, state: 'ready', text: '', since, facts: { ...facts, line: line.state } }
    const state = line.state === 'not registered' || line.state === 'unknown' ? 'starting' : line.state
    return { ok: false, state, text: line.reason, since, facts: { ...facts, line: line.state } }
  }

  #inbound(text: InboundSipText): InboundText {
    const { from, to, body, date, key } = text
    const sentAt = date === '' ? Number.NaN : Date.parse(date)
    return {
      from,
      to: to || this.number,
      body,
      encoding: gsm7.test(body) ? 'GSM-7' : 'UCS-2',
      sentAt: Number.isNaN(sentAt) ? null : sentAt,
      providerId: key,
    }
  }
}

/** Default alphabet and its extension, 3GPP TS 23.038 section 6.2.1. */
const gsm7 = /^[\n\r\f A-Za-z0-9@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà^{}\\[~\]|€]*$/u

/** Worth another attempt, although the number's first digit says otherwise, or the other way round. */
const temporaryCodes: ReadonlySet<number> = new Set([408, 423, 425, 429, 480, 486, 487, 491, 600])
const lastingCodes: ReadonlySet<number> = new Set([501, 505, 513, 555])

const plainWords: Readonly<Record<number, string>> = {
  401: 'The provider refused user name or password',
  403: 'The provider does not allow this text',
  404: 'The provider does not know this number',
  405: 'The provider accepts no texts on this trunk',
  407: 'The provider refused user name or password',
  410: 'This number is no longer in service',
  413: 'The text is too long for the provider',
  415: 'The provider does not accept plain texts',
  480: 'The recipient cannot be reached now',
  484: 'The number is not complete',
  486: 'The recipient is busy',
  488: 'The provider does not accept this kind of text',
  501: 'The provider accepts no texts on this trunk',
  503: 'The provider accepts no texts now',
  513: 'The text is too long for the provider',
  600: 'The recipient is busy',
  603: 'The recipient declined the text',
  604: 'This number does not exist',
  606: 'The provider does not accept this kind of text',
}

/** What an answer, or the lack of one, means for the text (RFC 3428 section 4 and 7, RFC 3261 section 21). */
export function outcomeOf({ code, reason, sent, retryAfterSeconds, sipCallId }: SipTextOutcome): SmsOutcome {
  const accepted = [null]
  if (code >= 200 && code <= 299) return { kind: 'accepted', accepted: [sipCallId === '' ? 'accepted' : sipCallId] }
  if (code === 0) {
    if (sent) return { kind: 'unknown', text: `There was no answer to the text: ${reason}`, accepted }
    return { kind: 'temporary', text: `The text could not be sent: ${reason}`, accepted }
  }
  const words =
    plainWords[code] ?? (code < 400 ? 'The provider redirects the text, which is not supported' : 'The provider refused the text')
  const text = `${words} (${[String(code), reason].filter((part) => part !== '').join(' ')})`
  if (temporaryCodes.has(code) || (code >= 500 && code <= 599 && !lastingCodes.has(code))) {
    return { kind: 'temporary', text, ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}), accepted }
  }
  return { kind: 'refused', text, code: code === 413 || code === 513 ? 'message_too_long' : `sip_${code}`, accepted }
}
