/** A request of the provider to the box: looked into only when it is signed, and answered 200 only when what it brings is durable. */
import type { ProviderRequest, SmsTrunkHandlers, SmsTrunkLog } from '../sms.ts'
import { documentOf, readReceipt, readText } from './inbound.ts'
import { isSigned, queryOf, replayKey, staleSeconds, type SignatureKeys } from './signatures.ts'
import { eachOf, holds, textAt, type WebhookTemplate } from './template.ts'

export interface WebhookReply {
  readonly status: number
  readonly type: string
  readonly body: string
}

export interface WebhookOptions {
  /** Undefined where the provider is not known to call. */
  readonly template: WebhookTemplate | undefined
  readonly keys: SignatureKeys
  readonly number: string
  readonly log: SmsTrunkLog
}

const plain = (status: number, body: string): WebhookReply => ({ status, type: 'text/plain', body })

export class Webhook {
  readonly #options: WebhookOptions
  readonly #replays = new Replays()

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  async take(request: ProviderRequest, handlers: SmsTrunkHandlers | null): Promise<WebhookReply> {
    const { template, keys, log } = this.#options
    if (template === undefined || !isSigned(request, template.signature, keys, Date.now())) {
      log.warn({}, 'a request to the webhook is not signed as it should be')
      return plain(403, 'not signed')
    }
    if (handlers === null) return plain(503, 'not started')
    const { url, body } = request
    const now = Date.now()
    const key = replayKey(request, template.signature)
    if (key !== undefined && this.#replays.has(key, now)) {
      // A provider that did not hear our answer gets it again; an attacker who recorded the request gains nothing.
      log.warn({}, 'a request to the webhook came a second time, and changed nothing')
      return { status: 200, ...template.answer }
    }
    const document = request.method === 'POST' ? documentOf(body, template.content) : documentOf(Buffer.from(queryOf(url)), 'form')
    if (document === undefined) return plain(400, 'not readable')
    if (key !== undefined) this.#replays.add(key, now)
    try {
      const pointers = [template.text?.fields.from, template.receipt?.id].filter((pointer) => pointer !== undefined)
      for (const one of eachOf(document, pointers)) await this.#hand(one, template, handlers)
    } catch (error) {
      if (key !== undefined) this.#replays.remove(key)
      log.warn({ err: error }, 'what the provider brought could not be kept; it is to come again')
      return plain(503, 'try again')
    }
    return { status: 200, ...template.answer }
  }

  async #hand(document: unknown, template: WebhookTemplate, handlers: SmsTrunkHandlers): Promise<void> {
    const report = readReceipt(document, template.receipt, Date.now())
    if (report !== null) return handlers.report(report)
    const { text: texts } = template
    const text = texts !== undefined && holds(texts.when, document) ? readText(document, texts.fields, this.#options.number) : null
    if (text !== null) return handlers.received(text)
    // Some states of a text under way carry no news; anything else the provider sends must be logged.
    if (template.receipt === undefined || !holds(template.receipt.when, document) || textAt(document, template.receipt.state) === '')
      this.#options.log.warn(
        { names: namesIn(document) },
        'a signed request of the provider is neither a text nor a receipt that is known here',
      )
  }
}

/** What it consists of, without what that says. */
function namesIn(document: unknown): string[] {
  return typeof document === 'object' && document !== null ? Object.keys(document).slice(0, 40) : []
}

/** Signed requests of the last minutes: as long as a time that is signed is taken, on both sides of our clock. */
class Replays {
  readonly #seen = new Map<string, number>()

  has(key: string, nowMs: number): boolean {
    for (const [oldest, at] of this.#seen) {
      if (at > nowMs - 2 * staleSeconds * 1000) break
      this.#seen.delete(oldest)
    }
    return this.#seen.has(key)
  }

  add(key: string, nowMs: number): void {
    this.#seen.set(key, nowMs)
  }

  remove(key: string): void {
    this.#seen.delete(key)
  }
}
