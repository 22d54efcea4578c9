/** The directory: who has a number, and parties from elsewhere. */
import { Type } from '@sinclair/typebox'
import type { Asked as AskedOfCrm } from './asked.ts'
import type { Importer } from './import.ts'
import { importTypeOf, type FileType, type LookedAt, type LookedParty } from './import-look.ts'
import type { ForeignRead } from './foreign.ts'
import { Choice } from '../schema/choice.ts'
import {
  EnhancedLookupSchema,
  ImportAnswerSchema,
  LookupSchema,
  ScreenPopSchema,
  TypedNameAnswerSchema,
  TypedNameSchema,
} from '../schema/crm.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { signer } from '../http/signature.ts'
import type { TypedNames } from './typed.ts'
import { crmWebhooks } from './webhooks.ts'

export interface CrmServices {
  readonly asked: AskedOfCrm
  readonly importer: Importer
  /** Reads a file of parties. Rejects with ApiError. */
  readonly read: (bytes: readonly Uint8Array[], type: FileType) => Promise<ForeignRead<Omit<LookedAt, 'parties'>>>
  /** Called when parties were imported. */
  readonly imported: () => void
}

const tag = 'CRM'
const importLimit = 32 * 1024 * 1024

export const PhoneNumberParams = Type.Object({
  phoneNumber: Type.String({ maxLength: 64, description: 'As people write it; anonymous or unknown where it was withheld.' }),
})
const Asked = Type.Object({
  callId: Type.Optional(Type.String({ maxLength: 64 })),
  extension: Type.Optional(Type.String({ maxLength: 16 })),
})
const ImportQuery = Type.Object({
  mode: Type.Optional(
    Choice(['merge', 'replace'], { description: 'replace: imported parties that are not among these go. Default merge.' }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Nothing is written; the answer says what would be.' })),
})

const called = 'the people who call the house'

export function crmRoutes({ asked, ...imports }: CrmServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/pbx/lookup/caller/:phoneNumber',
      access: 'crm',
      people: ['desk', 'manager'],
      operationId: 'lookupCaller',
      describes: { webhooks: crmWebhooks },
      deed: 'party.read',
      gathered: true,
      summary: 'Who has this number',
      description:
        'Always 200: with found=false where nobody is known. Of the CRM where one is configured and answers within 800 ms; else from the directory of the box, with stale=true.',
      tag,
      params: PhoneNumberParams,
      query: Asked,
      responses: { 200: { description: 'The party.', schema: LookupSchema, example: { ...head, customer } } },
      handle: async ({ params, query, token, deed }) => {
        mustBeUnrestricted(token, called)
        const body = await asked.basic(params.phoneNumber, query, mayAsk(token))
        deed.about(body.customer?.id ?? '')
        return { status: 200, body }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/pbx/lookup/enhanced/:phoneNumber',
      access: 'crm',
      people: ['desk', 'manager'],
      operationId: 'lookupCallerEnhanced',
      deed: 'party.read',
      gathered: true,
      summary: 'Who has this number, with their last calls',
      description:
        'Of the card of the CRM where one is configured and answers within 3 s, or of its look-up; else from the directory of the box, with stale=true.',
      tag,
      params: PhoneNumberParams,
      query: Asked,
      responses: {
        200: {
          description: 'The party.',
          schema: EnhancedLookupSchema,
          example: {
            ...head,
            customer: party,
            recentCalls: [summary],
            openTicketCount: 1,
            notes: [],
            lastInteractionAt: summary.startedAt,
          },
        },
      },
      handle: async ({ params, query, token, deed }) => {
        mustBeUnrestricted(token, called)
        const body = await asked.enhanced(params.phoneNumber, query, mayAsk(token))
        deed.about(body.customer?.id ?? '')
        return { status: 200, body }
      },
    }),
    cardRoute(asked),
    ...importRoutes(imports),
  ]
}

function cardRoute(asked: AskedOfCrm): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/pbx/screen-pop/:phoneNumber',
    access: 'crm',
    people: ['desk', 'manager'],
    operationId: 'getScreenPop',
    deed: 'party.read',
    gathered: true,
    summary: 'The card of the customer with this number',
    description: 'Of the CRM where one is configured and answers within 3 s; else as it was last seen, with stale=true.',
    tag,
    params: PhoneNumberParams,
    query: Asked,
    responses: {
      200: {
        description: 'The card.',
        schema: ScreenPopSchema,
        example: { ...head, customer: party, name: party.name, status: party.status, recentCalls: [summary], notes: [], ...affairs },
      },
    },
    handle: async ({ params, query, token, deed }) => {
      mustBeUnrestricted(token, called)
      const body = await asked.card(params.phoneNumber, query, mayAsk(token))
      deed.about(body.customer?.id ?? '')
      return { status: 200, body }
    },
  })
}

function importRoutes({ importer, read, imported }: Omit<CrmServices, 'asked'>): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/pbx/import/pbx-export',
      access: 'crm',
      people: ['manager'],
      operationId: 'importParties',
      deed: 'party.import',
      summary: 'Import parties',
      description:
        'JSON {"customers": [Party...], "mode", "dryRun"}, text/csv (columns id,kind,name,status,phone,label,email,company,externalRef, or those of Outlook and Google; several lines of one id are several phones) or text/vcard; at most 32 MiB and 50,000 rows. UTF-8, UTF-16, the charset of the content type, or Windows-1252. A row that is not valid is named in errors and left out; with mode=replace nothing is written then. What was read otherwise than it was written is named in warnings.',
      tag,
      query: ImportQuery,
      bodyType: 'raw',
      idempotent: true,
      limitBytes: importLimit,
      responses: {
        200: {
          description: 'What became of them.',
          schema: ImportAnswerSchema,
          example: imported200,
        },
      },
      handle: async ({ query, rawBody, headers, token, deed }) => {
        mustBeUnrestricted(token, called)
        const type = importTypeOf(headers.get('content-type') ?? '')
        const leave = importer.enter(token?.name ?? '')
        let done: (() => void) | undefined
        try {
          const { head, pieces, piece, ...file } = await read([rawBody], type)
          done = file.done
          const { mode = head.mode ?? 'merge', dryRun = head.dryRun ?? false } = query
          const source = { ...head, pieces, piece: (at: number) => piece<LookedParty[]>(at) }
          const body = await importer.run(source, { mode, dryRun })
          deed.about('', body.created + body.updated + body.deleted)
          return { status: 200, body }
        } finally {
          done?.()
          leave()
          imported()
        }
      },
    }),
  ]
}

/** What is signed comes from the CRM, which is not asked what it asks. */
const mayAsk = (token: { readonly name: string } | null): boolean => token?.name !== signer.name

const head = {
  number: '+15551234567',
  found: true,
  matchType: 'exact',
  matchCount: 1,
  source: 'local',
  stale: false,
  asOf: '2026-03-02T14:05:11Z',
  lookupMs: 1,
}
const affairs = {
  openTickets: [{ id: 'T-77', title: 'Refill request', status: 'open', openedAt: '2026-02-28T09:00:00Z' }],
  commitments: [{ id: 'A-5', kind: 'appointment', title: 'Cleaning, Dr. Lee', dueAt: '2026-03-05T15:30:00Z', status: 'open' }],
  billing: { currency: 'USD', balanceMinor: 12500, overdueMinor: 0, standing: 'current' },
}
const imported200 = {
  dryRun: true,
  rows: 1,
  created: 1,
  updated: 0,
  skipped: 0,
  deleted: 0,
  errors: [],
  errorCount: 0,
  warnings: [{ row: 2, warning: '"555-123-4567 (cell)" was read as +15551234567: the words are left out' }],
  warningCount: 1,
}
const customer = { id: 'c_8812', name: 'Ana Ruiz', status: 'active', url: 'https://crm.lan/p/8812' }
const party = {
  ...customer,
  kind: 'person',
  phones: [{ number: '+15551234567', label: 'mobile', primary: true }],
  version: '77',
  updatedAt: '2026-03-01T22:00:00Z',
  source: 'import',
}
const summary = {
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  direction: 'inbound',
  outcome: 'answered',
  startedAt: '2026-02-27T16:01:09Z',
  talkSeconds: 182,
  extension: '101',
}

/** Names that people of the house give numbers. */
export function typedNameRoutes(names: TypedNames): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/crm/names/:phoneNumber',
      access: 'technician',
      people: ['desk', 'manager'],
      operationId: 'nameNumber',
      deed: 'party.name',
      summary: 'Give a number a name',
      description:
        'Kept in the directory until an import or the CRM brings a party with that number. The name of a customer of the CRM is proposed to it (POST customers/:id/sync), now or when it is back; what it answers is so.',
      tag: 'CRM',
      params: PhoneNumberParams,
      body: TypedNameSchema,
      responses: {
        200: {
          description: 'What became of it.',
          schema: TypedNameAnswerSchema,
          example: { number: '+15551234567', customerId: 'local-+15551234567', name: 'Ana Ruiz', result: 'created' },
        },
      },
      handle: async ({ params, body, deed }) => ({
        status: 200,
        body: await names.name(params.phoneNumber, body.name, (customerId) => deed.record(customerId)),
      }),
    }),
  ]
}
