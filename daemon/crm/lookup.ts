/** Who has a number, and what is known of them: the three look-ups of the interface, from the directory of the box. */
import { derived } from '../base/derived.ts'
import { isoTime, type Clock } from '../base/clock.ts'
import type { History } from '../history/history.ts'
import { noteView } from '../history/view.ts'
import { soughtNumber } from '../numbers/numbers.ts'
import { readWritten } from '../numbers/written-number.ts'
import { ApiError } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import type { EnhancedLookupView, LookupView, ScreenPopView, CallSummary, PartyView } from '../schema/crm.ts'
import type { NoteView } from '../schema/history.ts'
import type { HistoryRow, PartyRow } from '../store/tables.ts'
import type { Directory, Match, Without } from './directory.ts'
import { isWithheld, printable } from './numbers.ts'

/** Rows of the directory as the interface shows them. */
export function partyView({ seenAt: _, updatedAt, ...party }: PartyRow): PartyView {
  return { ...party, updatedAt: isoTime(updatedAt) }
}

function callSummary({ callId, direction, outcome, startedAt, talkSeconds, extension }: HistoryRow): CallSummary {
  return { callId, direction, outcome, startedAt: isoTime(startedAt), talkSeconds, ...(extension === '' ? {} : { extension }) }
}

export interface LookupOptions {
  readonly config: Config
  readonly clock: Clock
  readonly directory: Directory
  readonly history: Pick<History, 'withNumber'>
}

interface Looked {
  readonly match: Match
  readonly party: PartyRow | null
  readonly number: string
  readonly head: Omit<LookupView, 'customer'>
}

/** Without the customers of the CRM, which has said that it has nobody. */
export const ofCrm: Without = ({ source }) => source === 'crm'

const mostCandidates = 5
const mostNotes = 3

export class Lookup {
  readonly #options: LookupOptions
  readonly #extensions: () => ReadonlySet<string>

  constructor(options: LookupOptions) {
    this.#options = options
    const { config } = options
    this.#extensions = derived(config, () => new Set(config.extensions.map(({ number }) => number)))
  }

  /** `given`: as people and programs write numbers. Throws ApiError `validation_failed` where it has no digits. */
  basic(given: string, without?: Without): LookupView {
    const { head, party } = this.#look(given, without)
    if (party === null) return { ...head, customer: null }
    const { id, name, status, url } = party
    return { ...head, customer: { id, name, status, ...(url === undefined ? {} : { url }) } }
  }

  enhanced(given: string, without?: Without): EnhancedLookupView {
    const { head, party, number } = this.#look(given, without)
    const calls = this.#recent(number, party, 5)
    const owner = party === null ? undefined : ownerOf(party, this.#options.config)
    return {
      ...head,
      customer: party === null ? null : partyView(party),
      recentCalls: calls.map(callSummary),
      notes: newestNotes(calls),
      ...(calls[0] === undefined ? {} : { lastInteractionAt: isoTime(calls[0].startedAt) }),
      ...(owner === undefined ? {} : { assignedUser: owner }),
    }
  }

  card(given: string, without?: Without): ScreenPopView {
    const { head, party, number } = this.#look(given, without)
    const calls = this.#recent(number, party, 10)
    const sure = head.matchType === 'exact'
    return {
      ...head,
      customer: party === null ? null : partyView(party),
      name: party === null ? '' : sure ? printable(party.name) : `${printable(party.name)}?`,
      status: party?.status ?? '',
      recentCalls: calls.map(callSummary),
      notes: newestNotes(calls),
      openTickets: [],
      commitments: [],
      billing: null,
    }
  }

  #look(given: string, without?: Without): Looked {
    const { clock, directory } = this.#options
    const began = clock.elapsed()
    const number = this.numberOf(given)
    const match = directory.match(number, without)
    const party = match.type === 'exact' || match.type === 'suffix' ? match.parties[0]! : null
    const candidates = match.type === 'ambiguous' ? match.parties.slice(0, mostCandidates).map(({ id, name }) => ({ id, name })) : null
    return {
      match,
      party,
      number,
      head: {
        number,
        found: match.parties.length > 0,
        matchType: match.type,
        matchCount: match.parties.length,
        ...(candidates === null ? {} : { candidates }),
        source: match.parties.length > 0 ? 'local' : 'none',
        stale: false,
        asOf: isoTime(party?.seenAt ?? clock.now()),
        lookupMs: Math.round(clock.elapsed() - began),
      },
    }
  }

  /** As calls have it; '' where it was withheld. Throws as `basic` does. */
  numberOf(given: string): string {
    const text = given.trim()
    if (text !== '' && isWithheld(text)) return ''
    // As it was given: a space in front may have been a +.
    const { e164, kind } = soughtNumber(given, this.#options.config.site.country, this.#extensions())
    if (e164 !== null) return e164
    const digits = readWritten(given).number.replaceAll(/\D/g, '')
    if (digits === '' && kind === 'invalid')
      throw new ApiError('validation_failed', `"${text.slice(0, 40)}" has no digits.`, {
        details: [{ path: '/phoneNumber', message: 'must be a number, anonymous or unknown' }],
      })
    return digits
  }

  /** Of all numbers of the party, or of this one where nobody is known. */
  #recent(number: string, party: PartyRow | null, most: number): HistoryRow[] {
    const { history } = this.#options
    const numbers = new Set([number, ...(party?.phones.map((phone) => phone.number) ?? [])].filter((one) => one.startsWith('+')))
    const calls = [...numbers].flatMap((one) => history.withNumber(one, most))
    const unique = new Map(calls.map((call) => [call.callId, call]))
    return [...unique.values()].toSorted((a, b) => b.startedAt - a.startedAt).slice(0, most)
  }
}

/** Of these calls, the newest first. */
function newestNotes(calls: readonly HistoryRow[]): NoteView[] {
  const notes = calls.flatMap(({ callId, notes: written = [] }) => written.map((note) => ({ callId, note })))
  const newest = notes.toSorted((a, b) => b.note.createdAt - a.note.createdAt).slice(0, mostNotes)
  return newest.map(({ callId, note }) => noteView(callId, note))
}

function ownerOf({ ownerUserId, ownerExtension }: PartyRow, { extensions }: Config) {
  if (ownerUserId === undefined && ownerExtension === undefined) return undefined
  const name = extensions.find(({ number }) => number === ownerExtension)?.name
  return {
    ...(ownerUserId === undefined ? {} : { userId: ownerUserId }),
    ...(name === undefined ? {} : { name }),
    ...(ownerExtension === undefined ? {} : { extension: ownerExtension }),
  }
}
