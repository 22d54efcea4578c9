/**
 * A text trunk at a provider with an HTTP interface. What differs between providers is data (template.ts): the known
 * ones have it in files of their own, any other gets it from the configuration.
 */
import type { Dispatcher } from 'undici'
import type {
  InboundText,
  MediaAccess,
  OutboundText,
  ProviderRequest,
  SmsOutcome,
  SmsPlace,
  SmsTrunkHandlers,
  SmsTrunkLog,
  SmsTrunkStatus,
  WebhookTrunk,
  InboundMedia,
} from '../sms.ts'
import { Client, type Result } from './client.ts'
import { readListed } from './inbound.ts'
import { attemptOf, judge, readPages, type Listed } from './look-up.ts'
import { outcomeOf, wordsOf } from './outcomes.ts'
import { Poller } from './poller.ts'
import { telnyx } from './telnyx.ts'
import {
  holds,
  timeAt,
  type Profile,
  type RequestTemplate,
  type Template,
  textAt,
  type ListedMedia,
  fillRequest,
  type FilledRequest,
  type Values,
} from './template.ts'
import { twilio } from './twilio.ts'
import { Webhook, type WebhookReply } from './webhook.ts'

/** Files of a text that came by a list: the provider says in another list where they are. */
interface Listing {
  readonly count: number
  readonly address: string
}

/** Null for a text without files. */
function listingOf(item: unknown, { count, address }: ListedMedia): Listing | null {
  const files = Number(textAt(item, count)) || 0
  return files > 0 ? { count: files, address: textAt(item, address) } : null
}

type Files = { readonly media: readonly InboundMedia[] } | { readonly failed: string; readonly again: boolean }

/** @param base a request to the provider, as it is signed and addressed */
async function readListing(
  client: Client,
  base: FilledRequest,
  { address }: Listing,
  { list, url, ending, contentType }: ListedMedia,
  signal: AbortSignal,
): Promise<Files> {
  const target = URL.parse(address, base.url.href)
  // Nowhere else: the request carries the secret of the account.
  if (address === '' || target === null || target.origin !== base.url.origin)
    return { failed: 'the provider gives no list of them', again: false }
  const listed = await readPages(client, { ...base, url: target }, { list, next: '' }, signal)
  if (listed.kind === 'failed') return { failed: listed.text, again: listed.answer === null || listed.answer.status >= 429 }
  const media = listed.items.flatMap((item) => {
    const place = textAt(item, url)
    const whole = URL.parse(place.endsWith(ending) ? place.slice(0, place.length - ending.length) : place, target.href)
    return place === '' || whole === null ? [] : [{ url: whole.href, contentType: textAt(item, contentType) }]
  })
  return { media }
}

function lackingFiles({ count }: Listing, reason: string): InboundMedia[] {
  return Array.from({ length: Math.min(count, 30) }, () => ({ url: '', contentType: '', reason }))
}

export interface HttpTrunkOptions {
  readonly id: string
  /** Number at the provider; '' where it has none of its own. */
  readonly number: string
  readonly log: SmsTrunkLog
  readonly provider: 'twilio' | 'telnyx' | 'generic'
  /** Address of the provider's interface; a known provider has its own. */
  readonly url?: string
  readonly account: string
  readonly secret: string
  readonly webhook: { readonly secret?: string; readonly publicUrl?: string }
  /** 0: the provider is not asked for texts. */
  readonly pollSeconds: number
  readonly place: SmsPlace
  /** Of a generic provider. */
  readonly template?: Template
  /** What carries the requests; a pool of its own by default. */
  readonly request?: Dispatcher
  /** From the beginning of a request to the end of its answer. */
  readonly answerMs?: number
  /** What texts under way get when the trunk stops. */
  readonly momentMs?: number
}

const profiles: Readonly<Record<'twilio' | 'telnyx', Profile>> = { twilio, telnyx }
const answerMs = 30_000
const momentMs = 3000
/** Requests at once: each has a connection of its own. */
const window = 4
const mostAttempts = 10_000
/** Names of one address, where a gateway runs next to the box. */
const thisMachine: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Rounds of asking for the list of a text's files before the text goes without them. */
const mostListings = 4

export function createHttpTrunk(options: HttpTrunkOptions): WebhookTrunk {
  return new Trunk(options)
}

class Trunk implements WebhookTrunk {
  readonly id: string
  readonly kind = 'http'
  readonly number: string
  readonly window = window
  readonly lookUp?: (text: OutboundText, signal: AbortSignal) => Promise<SmsOutcome>
  readonly #options: HttpTrunkOptions
  readonly #profile: Profile
  readonly #client: Client
  readonly #webhook: Webhook
  readonly #poller: Poller | null
  readonly #startedAt = Date.now()
  /** When texts were first sent, and the ids of those that were taken. */
  readonly #attempts = new Map<string, number>()
  readonly #taken = new Set<string>()
  readonly #listings = new WeakMap<InboundText, Listing>()
  readonly #listed = new Map<string, number>()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #stopping = new AbortController()
  #handlers: SmsTrunkHandlers | null = null
  #status: SmsTrunkStatus

  constructor(options: HttpTrunkOptions) {
    const { log, webhook, secret, pollSeconds, place } = options
    this.id = options.id
    this.number = options.number
    this.#options = options
    this.#profile = profileOf(options)
    const { template } = this.#profile
    this.#client = new Client(options.request, options.answerMs ?? answerMs)
    const signing = template.webhook?.signature.kind === 'twilio' ? (webhook.secret ?? secret) : (webhook.secret ?? '')
    const keys = { secret: signing, publicUrl: webhook.publicUrl ?? '' }
    this.#webhook = new Webhook({ template: template.webhook, keys, number: this.number, log })
    this.#poller =
      template.poll === undefined || pollSeconds === 0
        ? null
        : new Poller({
            everyMs: pollSeconds * 1000,
            log,
            place,
            fetch: (since) => this.#fetch(template.poll!, since),
            received: async (text) => this.#handlers?.received(await this.#withFiles(text, template.poll!.media)),
          })
    if (template.lookUp !== undefined) this.lookUp = (text, signal) => this.#lookUp(template.lookUp!, text, signal)
    this.#status = this.#as('stopped', 'not started')
  }

  start(handlers: SmsTrunkHandlers): void {
    this.#handlers = handlers
    // Without a list to ask for there is nothing to try; the first text shows whether the provider is there.
    this.#set(this.#poller === null ? 'ready' : 'starting', this.#poller === null ? '' : 'asking the provider')
    this.#poller?.start()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const polled = this.#poller?.stop()
    let timer: NodeJS.Timeout | undefined
    await Promise.race([
      Promise.allSettled([...this.#underWay, polled]),
      new Promise((resolve) => (timer = setTimeout(resolve, this.#options.momentMs ?? momentMs))),
    ])
    clearTimeout(timer)
    await this.#client.close()
    await Promise.allSettled([...this.#underWay, polled])
    this.#set('stopped', 'stopped')
  }

  status(): SmsTrunkStatus {
    return this.#status
  }

  mediaAccess(url: URL): MediaAccess {
    const base = new URL(this.#profile.url)
    const own = url.hostname === base.hostname || (thisMachine.includes(url.hostname) && thisMachine.includes(base.hostname))
    return { own, headers: own && (url.protocol === 'https:' || url.protocol === base.protocol) ? this.#authorization() : {} }
  }

  webhook(request: ProviderRequest): Promise<WebhookReply> {
    return this.#webhook.take(request, this.#handlers)
  }

  send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const attempt = this.#send(text, signal)
    this.#underWay.add(attempt)
    void attempt.finally(() => this.#underWay.delete(attempt))
    return attempt
  }

  async #send(text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const { template } = this.#profile
    const now = Date.now()
    this.#attempts.set(text.messageId, this.#attempts.get(text.messageId) ?? now)
    if (this.#attempts.size > mostAttempts) this.#attempts.delete(this.#attempts.keys().next().value!)
    const result = await this.#client.ask(this.#fill(template.send, this.#valuesOf(text)), signal)
    this.#judge(result)
    const outcome = outcomeOf(result, template, Date.now())
    if (outcome.kind === 'accepted') this.#take(outcome)
    return outcome
  }

  async #lookUp(template: NonNullable<Template['lookUp']>, text: OutboundText, signal: AbortSignal): Promise<SmsOutcome> {
    const attempt = attemptOf(this.#attempts.get(text.messageId), this.#startedAt)
    const values = { ...this.#valuesOf(text), since: new Date(attempt.from).toISOString() }
    const older = (page: readonly unknown[]): boolean => page.some((item) => (timeAt(item, template.at) ?? Infinity) < attempt.from)
    const listed = await readPages(this.#client, this.#fill(template.request, values), template, signal, older)
    const outcome = judge(listed, text, template, attempt, this.#taken, Date.now())
    if (outcome.kind === 'accepted') this.#take(outcome)
    return outcome
  }

  #take(outcome: SmsOutcome): void {
    for (const id of outcome.accepted) if (id !== null) this.#taken.add(id)
    if (this.#taken.size > mostAttempts) this.#taken.delete(this.#taken.values().next().value!)
  }

  async #fetch(template: NonNullable<Template['poll']>, since: number): Promise<readonly InboundText[] | null> {
    const first = this.#fill(template.request, { ...this.#values(), since: new Date(since).toISOString() })
    const listed: Listed = await readPages(this.#client, first, template, this.#stopping.signal)
    if (this.#stopping.signal.aborted) return null
    if (listed.kind === 'failed') {
      this.#judge(listed.answer ?? { kind: 'unsent', text: listed.text })
      return null
    }
    this.#set('ready', '')
    if (!listed.whole) this.#options.log.warn({}, "the provider's list of texts has pages that cannot be asked for")
    const texts = listed.items
      .filter((item) => holds(template.when, item))
      .flatMap((item) => {
        const text = readListed(item, template.fields, this.number)
        const listing = template.media === undefined ? null : listingOf(item, template.media)
        if (text !== null && listing !== null) this.#listings.set(text, listing)
        return text ?? []
      })
    // Newest first in most lists; those of unknown time stay in their order.
    return texts.toReversed().toSorted((a, b) => (a.sentAt ?? 0) - (b.sentAt ?? 0))
  }

  /** Throws where the text is to be asked for again: the provider cannot say at this moment where its files are. */
  async #withFiles(text: InboundText, template: NonNullable<Template['poll']>['media']): Promise<InboundText> {
    const listing = this.#listings.get(text)
    if (listing === undefined || template === undefined) return text
    const base = this.#fill({ method: 'GET', path: '/' }, this.#values())
    const files = await readListing(this.#client, base, listing, template, this.#stopping.signal)
    if ('media' in files) return { ...text, media: files.media }
    const tries = (this.#listed.get(text.providerId) ?? 0) + 1
    if (files.again && tries < mostListings) {
      this.#listed.set(text.providerId, tries)
      throw new Error(`the list of its files: ${files.failed}`)
    }
    this.#listed.delete(text.providerId)
    return { ...text, media: lackingFiles(listing, files.failed) }
  }

  #valuesOf({ to, from, body, messageId, validitySeconds }: OutboundText): Values {
    const validity = Math.max(1, Math.round(Math.min(validitySeconds, this.#profile.longestValiditySeconds ?? Infinity)))
    return { ...this.#values(), to, from, body, messageId, validitySeconds: String(validity) }
  }

  #values(): Values {
    const { account, secret, webhook } = this.#options
    return { account, secret, number: this.number, callbackUrl: webhook.publicUrl ?? '' }
  }

  #fill(template: RequestTemplate, values: Values): FilledRequest {
    const filled = fillRequest(template, this.#profile.url, values)
    return { ...filled, headers: { ...filled.headers, ...this.#authorization() } }
  }

  #authorization(): Record<string, string> {
    const { account, secret } = this.#options
    const { auth } = this.#profile.template
    if (auth === 'none') return {}
    return { authorization: auth === 'bearer' ? `Bearer ${secret}` : `Basic ${Buffer.from(`${account}:${secret}`).toString('base64')}` }
  }

  /** What an answer says of the provider, not of a text. */
  #judge(result: Result): void {
    if (result.kind !== 'answer') {
      if (result.text !== 'the box stops') this.#set('unreachable', result.text)
    } else if (result.status === 401 || result.status === 402 || (result.status === 403 && this.#status.state === 'starting')) {
      this.#set('refused', wordsOf(result, this.#profile.template))
    } else if (result.status >= 500) this.#set('unreachable', wordsOf(result, this.#profile.template))
    else this.#set('ready', '')
  }

  #set(state: string, text: string): void {
    if (this.#status.state === state && this.#status.text === text) return
    if (this.#status.state !== 'stopped' && text !== '' && state !== 'stopped') this.#options.log.warn({ state }, `text provider: ${text}`)
    this.#status = this.#as(state, text)
    this.#handlers?.statusChanged()
  }

  #as(state: string, text: string): SmsTrunkStatus {
    const { provider } = this.#options
    const facts = { provider, server: new URL(this.#profile.url).host, polls: this.#poller !== null }
    return { ok: state === 'ready', state, text, since: Date.now(), facts }
  }
}

function profileOf({ provider, url, template }: HttpTrunkOptions): Profile {
  if (provider !== 'generic') return { ...profiles[provider], ...(url === undefined ? {} : { url }) }
  if (url === undefined || template === undefined) throw new Error('a generic provider needs url and template')
  return { url, template }
}
