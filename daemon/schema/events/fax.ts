/** The callbacks that report the end of a fax. */
import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { named, Count } from '../named.ts'
import { faxReasons, faxResolutions, faxTransports } from '../states.ts'
import { IdSchema, TimeSchema } from '../voice-call.ts'
import { EventIdSchema, sent, type EventSpec } from './form.ts'

export const FaxTransportSchema = Type.Union([Choice(faxTransports), Type.Null()], {
  description: 'Transport of the pages: a modem, audio of a SIP call, or T.38; null before the first call.',
})
export const FaxResolutionSchema = named(
  'FaxResolution',
  Choice(faxResolutions, { description: 'standard: 204 x 98 dots an inch. fine: 204 x 196.' }),
)
export const FaxReasonSchema = named(
  'FaxReason',
  Choice(faxReasons, { description: 'Why a fax failed or is retried. For programs; `message` says it to people.' }),
)
export const DuplicatePagesSchema = Type.Array(Type.Integer({ minimum: 1 }), {
  description: 'Pages, counted from 1, that may have arrived twice.',
})

const common = {
  eventId: EventIdSchema,
  faxId: { ...IdSchema, description: 'As POST /api/fax answered it.' },
}

const facts = {
  to: Type.String({ description: 'As it was dialled: E.164, or the digits of a short number.' }),
  from: Type.String({ description: 'Our number, as the far end sees it.' }),
  pages: Count('pages', 'Pages of the fax, the cover page among them.'),
  pagesSent: Count('pages', 'Pages that the far end confirmed.'),
  attempts: Count('calls', 'Calls made.'),
  durationSeconds: Count('s', 'Length of the last call that was answered.'),
  transport: FaxTransportSchema,
  bitRate: Count('bit/s', 'Of the last call; 0 if no fax machine answered.'),
  ecm: Type.Boolean({ description: 'Whether errors were corrected (ECM).' }),
  resolution: FaxResolutionSchema,
  remoteStationId: Type.String({ description: 'Identification of the far end; empty without one.' }),
  createdAt: { ...TimeSchema, description: 'When the fax was accepted, ISO 8601, UTC.' },
  completedAt: Type.Union([TimeSchema, Type.Null()], { description: 'When the fax ended, ISO 8601, UTC.' }),
}

const exampleFacts = {
  to: '+15551230001',
  from: '+15550001999',
  pages: 3,
}

type Facts = Static<TObject<typeof common & typeof facts & { possibleDuplicatePages: typeof DuplicatePagesSchema }>>

function faxEvent<const N extends string, const S extends string, F extends TProperties>(
  event: N,
  status: readonly S[],
  fields: F,
  { name, description, example }: { name: string; description: string; example: Record<string, unknown> },
): EventSpec<{ event: N; status: S } & Facts & Static<TObject<F>>> {
  const members: TProperties = {
    event: Type.Literal(event),
    ...common,
    status: Choice(status, { description: 'The final state of the fax.' }),
    ...facts,
    ...fields,
    possibleDuplicatePages: DuplicatePagesSchema,
  }
  return { schema: sent(name, members, description, example), route: 'callback' }
}

const ids = { eventId: '019a5b3e-1c44-7b02-a6f5-0d3e8b7c9a12', faxId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8' }

export const faxEvents = {
  'fax.sent': faxEvent(
    'fax.sent',
    ['sent'],
    {},
    {
      name: 'FaxSentEvent',
      description: 'All pages of a fax arrived. Sent once, to the statusCallbackUrl of POST /api/fax.',
      example: {
        event: 'fax.sent',
        ...ids,
        status: 'sent',
        ...exampleFacts,
        pagesSent: 3,
        attempts: 1,
        durationSeconds: 72,
        transport: 't38',
        bitRate: 14_400,
        ecm: true,
        resolution: 'fine',
        remoteStationId: '+1 555 123 0001',
        createdAt: '2026-03-02T14:05:11.000Z',
        completedAt: '2026-03-02T14:06:31.000Z',
        possibleDuplicatePages: [],
      },
    },
  ),
  'fax.failed': faxEvent(
    'fax.failed',
    ['failed', 'canceled'],
    {
      reason: FaxReasonSchema,
      message: Type.String({ description: 'The reason as a sentence, for people.' }),
      t30Code: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
        description: 'T.30 result in spandsp’s numbering; null if no fax machine answered.',
      }),
    },
    {
      name: 'FaxFailedEvent',
      description:
        'A fax did not get through, after all its tries, or was canceled. Sent once, to the statusCallbackUrl of POST /api/fax. pagesSent may be ' +
        'more than 0: those pages arrived.',
      example: {
        event: 'fax.failed',
        ...ids,
        status: 'failed',
        ...exampleFacts,
        pagesSent: 0,
        attempts: 12,
        durationSeconds: 0,
        transport: null,
        bitRate: 0,
        ecm: false,
        resolution: 'fine',
        remoteStationId: '',
        createdAt: '2026-03-02T14:05:11.000Z',
        completedAt: '2026-03-02T14:44:02.000Z',
        reason: 'busy',
        message: 'The line was busy.',
        t30Code: null,
        possibleDuplicatePages: [],
      },
    },
  ),
}
