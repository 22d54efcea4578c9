/** The records of calls: those that live, and what programs write into one. */
import { Type } from '@sinclair/typebox'
import { isoTime, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { LoggedCall } from './logged-call.ts'
import { mostNotes, type CallRecords, type NewNote } from './records.ts'
import { newId } from '../base/ids.ts'
import { soughtNumber } from '../numbers/numbers.ts'
import {
  ActiveCallsSchema,
  AnswerPatchSchema,
  CallLogAnswerSchema,
  CallLogSchema,
  EndPatchSchema,
  NotesAnswerSchema,
  NotesSchema,
  type CallLogRequest,
  type NotesRequest,
} from '../schema/call-records.ts'
import type { Config } from '../schema/config.ts'
import { CallRecordSchema } from '../schema/history.ts'
import { roles } from '../schema/people.ts'
import { callShownTo } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type PersonAtDoor, type Route } from '../http/route.ts'

export interface CallRecordServices {
  readonly records: CallRecords
  readonly config: Config
  readonly clock: Clock
}

const tag = 'Calls'
const CallParams = Type.Object({ callId: Type.String() })
const house = 'calls of the whole house'
/** 20 notes of 8,000 characters. */
const notesLimit = 1024 * 1024
const dayMs = 86_400_000

export function callRecordRoutes({ records, config, clock }: CallRecordServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/pbx/calls/active',
      access: 'crm',
      people: roles,
      operationId: 'listActiveCalls',
      deed: 'call.list',
      polled: true,
      summary: 'Calls that live',
      tag,
      query: Type.Object({ extension: Type.Optional(Type.String({ maxLength: 16, description: 'Who called or took it.' })) }),
      responses: {
        200: { description: 'Calls.', schema: ActiveCallsSchema, example: { asOf: '2026-03-02T14:05:30Z', calls: [liveExample] } },
      },
      handle: ({ query: { extension }, token, deed }) => {
        mustBeUnrestricted(token, house)
        const concerns = (call: ReturnType<CallRecords['get']>): boolean =>
          extension === undefined || call.extension === extension || call.to === extension || call.legs.some(({ to }) => to === extension)
        const calls = records.active().filter(concerns)
        deed.about('', calls.length)
        return { status: 200, body: { asOf: isoTime(clock.now()), calls: calls.map((call) => callShownTo(token, call)) } }
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/pbx/calls/:callId/answer',
      access: 'crm',
      operationId: 'recordAnswer',
      deed: 'call.record',
      summary: 'Say who took a call',
      description:
        'Of a call that lives. Nothing is answered by it, and a late or repeated request never takes a call back to an earlier state.',
      tag,
      params: CallParams,
      body: AnswerPatchSchema,
      idempotent: true,
      responses: { 200: { description: 'The call.', schema: CallRecordSchema, example: liveExample } },
      handle: async ({ params, body: { userId, rev }, token }) => {
        mustBeUnrestricted(token, house)
        const given = { ...(userId === undefined ? {} : { userId }), ...(rev === undefined ? {} : { rev }) }
        return { status: 200, body: await records.answer(params.callId, given) }
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/pbx/calls/:callId/end',
      access: 'crm',
      operationId: 'recordEnd',
      deed: 'call.record',
      summary: 'Record that a call has ended',
      description: 'Hangs nothing up: 409 call_live while the call lives. How a call of this box ended is what the box knows.',
      tag,
      params: CallParams,
      body: EndPatchSchema,
      idempotent: true,
      responses: { 200: { description: 'The call.', schema: CallRecordSchema, example: endedExample } },
      handle: ({ params, token }) => {
        mustBeUnrestricted(token, house)
        return { status: 200, body: records.end(params.callId) }
      },
    }),
    ...writtenRoutes({ records, config, clock }),
  ]
}

function writtenRoutes({ records, config, clock }: CallRecordServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/pbx/calls/log',
      access: 'crm',
      operationId: 'logCall',
      deed: 'call.record',
      summary: 'Write an ended call into the history',
      description:
        'A call of another system, or what it adds to one of this box: customer, user, reference, notes; what the box measured stays. The higher rev wins: an older one is 409 stale_rev, the same one a repetition.',
      tag,
      body: CallLogSchema,
      limitBytes: notesLimit,
      idempotent: true,
      responses: {
        200: {
          description: 'What became of it.',
          schema: CallLogAnswerSchema,
          example: { callId: endedExample.callId, logged: true, duplicate: false, customerId: 'c_8812' },
        },
      },
      handle: async ({ body, token, deed }) => {
        mustBeUnrestricted(token, house)
        const { record, duplicate } = await records.log(loggedCall(body, config, clock.now()))
        deed.about(record.callId)
        return { status: 200, body: { callId: record.callId, logged: true, duplicate, customerId: record.customerId ?? null } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/pbx/calls/:callId/notes',
      access: 'crm',
      people: ['desk', 'manager'],
      operationId: 'addCallNotes',
      deed: 'call.note',
      summary: 'Write notes for a call',
      description: `For a call in progress or an ended one; at most ${mostNotes} for each call.`,
      tag,
      params: CallParams,
      body: NotesSchema,
      limitBytes: notesLimit,
      idempotent: true,
      responses: {
        201: { description: 'The notes.', schema: NotesAnswerSchema, example: { callId: endedExample.callId, notes: [noteExample] } },
      },
      handle: async (context) => {
        const { token, technician, body, deed } = context
        const { callId } = context.params
        mustBeUnrestricted(token, house)
        const reply = { status: 201, body: { callId, notes: [] as readonly object[] } }
        const person = token?.person
        // What a person writes on a page of the box is signed with the person's own name.
        const given = notesOf(body).map((note) =>
          person === undefined ? note : { ...note, authorUserId: person.name, ...ownPhone(person) },
        )
        await records.addNotes(callId, given, technician || person !== undefined ? 'pbx' : 'crm', (notes) => {
          reply.body.notes = notes
          context.remember(reply)
          deed.record(callId)
        })
        return reply
      },
    }),
  ]
}

const ownPhone = ({ extension }: PersonAtDoor): Pick<NewNote, 'authorExtension'> =>
  extension === null ? {} : { authorExtension: extension }

function notesOf({ notes, text, ...rest }: NotesRequest): NewNote[] {
  if ((notes === undefined) === (text === undefined)) throw refused('/text', 'Exactly one of text and notes is needed')
  return notes?.map(newNote) ?? [newNote({ ...rest, text: text! })]
}

type GivenNote = Omit<NewNote, 'createdAt'> & { readonly createdAt?: string }

function newNote({ noteId, text, authorUserId, authorExtension, createdAt }: GivenNote): NewNote {
  return {
    text,
    ...(noteId === undefined ? {} : { noteId }),
    ...(authorUserId === undefined ? {} : { authorUserId }),
    ...(authorExtension === undefined ? {} : { authorExtension }),
    ...(createdAt === undefined ? {} : { createdAt: Date.parse(createdAt) }),
  }
}

function loggedCall(body: CallLogRequest, config: Config, now: number): LoggedCall {
  const { ringSeconds = 0, talkSeconds = 0 } = body
  const startedAt = Date.parse(body.startedAt)
  const answeredAt = body.answeredAt === undefined ? null : Date.parse(body.answeredAt)
  const endedAt = body.endedAt === undefined ? startedAt + (ringSeconds + talkSeconds) * 1000 : Date.parse(body.endedAt)
  if (startedAt > endedAt || (answeredAt ?? startedAt) < startedAt || (answeredAt ?? endedAt) > endedAt)
    throw refused('/endedAt', 'A call begins, is answered and ends in this order')
  if (endedAt > now + dayMs) throw refused('/endedAt', 'The call cannot have ended in the future')
  const number = (text: string): string => soughtNumber(text, config.site.country, extensionsOf(config)).e164 ?? text
  return {
    callId: body.callId,
    rev: body.rev,
    direction: body.direction,
    outcome: body.outcome,
    from: number(body.from),
    to: number(body.to),
    callerName: body.callerName ?? '',
    customerId: body.customerId,
    trunkId: body.trunkId ?? '',
    extension: body.extension ?? '',
    userId: body.userId,
    externalRef: body.externalRef,
    startedAt,
    answeredAt,
    endedAt,
    ringSeconds,
    talkSeconds,
    endedBy: body.hangupBy ?? 'system',
    sipCode: body.sipCode ?? 0,
    notes: (body.notes ?? [])
      .map(newNote)
      .map(({ noteId = newId(), createdAt = now, ...note }) => ({ ...note, noteId, createdAt, origin: 'crm' })),
  }
}

function extensionsOf({ extensions }: Config): ReadonlySet<string> {
  return new Set(extensions.map(({ number }) => number))
}

function refused(path: string, message: string): ApiError {
  return new ApiError('validation_failed', `${message}.`, { details: [{ path, message }] })
}

const liveExample = {
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  rev: 2,
  direction: 'inbound',
  state: 'answered',
  from: '+15551234567',
  to: '+15557654321',
  callerName: 'Ana Ruiz',
  customerId: 'c_8812',
  matchType: 'exact',
  trunkId: 'trunk1',
  did: '+15557654321',
  extension: '101',
  userId: 'u_17',
  startedAt: '2026-03-02T14:05:10Z',
  answeredAt: '2026-03-02T14:05:19Z',
  ringSeconds: 9,
  steps: [],
  legs: [],
  recordings: [],
  crmSync: 'off',
}
const noteExample = {
  noteId: '01JNC3ZZ0000000000000000N1',
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  text: 'Wants Thursday instead.',
  authorUserId: 'u_17',
  createdAt: '2026-03-02T14:09:00Z',
  origin: 'crm',
}
const endedExample = {
  ...liveExample,
  rev: 4,
  state: 'ended',
  outcome: 'answered',
  endedAt: '2026-03-02T14:08:21Z',
  talkSeconds: 182,
  hangupBy: 'caller',
  sipCode: 200,
  notes: [noteExample],
}
