/** The history of calls as the API shows it: the record of a call of the CRM contract, and the way it took through the house. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { callOutcomes, historyDirections, recordStates } from './states.ts'
import { CallIdSchema, NullableTimeSchema, TimeSchema } from './voice-call.ts'

/** How people find a person: by a part of the name, whatever its accents, or by any part of the number. */

/** In small letters, without accents. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

const leastDigits = 3

/** Three digits and more, without a letter, are a part of a number; everything else is a part of a name. */
export function finds(q: string): (found: { readonly names: readonly string[]; readonly numbers: readonly string[] }) => boolean {
  const digits = digitsOf(q)
  if (digits.length >= leastDigits && !/\p{L}/u.test(q)) return ({ numbers }) => numbers.some((number) => digitsOf(number).includes(digits))
  const wanted = folded(q.trim())
  return ({ names }) => names.some((name) => folded(name).includes(wanted))
}

export const CallOutcomeSchema = named(
  'CallOutcome',
  Choice(callOutcomes, {
    description:
      'answered: a person took it. missed: an inbound call that nobody took. abandoned: the caller left while waiting or in an application. ' +
      'voicemail: it reached a mailbox. app: an application took care of it alone. fax: it was a fax.',
  }),
)

export const HistoryDirectionSchema = Choice(historyDirections, {
  description: 'internal: between phones of the house and what is on the box.',
})

const StepSchema = Type.Object({
  at: TimeSchema,
  to: Type.String({ description: 'Destination, such as menu:main or 102.' }),
  endedAt: NullableTimeSchema,
  outcome: Type.String({ description: 'Result there; "" if the call ended there.' }),
})

const PartSchema = Type.Object({
  to: Type.String({ description: 'Extension or number.' }),
  trunkId: Type.String({ description: '"" for a desk phone.' }),
  startedAt: TimeSchema,
  answeredAt: NullableTimeSchema,
  endedAt: NullableTimeSchema,
  sipCode: Type.Integer(),
})

export const NoteSchema = named(
  'Note',
  Type.Object({
    noteId: Type.String(),
    callId: CallIdSchema,
    text: Type.String(),
    authorUserId: Type.Optional(Type.String()),
    authorExtension: Type.Optional(Type.String()),
    createdAt: TimeSchema,
    origin: Choice(['pbx', 'crm'], { description: 'crm: a program brought it.' }),
  }),
)
export type NoteView = View<typeof NoteSchema>

const RecordingStateSchema = Type.Object(
  {
    state: Choice(['pending', 'ready', 'expired'], {
      description: 'pending: recording or transcript is not ready yet. expired: it was removed.',
    }),
    mediaUrl: Type.Optional(Type.String({ description: 'Path on this box; needs a token of the scope voice.' })),
    durationSeconds: Type.Optional(Type.Integer()),
    transcript: Type.Optional(Type.String()),
  },
  { description: 'The last recording of a call that has ended.' },
)

const ReturnSchema = Type.Object({
  callId: Type.String({ description: 'The call in which the house and the caller talked.' }),
  at: TimeSchema,
  extension: Type.String({ description: 'Extension that talked.' }),
  direction: Choice(['inbound', 'outbound'], { description: 'outbound: the house called back. inbound: the caller called again.' }),
})

/** What a person may do with a call that lives. */
export const callDeeds = ['take', 'move', 'end'] as const
export type CallDeed = (typeof callDeeds)[number]

export const CallRecordSchema = named(
  'CallRecord',
  Type.Object({
    callId: CallIdSchema,
    rev: Type.Integer({ description: 'Rises by one with every change.' }),
    direction: HistoryDirectionSchema,
    state: Choice(recordStates, {
      description: 'dialing: a click-to-dial rings at the phone of its user. held: one party holds the other.',
    }),
    outcome: Type.Optional({ ...CallOutcomeSchema, description: 'Of a call that has ended, as the next ones.' }),
    from: Type.String({ description: 'E.164 where it can be, an extension, or "" where it was withheld.' }),
    to: Type.String(),
    callerName: Type.Optional(Type.String()),
    customerId: Type.Optional(Type.String({ description: 'Party of the directory whose number called.' })),
    matchType: Type.Optional(Choice(['exact', 'suffix'], { description: 'How sure that is.' })),
    trunkId: Type.Optional(Type.String()),
    did: Type.Optional(Type.String({ description: 'Number of the house that was called.' })),
    extension: Type.Optional(Type.String({ description: 'Extension of the house that called or answered.' })),
    userId: Type.Optional(Type.String({ description: 'User of the CRM who took it, as the CRM says.' })),
    queue: Type.Optional(Type.String({ description: 'Queue in which it waited.' })),
    endpoint: Type.Optional(Type.String({ description: 'Application that took part.' })),
    externalRef: Type.Optional(Type.String()),
    startedAt: TimeSchema,
    answeredAt: Type.Optional(TimeSchema),
    endedAt: Type.Optional(TimeSchema),
    ringSeconds: Type.Optional(Type.Integer({ description: 'Until a person answered, menus and waiting included, or until the end.' })),
    talkSeconds: Type.Optional(Type.Integer()),
    holdSeconds: Type.Optional(Type.Integer({ description: 'While one held the other.' })),
    hangupBy: Type.Optional(Choice(['caller', 'callee', 'system'])),
    hangupCause: Type.Optional(Type.Integer({ description: 'Q.850.' })),
    sipCode: Type.Optional(Type.Integer()),
    transfers: Type.Optional(
      Type.Array(Type.Object({ at: TimeSchema, to: Type.String(), kind: Choice(['blind', 'attended', 'route', 'forward']) }), {
        description: 'Where people and applications (route, forward) sent the call on, in order.',
      }),
    ),
    steps: Type.Array(StepSchema, { description: 'Destinations in the house, in order.' }),
    legs: Type.Array(PartSchema, { description: 'Attempted connections.' }),
    recordings: Type.Array(Type.String()),
    recording: Type.Optional(RecordingStateSchema),
    voicemailId: Type.Optional(Type.String({ description: 'Message that the caller left, as the inbox has it.' })),
    notes: Type.Optional(Type.Array(NoteSchema)),
    returned: Type.Optional(
      Type.Union([ReturnSchema, Type.Null()], {
        description: 'In the history, of a call from outside that nobody took: the first talk with the caller since; null: there was none.',
      }),
    ),
    crmSync: Choice(['pending', 'synced', 'dead', 'off'], {
      description: 'Whether the CRM has the current record of the call. dead: given up. off: no CRM was configured.',
    }),
    crmLogId: Type.Optional(Type.String({ description: 'Id of the call in the CRM.' })),
    deeds: Type.Optional(
      Type.Array(Choice(callDeeds), {
        description:
          'On the desk and the live stream, of a call that has not ended: what a person may do with it now. take: it rings or waits. move: it can be sent on. end: not of a call for help.',
      }),
    ),
  }),
)

export type CallRecordView = View<typeof CallRecordSchema>

export const HistoryAnswerSchema = Type.Object({
  items: Type.Array(CallRecordSchema),
  nextSince: Type.Optional(Type.Integer({ description: 'order=asc: cursor to pass as since on the next poll.' })),
  nextBefore: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: 'order=desc: cursor to pass as before for older calls; null: there are none.',
    }),
  ),
})

export type HistoryAnswer = Static<typeof HistoryAnswerSchema>

/** A call that lives. */
export const callExample: CallRecordView = {
  ...{
    callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
    rev: 2,
    direction: 'inbound',
    state: 'ringing',
    from: '+15551234567',
    to: '+15550001000',
  },
  ...{
    callerName: 'Ana Ruiz',
    trunkId: 'main',
    did: '+15550001000',
    startedAt: '2026-03-02T14:05:10.000Z',
    steps: [],
    legs: [],
    recordings: [],
  },
  crmSync: 'off',
}
