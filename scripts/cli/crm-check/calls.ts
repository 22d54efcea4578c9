/** The timeline: a call is reported while it goes on, logged once, with its notes once. */
import { mark, ownCallId, ownNumber, ownRef, time } from './own.ts'
import type { Ask, Peer } from './peer.ts'
import { notOffered, shown, type Report } from './report.ts'

interface Log {
  readonly callId?: string
  readonly duplicate?: boolean
  readonly crmLogId?: string
}

const once = 'keep the answer of each Idempotency-Key for 24 hours, and find a call by its callId: create it once, then replace it'

/** Ids of the calls that were written. */
export async function tryCalls(peer: Peer, report: Report, now: number): Promise<string[]> {
  const [live, ended] = callOf(now)
  const { callId } = live
  await reported(peer, report, 'answer', { kind: 'progress', path: `calls/${callId}/answer`, body: live })
  await reported(peer, report, 'end', { kind: 'progress', path: `calls/${callId}/end`, body: ended })
  const log = (rev: number, more: Partial<Ask> = {}): Ask => ({
    kind: 'log',
    path: 'calls/log',
    body: { ...ended, rev },
    key: `${callId}:log:${rev}`,
    ...more,
  })
  const first = await report.play<Log>(peer, 'log', log(4, { eventId: 'check-1' }), 'log')
  if (first === null) return [callId]
  report.judge(
    (first.callId ?? callId) === callId && first.duplicate !== true,
    'log',
    'a call is logged',
    `the first log of a call is answered with callId ${first.callId}, duplicate: ${first.duplicate}`,
    'answer with the callId of the request, and with duplicate: false the first time, or leave both out',
  )
  const again = await report.play<Log>(peer, 'log', log(4, { eventId: 'check-1' }), 'log')
  const same = (other: Log | null): boolean => other !== null && other.crmLogId === first.crmLogId
  report.judge(
    same(again),
    'once',
    'the same request twice makes one entry',
    'the same request twice makes a second entry in the timeline',
    once,
  )
  const anew = await report.play<Log>(peer, 'log', log(4, { key: `${callId}:log:4b` }), 'log')
  const known = same(anew) && anew?.duplicate === true
  report.advise(
    known,
    'once',
    'the same revision twice is a duplicate',
    'the same revision under another key is not reported as a duplicate',
    once,
  )
  await tryRevisions(peer, report, log, first)
  await tryNotes(peer, report, callId)
  return [callId]
}

function callOf(now: number) {
  const live = {
    callId: ownCallId(),
    rev: 2,
    direction: 'inbound',
    state: 'answered',
    from: ownNumber,
    to: '+12025550148',
    callerName: 'Test of the telephone system',
    extension: '101',
    customerId: null,
    externalRef: ownRef,
    startedAt: time(now - 20_000),
    answeredAt: time(now - 15_000),
    ringSeconds: 5,
    crmSync: 'pending',
  }
  const over = { rev: 3, state: 'ended', outcome: 'answered', endedAt: time(now), talkSeconds: 15, hangupBy: 'caller', hangupCause: 16 }
  return [live, { ...live, ...over, recording: { state: 'none' }, notes: [] }] as const
}

async function reported(peer: Peer, report: Report, route: 'answer' | 'end', ask: Ask): Promise<void> {
  const heard = await peer.ask(ask)
  if (heard.status === 404 && !notOffered(heard)) {
    const fix = 'the body holds the whole call: create it if you do not have it yet'
    return report.wrong('progress', `/api/pbx/${ask.path} answers 404 for a call that it does not have yet: ${shown(heard.text)}`, fix)
  }
  await report.play(peer, 'progress', ask, route)
}

async function tryRevisions(peer: Peer, report: Report, log: (rev: number, more?: Partial<Ask>) => Ask, first: Log): Promise<void> {
  const later = await report.play<Log>(peer, 'log', log(6), 'log')
  if (later !== null)
    report.judge(
      later.crmLogId === first.crmLogId && later.duplicate !== true,
      'revision',
      'a later revision replaces the entry',
      `a later revision is answered with duplicate: ${later.duplicate}, entry ${later.crmLogId} in place of ${first.crmLogId}`,
      'a recording or a transcript comes later with a higher rev: replace the entry with that callId',
    )
  const stale = await peer.ask(log(5))
  report.advise(
    stale.status === 409,
    'revision',
    'an older revision is refused (409)',
    `a revision older than the stored one is answered ${stale.status}, not 409`,
    'answer 409 stale_rev when rev is lower than the stored one, and keep the stored one',
  )
  const misused = await peer.ask(log(6, { body: { rev: 7, ...log(7).body } }))
  report.advise(
    misused.status === 422,
    'once',
    'an Idempotency-Key with another body is refused (422)',
    `an Idempotency-Key that was used with another body is answered ${misused.status}, not 422`,
    'answer 422 idempotency_mismatch',
  )
}

interface Notes {
  readonly notes?: readonly { readonly noteId: string; readonly text: string }[]
}

async function tryNotes(peer: Peer, report: Report, callId: string): Promise<void> {
  const note = { noteId: `check-${callId.slice(-12)}`, callId, text: mark, createdAt: time(Date.now()), origin: 'pbx' }
  const body = { notes: [note] }
  const ask = (key: string): Ask => ({ kind: 'notes', path: `calls/${callId}/notes`, body, key: `${callId}:notes:${key}` })
  const first = await report.play<Notes>(peer, 'notes', ask('1'), 'notes')
  if (first === null) return
  if (first.notes === undefined) return
  const kept = ({ notes = [] }: Notes): boolean => notes.filter(({ noteId }) => noteId === note.noteId).length === 1
  const again = await report.play<Notes>(peer, 'notes', ask('2'), 'notes')
  report.judge(
    kept(first) && again !== null && kept(again),
    'notes',
    'a note that comes twice is kept once',
    'the note does not come back exactly once under its noteId',
    'keep the noteId of the request; if the call already has it, answer with the stored note and do not write it again',
  )
}
