/** Programmable voice over HTTP: place calls, see them, reach into them, check a document before it is used. */
import { Type, type Static } from '@sinclair/typebox'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import type { Originator } from '../routing/originate.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../schema/config.ts'
import {
  callExample,
  CallActionSchema,
  CallListSchema,
  CallSchema,
  CallTraceSchema,
  OriginateAnswerSchema,
  OriginateSchema,
  ValidateRequestSchema,
  ValidationSchema,
  type CallView,
} from '../schema/voice-api.ts'
import { callIdPattern } from '../base/ids.ts'
import type { Abilities } from '../speech/hearing.ts'
import { documentSchemas, parseDocument } from './document.ts'
import { callView, type LiveCalls } from './live.ts'
import { originateRow, type OriginatePolicies } from './originate-request.ts'
import { finder } from '../http/find.ts'
import { masked } from '../calls/trace-mask.ts'
import { seesMasked, shownTo } from '../http/mask.ts'
import { mustNotNameForeign, mustOwnCall, reachedCall, reachesCall } from '../http/reach.ts'
import { defineRoute, type Principal, type Route, type RouteContext } from '../http/route.ts'
import { callLines } from '../schema/call-lines.ts'
import type { GatherParams } from './verbs/gather.ts'
import type { RecordParams } from './verbs/record.ts'
import type { CallRow } from '../store/tables.ts'
import type { DocumentVerb, Problem } from './verb.ts'
import { checkUrl, type AddressPolicy } from '../outbox/address.ts'

/** The URL, where the box may go there. Throws ApiError validation_failed, which names the rule and the key. `path`: where it stands in the request. */
export function allowedUrl(url: string, policy: AddressPolicy, path: string): string {
  const checked = checkUrl(url, policy)
  if (checked.ok) return url
  throw new ApiError('validation_failed', checked.reason, { details: [{ path, message: checked.reason }] })
}

/** What a document asks for that this box cannot do: reported before a caller finds out. */
const withoutTranscript: Readonly<Record<string, string>> = {
  'model-missing': 'no model for recordings is installed (pbx models list)',
  'model-unusable': 'the model for recordings cannot be loaded (pbx speech)',
  'switched-off': 'transcripts are switched off (speech.recogniser.recording)',
  'language-unsupported': 'no installed model knows the language (pbx models list)',
}

/** `verbs` of a whole document, in its order. `language`: of the site. */
function beyondAbilities(verbs: readonly DocumentVerb[], abilities: Abilities, language: string): Problem[] {
  return verbs.flatMap(({ name, params }, index): Problem[] => {
    const at = `/${index}/${name}`
    if (name === 'gather') return gatherWarnings(at, params as unknown as GatherParams, abilities, language)
    if (name === 'record') return recordWarnings(at, params as unknown as RecordParams, abilities, language)
    if (name === 'stream')
      return recordWarnings(at, params as unknown as Pick<RecordParams, 'transcribe' | 'language'>, abilities, language)
    return []
  })
}

function gatherWarnings(at: string, params: GatherParams, abilities: Abilities, site: string): Problem[] {
  if (!params.input.includes('speech')) return []
  const language = params.language ?? site
  const how = abilities.understands(language)
  if (how === 'nothing')
    return [{ path: `${at}/input`, message: `this box does not recognise speech in ${language}: speech is always empty` }]
  if (how === 'any' || (params.hints ?? []).length > 0 || params.numDigits !== undefined) return []
  const message =
    'no model for free speech is installed: without hints or numDigits the box recognises yes, no, digits, days, times and ' +
    'a few menu words; for anything else speech is empty (pbx models list)'
  return [{ path: `${at}/input`, message }]
}

function recordWarnings(at: string, params: Pick<RecordParams, 'transcribe' | 'language'>, abilities: Abilities, site: string): Problem[] {
  if (!params.transcribe) return []
  const { ok, reason } = abilities.transcribes(params.language ?? site)
  if (ok) return []
  const message = `${withoutTranscript[reason] ?? reason}: transcript is always empty, transcriptStatus is off`
  return [{ path: `${at}/transcribe`, message }]
}

export interface VoiceServices {
  readonly config: Config
  readonly originator: Originator
  readonly live: LiveCalls
  readonly policies: OriginatePolicies
  readonly clock: Clock
  readonly abilities: Abilities
}

const CallParams = Type.Object({ callId: Type.String() })
const tag = 'Programmable voice'

function documentErrors(errors: readonly { path: string; message: string }[]): never {
  throw new ApiError('validation_failed', 'The document cannot run', {
    details: errors.slice(0, 20).map(({ path, message }) => ({ path: `/document${path}`, message })),
  })
}

function callFinder(live: LiveCalls) {
  return finder({
    noun: 'call',
    unknown: 'call_unknown',
    list: 'pbx calls --all',
    find: (callId) => live.find(callId),
    newest: (limit) => live.list('all', limit),
    idOf: ({ callId }) => callId,
  })
}

/** The call of the path, for a client that may see it. */
function lookedAt(live: LiveCalls) {
  const find = callFinder(live)
  return ({ params, token, technician, deed }: Pick<RouteContext<{ callId: string }>, 'params' | 'token' | 'technician' | 'deed'>) => {
    const row = find(params.callId, { technician })
    if (!reachesCall(token, row)) throw new ApiError('call_unknown', 'There is no call with that id.')
    deed.about(row.callId)
    return row
  }
}

export function voiceRoutes(services: VoiceServices, eraseTrace: Eraser): Route[] {
  const { config, originator, live, policies, clock } = services
  return [
    defineRoute({
      method: 'POST',
      path: '/api/voice/originate',
      access: 'voice',
      operationId: 'originateCall',
      deed: 'call.originate',
      summary: 'Place a call that an application drives',
      tag,
      body: OriginateSchema,
      idempotent: true,
      callbacks: {
        controlUrl: ['call.answered', 'gather.completed', 'record.completed', 'route.completed', 'forward.completed'],
        statusCallbackUrl: ['call.status', 'call.ended'],
      },
      rate: { perMinute: () => config.limits.originatesPerMinute },
      missing: () =>
        callLines(config).length === 0 && config.extensions.length === 0
          ? new ApiError('no_trunk', 'No trunk and no extension is configured')
          : undefined,
      responses: {
        200: {
          description: 'Accepted; the call is dialled as lines allow.',
          schema: OriginateAnswerSchema,
          example: {
            callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
            state: 'queued',
            to: '+15551230001',
            from: '+15550001000',
            externalRef: 'A-5',
          },
        },
      },
      handle: (context) => {
        const row = originateRow(config, policies, context.body, clock.now(), context.warn)
        if (context.token !== null) row.token = context.token.name
        mustOwnCall(context.token, config, row)
        const { callId, to, from, externalRef } = row
        const body: Static<typeof OriginateAnswerSchema> = { callId, state: 'queued', to, from }
        if (externalRef !== undefined) body.externalRef = externalRef
        const reply = { status: 200, body }
        const accepted = originator.accept(row, () => {
          context.remember(reply)
          context.deed.record(callId)
        })
        return accepted.then(() => reply)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/voice/calls',
      access: 'voice',
      people: ['technician'],
      operationId: 'listCalls',
      deed: 'call.list',
      polled: true,
      summary: 'List calls, newest first',
      tag,
      query: Type.Object({
        state: Type.Optional(Type.Union([Type.Literal('live'), Type.Literal('ended'), Type.Literal('all')], { default: 'all' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: callIdPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: { description: 'Calls.', schema: CallListSchema, example: { items: [callExample], calls: [callExample], nextCursor: null } },
      },
      handle: ({ query, token, deed }) => {
        const { state = 'all', limit = 50, cursor } = query
        const rows = live.list(state, limit, (row) => reachesCall(token, row), cursor)
        deed.about('', rows.length)
        const items = rows.map(callView)
        const nextCursor = rows.length < limit ? null : rows.at(-1)!.callId
        return { status: 200, body: shownTo(token, { items, calls: items, nextCursor }) }
      },
    }),
    ...oneCallRoutes(services, eraseTrace),
  ]
}

function oneCallRoutes(services: VoiceServices, eraseTrace: Eraser): Route[] {
  const { live, policies, config } = services
  const looked = lookedAt(live)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/voice/calls/:callId',
      access: 'voice',
      people: ['technician'],
      operationId: 'getCall',
      deed: 'call.read',
      polled: true,
      summary: 'One call, live or ended',
      tag,
      params: CallParams,
      responses: { 200: { description: 'The call.', schema: CallSchema, example: callExample } },
      handle: (context) => ({ status: 200, body: shownTo(context.token, callView(looked(context))) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/voice/calls/:callId',
      access: 'voice',
      operationId: 'changeCall',
      deed: 'call.change',
      summary: 'Give a live call another document, redirect it, or end it',
      description:
        'What runs is cut; an input that was not finished sends no event. After an accepted end nothing else is taken (409 call_ended).',
      tag,
      params: CallParams,
      body: CallActionSchema,
      idempotent: true,
      callbacks: { redirectUrl: ['call.redirected'] },
      responses: { 200: { description: 'The call.', schema: CallSchema, example: callExample } },
      handle: async (context) => {
        const { params, body, token } = context
        const { endpointId } = reachedCall(live, token, params.callId)
        mustNotNameForeign(token, config, body)
        const given = [body.document, body.redirectUrl, body.state].filter((value) => value !== undefined).length
        if (given !== 1) throw new ApiError('validation_failed', 'Exactly one of document, redirectUrl and state is needed')
        if (body.state !== undefined) return { status: 200, body: callView(await live.end(params.callId, body.state)) }
        if (body.redirectUrl !== undefined) {
          return {
            status: 200,
            body: callView(await live.redirect(params.callId, allowedUrl(body.redirectUrl, policies.control, '/redirectUrl'))),
          }
        }
        const endpoint = config.voice.endpoints.find((candidate) => candidate.id === endpointId)
        const parsed = parseDocument(body.document ?? [], { destinations: new Set(endpoint?.destinations ?? []) })
        if (!parsed.ok) documentErrors(parsed.errors)
        for (const { path, message } of parsed.warnings) context.warn(`/document${path}`, message)
        return { status: 200, body: callView(await live.run(params.callId, parsed.verbs, endpoint?.controlUrl ?? '')) }
      },
    }),
    ...traceRoutes(services, eraseTrace),
  ]
}

/** The number of ours that was called is no patient's: a technician tries the call again with it. */
function tracedCall(token: Principal | null, row: CallRow): CallView {
  const call = callView(row)
  const isOurs = row.direction === 'inbound' && row.trunkId !== ''
  return isOurs ? { ...shownTo(token, call), to: call.to } : shownTo(token, call)
}

function traceRoutes({ config, live, abilities }: VoiceServices, eraseTrace: Eraser): Route[] {
  const looked = lookedAt(live)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/voice/calls/:callId/trace',
      access: 'voice',
      people: ['technician'],
      operationId: 'traceCall',
      deed: 'trace.read',
      summary: 'Every event, document, key and prompt of a call, with its time',
      tag,
      params: CallParams,
      responses: {
        200: {
          description: 'The trace.',
          schema: CallTraceSchema,
          example: {
            callId: callExample.callId,
            call: callExample,
            entries: [{ at: '2026-03-02T14:05:19.410Z', ms: 8390, kind: 'event', text: 'call.answered -> https://app.example/voice' }],
            dropped: 0,
          },
        },
      },
      handle: (context) => {
        const row = looked(context)
        const { token } = context
        const trace = live.trace(row.callId)
        // A box may keep whole traces: what they say of a patient is not for a technician on a page.
        const entries = seesMasked(token) ? trace.entries.map((entry) => masked(entry)) : trace.entries
        return { status: 200, body: { callId: row.callId, call: tracedCall(token, row), ...trace, entries } }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/voice/calls/:callId/trace',
      access: 'voice',
      operationId: 'deleteTrace',
      deed: 'trace.delete',
      summary: 'Delete the trace of a call that has ended, with its params and the name of its caller',
      tag,
      params: CallParams,
      responses: { 204: { description: 'Deleted.' } },
      handle: async ({ params, deed, token }) => {
        reachedCall(live, token, params.callId)
        await eraseTrace(params.callId, (id) => deed.record(id))
        return { status: 204 }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/voice/validate',
      access: 'voice',
      people: ['technician'],
      operationId: 'validateDocument',
      summary: 'Check a control document without a call',
      description: 'The body is the document itself, or an object with a member `document`.',
      tag,
      body: ValidateRequestSchema,
      describes: { schemas: documentSchemas },
      responses: {
        200: {
          description: 'What would be refused and where, as JSON pointers, and what this box cannot do as it is.',
          schema: ValidationSchema,
          example: { valid: false, errors: [{ path: '/0/sya', message: 'there is no verb "sya"; did you mean say?' }], warnings: [] },
        },
      },
      handle: ({ body }) => {
        const document = !Array.isArray(body) && typeof body === 'object' && body !== null && 'document' in body ? body.document : body
        const all = config.voice.endpoints.flatMap(({ destinations }) => destinations)
        const parsed = parseDocument(document, { destinations: new Set(all) })
        const beyond = parsed.ok ? beyondAbilities(parsed.verbs, abilities, config.site.language) : []
        const warnings = [...parsed.warnings, ...beyond]
        return { status: 200, body: { valid: parsed.ok, errors: parsed.ok ? [] : parsed.errors, warnings } }
      },
    }),
  ]
}
