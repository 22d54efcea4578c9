/**
 * Finds the owner of a number: from the CRM first, and from the directory of the box where the CRM is away, slow or of no use. Whatever
 * happens, an answer is there within the time limit of the question.
 */
import { isoTime, type Clock } from '../base/clock.ts'
import type { CrmAsk } from '../schema/crm-requests.ts'
import type { CardAnswer, LookupAnswer } from '../schema/crm-answers.ts'
import type { EnhancedLookupView, LookupView, PartyView, ScreenPopView } from '../schema/crm.ts'
import type { Cards } from './cards.ts'
import type { AskCrm } from './client/client.ts'
import type { Directory, Known } from './directory.ts'
import { ofCrm, type Lookup, partyView } from './lookup.ts'
import { isWithheld, printable } from './numbers.ts'

export interface AskedOptions {
  readonly clock: Clock
  readonly client: AskCrm
  readonly directory: Directory
  readonly lookup: Lookup
  readonly cards: Cards
  /** Asked where no CRM is configured. */
  readonly elsewhere?: (number: string, signal: AbortSignal) => Promise<LookupAnswer | null>
  /** Called for each look-up. */
  readonly looked?: (result: LookedUp) => void
}

export interface LookedUp {
  readonly source: 'crm' | 'local' | 'none'
  readonly ambiguous: boolean
  /** The CRM was asked and did not answer in time. */
  readonly timeout: boolean
  /** The CRM was asked and gave no answer. */
  readonly failed: boolean
  readonly tookMs: number
}

/** The call that the question is about. */
export interface About {
  readonly callId?: string
  readonly extension?: string
  readonly did?: string
  readonly direction?: string
}

/** `several`: more than one have the number, so that nobody is named. */
export type Introduction = { readonly kind: 'known'; readonly known: Known } | { readonly kind: 'several' }

export class Asked {
  readonly #options: AskedOptions

  constructor(options: AskedOptions) {
    this.#options = options
  }

  /** From what is here, at once. */
  known(number: string): Known | null {
    const { directory, cards } = this.#options
    const known = directory.known(number)
    if (known !== null || isWithheld(number)) return known
    return cards.known(number)
  }

  /**
   * The person the CRM, or the site that owns the directory, has for the number, if it answers within 800 ms; else a person the directory
   * knows apart from the CRM's customers; null: neither has one.
   */
  async introduce(number: string, about: About, signal: AbortSignal): Promise<Introduction | null> {
    if (isWithheld(number)) return null
    const { client, elsewhere } = this.#options
    const ofSite = client.configured ? null : await elsewhere?.(number, signal)
    const answer = client.configured ? await this.#lookup(number, about, signal) : ofSite?.found === true ? ofSite : null
    if (answer === null) return null
    if (!answer.found) return this.#own(number)
    if (answer.matchType === 'ambiguous') return { kind: 'several' }
    const { customer, matchType } = answer
    const name = printable(customer?.name ?? '')
    if (customer === undefined || customer === null || name === '') return null
    const sure = matchType !== 'suffix'
    return { kind: 'known', known: { name: sure ? name : `${name}?`, customerId: customer.id, matchType: sure ? 'exact' : 'suffix' } }
  }

  /** `ask`: whether the CRM is asked; it is not where it is the CRM that asks. Throws as `Lookup.basic` does. */
  async basic(given: string, about: About, ask: boolean): Promise<LookupView> {
    const local = this.#options.lookup.basic(given)
    const number = this.#options.lookup.numberOf(given)
    if (!ask || isWithheld(number) || !this.#options.client.configured) return local
    const began = this.#options.clock.elapsed()
    const answer = await this.#lookup(number, about)
    const lookupMs = this.#options.clock.elapsed() - began
    if (answer === null) return { ...local, stale: true, lookupMs }
    if (!answer.found) return { ...this.#options.lookup.basic(given, ofCrm), lookupMs }
    const { customer = null } = answer
    return {
      ...headOf(local.number, answer),
      customer:
        customer === null || answer.matchType === 'ambiguous'
          ? null
          : {
              id: customer.id,
              name: customer.name,
              status: customer.status ?? '',
              ...(customer.url === undefined ? {} : { url: customer.url }),
            },
      ...(answer.candidates === undefined ? {} : { candidates: answer.candidates.slice(0, 5) }),
      asOf: isoTime(this.#options.clock.now()),
      lookupMs,
    }
  }

  /**
   * As `basic`, with the whole party and what became of them: of the card of the CRM, within 3 s; where it has none, of its look-up. Throws as
   * `Lookup.enhanced` does.
   */
  async enhanced(given: string, about: About, ask: boolean): Promise<EnhancedLookupView> {
    const { lookup, clock, client } = this.#options
    const number = lookup.numberOf(given)
    if (!ask || isWithheld(number) || !client.configured) return this.#enhancedAtOnce(given)
    const began = clock.elapsed()
    const card = (await this.#card(number, about)) ?? (await this.#lookup(number, about))
    const lookupMs = clock.elapsed() - began
    if (card === null) return { ...this.#enhancedAtOnce(given), lookupMs }
    if (!card.found) return { ...lookup.enhanced(given, ofCrm), lookupMs }
    return { ...this.#enhancedBy(given, card), asOf: isoTime(clock.now()), lookupMs }
  }

  /** From what is here, with what the last card of the CRM had. */
  #enhancedAtOnce(given: string): EnhancedLookupView {
    const { lookup, cards, client } = this.#options
    const looked = lookup.enhanced(given)
    const withheld = isWithheld(looked.number)
    const local = { ...looked, stale: client.configured && !withheld }
    const kept = withheld ? undefined : cards.get(local.number)
    if (kept === undefined) return local
    const { card, at } = kept
    if (local.found) return { ...local, ...ticketsOf(card) }
    return { ...this.#enhancedBy(given, card), source: 'local', stale: true, asOf: isoTime(at) }
  }

  #enhancedBy(given: string, card: CardAnswer | LookupAnswer): EnhancedLookupView {
    const local = this.#options.lookup.enhanced(given)
    const several = card.matchType === 'ambiguous'
    const kept = this.#options.cards.get(local.number)?.card
    return {
      ...local,
      ...headOf(local.number, card),
      customer: several ? null : this.#customerOf(card, local.number),
      ...(several ? {} : ticketsOf('openTickets' in card ? card : kept)),
    }
  }

  /** The card of the CRM within 3 s, else the one that was kept, else what the directory has. Throws as `Lookup.card` does. */
  async card(given: string, about: About, ask: boolean): Promise<ScreenPopView> {
    const { lookup, clock, client } = this.#options
    const number = lookup.numberOf(given)
    if (!ask || isWithheld(number) || !client.configured) return this.cardAtOnce(given)
    const began = clock.elapsed()
    const fresh = await this.#card(number, about)
    const lookupMs = clock.elapsed() - began
    if (fresh === null) return { ...this.cardAtOnce(given), lookupMs }
    if (!fresh.found) return { ...lookup.card(given, ofCrm), lookupMs }
    return { ...this.#shown(given, fresh), asOf: isoTime(clock.now()), lookupMs }
  }

  /** From what is here. */
  cardAtOnce(given: string): ScreenPopView {
    const { lookup, cards, client } = this.#options
    const number = lookup.numberOf(given)
    const kept = isWithheld(number) ? undefined : cards.get(number)
    if (kept === undefined) return { ...lookup.card(given), stale: client.configured && !isWithheld(number) }
    return { ...this.#shown(given, kept.card), source: 'local', stale: true, asOf: isoTime(kept.at) }
  }

  /** Which calls there were is what the box knows. */
  #shown(given: string, card: CardAnswer): ScreenPopView {
    const local = this.#options.lookup.card(given)
    const { customer = null, name = customer?.name ?? '', status = customer?.status ?? '' } = card
    const several = card.matchType === 'ambiguous'
    return {
      ...local,
      ...headOf(local.number, card),
      customer: several ? null : (this.#customerOf(card, local.number) ?? local.customer),
      name: several ? '' : printable(name),
      status,
      openTickets: card.openTickets ?? [],
      commitments: card.commitments ?? [],
      billing: card.billing ?? null,
      ...(card.alerts === undefined ? {} : { alerts: card.alerts }),
      ...(card.links === undefined ? {} : { links: card.links }),
    }
  }

  /** With what the directory has of the same customer, where the CRM says less. */
  #customerOf({ customer = null, matchType }: CardAnswer | LookupAnswer, number: string): PartyView | null {
    if (customer === null || matchType === 'ambiguous') return null
    const known = this.#options.directory.get(customer.id)
    const before = known?.source === 'crm' ? partyView(known) : undefined
    const phones = 'phones' in customer ? customer.phones : (before?.phones ?? [{ number, label: 'other' as const }])
    const updatedAt = ('updatedAt' in customer ? customer.updatedAt : undefined) ?? before?.updatedAt ?? isoTime(this.#options.clock.now())
    const status = partyStatus(customer.status) ?? before?.status ?? 'active'
    return { kind: 'person', version: '', ...before, ...customer, status, phones, updatedAt, source: 'crm' }
  }

  /** A person whom the directory knows apart from the customers of the CRM, which has nobody of that number. */
  #own(number: string): Introduction | null {
    const known = this.#options.directory.known(number, ofCrm)
    return known === null ? null : { kind: 'known', known }
  }

  async #lookup(number: string, about: About, signal?: AbortSignal): Promise<LookupAnswer | null> {
    const { clock, looked, directory, cards } = this.#options
    const began = clock.elapsed()
    const { body, timeout, failed } = await this.#ask({ route: 'lookup', params: { phoneNumber: number }, query: about }, signal)
    const answer = body as LookupAnswer | null
    if (answer !== null) await cards.learn(number, answer).catch(() => undefined)
    const own = answer?.found === true ? null : directory.match(number, answer === null ? undefined : ofCrm)
    const ambiguous = (own?.type ?? answer?.matchType) === 'ambiguous'
    const source = own === null ? 'crm' : own.parties.length > 0 ? 'local' : 'none'
    looked?.({ source, ambiguous, timeout, failed, tookMs: clock.elapsed() - began })
    return answer
  }

  async #card(number: string, about: About): Promise<CardAnswer | null> {
    const { body } = await this.#ask({ route: 'screen-pop', params: { phoneNumber: number }, query: about })
    const card = body as CardAnswer | null
    if (card !== null) await this.#options.cards.keep(number, card).catch(() => undefined)
    return card
  }

  async #ask(
    ask: CrmAsk<'lookup' | 'screen-pop'>,
    signal?: AbortSignal,
  ): Promise<{ body: LookupAnswer | CardAnswer | null; timeout: boolean; failed: boolean }> {
    const outcome = await this.#options.client.request({ ask, ...(signal === undefined ? {} : { signal }) })
    if (outcome.kind === 'answered') {
      const body = outcome.body as LookupAnswer | CardAnswer
      // A CRM that leaves it out says it by the customer.
      const found = body.found ?? ((body.customer ?? null) !== null || body.matchType === 'ambiguous')
      return { body: { ...body, found }, timeout: false, failed: false }
    }
    const failed = outcome.kind === 'failed'
    return { body: null, timeout: failed && outcome.reason.startsWith('timeout'), failed }
  }
}

const ticketsOf = (card: CardAnswer | LookupAnswer | undefined): { openTicketCount?: number } =>
  card === undefined || !('openTickets' in card) || card.openTickets === undefined ? {} : { openTicketCount: card.openTickets.length }

const statuses: readonly string[] = ['active', 'inactive', 'prospect', 'blocked']
const partyStatus = (status: string | undefined): PartyView['status'] | undefined =>
  status !== undefined && statuses.includes(status) ? (status as PartyView['status']) : undefined

function headOf(number: string, { found, matchType, matchCount }: LookupAnswer | CardAnswer) {
  const match = matchType ?? (found ? 'exact' : 'none')
  return {
    number,
    found,
    matchType: match,
    matchCount: matchCount ?? (found ? 1 : 0),
    source: found ? ('crm' as const) : ('none' as const),
    stale: false,
  }
}
