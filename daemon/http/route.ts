/**
 * A route as a value: method, path, who may use it, its schemas and its handler. The same value is served, validated
 * against and described in the OpenAPI document.
 */
import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox'
import type { DeedName, DeedUnderWay } from '../audit/deed.ts'
import type { ApiError } from '../base/errors.ts'
import type { Base64Fault } from '../base/base64.ts'
import type { Log } from '../base/log.ts'
import type { EventName } from '../schema/events.ts'
import type { Role } from '../schema/people.ts'
import type { Scope } from '../schema/states.ts'
import type { Client } from './client.ts'
import type { FilePlace } from './large-body-worker.ts'

/**
 * `public`: anybody. `page`: anybody, from a page of the box. `person`: the cookie of a session. `optional`: anybody, but a token that
 * is given must be right. `basic-token`: HTTP Basic whose password is an access token with scope voice. `technician`: the
 * technician's socket alone, on which every other route is open as well.
 */
export type Access = Scope | 'public' | 'page' | 'person' | 'optional' | 'basic-token' | 'technician'

export type Method = 'OPTIONS' | 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface Principal {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null for a token that reaches everything its scopes open. */
  readonly reach: Reach | null
  /** Of a session. */
  readonly person?: PersonAtDoor
}

/** A person with the session by which the request came. */
export interface PersonAtDoor {
  readonly personId: string
  readonly sessionId: string
  readonly login: string
  readonly name: string
  /** Those that count at this moment. */
  readonly roles: readonly Role[]
  /** Number of the own phone. */
  readonly extension: string | null
  /** Whose messages a person of the desk hears. */
  readonly mailboxes: readonly string[]
  /** Whose day a person of the desk sees. */
  readonly queues: readonly string[]
  readonly locked: boolean
  readonly needsSecondStep: boolean
  /** The same as it is by now; undefined once the session has ended. */
  now(): PersonAtDoor | undefined
}

/** What a restricted token reaches: the calls of these voice endpoints, the voicemail of these mailboxes, and nothing else of either. */
export interface Reach {
  readonly endpoints: readonly string[]
  readonly mailboxes: readonly string[]
}

export interface RouteContext<P = Record<string, string>, Q = Record<string, unknown>, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  /** Empty where it was JSON and larger than 1 MiB. */
  readonly rawBody: Buffer
  /**
   * What the route calls its `file`, where the body was larger than 1 MiB: decoded, or what is wrong with it. The body has a mark there. Of a
   * body that is the file itself the same, and the body is {}.
   */
  readonly file: Uint8Array<ArrayBuffer> | Base64Fault | undefined
  readonly requestId: string
  /** Null where the route needs none and none was given, and of the technician. */
  readonly token: Principal | null
  /** Whether the request came over the technician's socket. */
  readonly technician: boolean
  /** Of a route whose `bodyType` is `stream`: to be read once. */
  readonly upload: AsyncIterable<Uint8Array>
  /** HEAD where only the head of an answer to GET is wanted. */
  readonly method: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Path and query, as they were sent. */
  readonly target: string
  /** Of the client, as text. */
  readonly address: string
  readonly client: Client
  /** Aborted when the client goes away before the answer. */
  readonly signal: AbortSignal
  readonly log: Log
  /** What the audit trail records of a route that has a `deed`. */
  readonly deed: DeedUnderWay
  /**
   * Call inside the handler's own store transaction, with the very reply that is returned afterwards: the answer becomes
   * durable together with its effect, so a repetition after a crash is answered without a second effect. Does nothing
   * where the request has no Idempotency-Key. Without it the answer is stored after the handler.
   */
  remember(reply: Reply): void
  /** Adds a sentence to the `warnings` of the answer. `path`: JSON pointer into the body, of what it is about; '' for none. */
  readonly warn: (path: string, message: string) => void
}

export interface Reply {
  status: number
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Values of Set-Cookie. */
  cookies?: readonly string[]
  /** Sent with support for Range, HEAD and If-None-Match. */
  file?: { path: string; type: string; etag: string }
  text?: { type: string; content: string }
  /**
   * Sent as newline-delimited JSON, a line for each `emit`, until its promise settles; then `{"done":true}`, or what was thrown as
   * `{"failed":{error,code}}`. `emit` resolves when the client takes more.
   */
  stream?: (emit: Emit) => Promise<void>
  /** Sent as text/event-stream, in pieces that are whole fields, until its promise settles. `push` resolves when the client takes more. */
  events?: (push: (piece: string) => Promise<void>) => Promise<void>
  /** Called once, when the answer has ended in any way: gives back what the handler took for it. */
  release?: () => void
}

export type Json = Record<string, unknown>
/** A schema as plain JSON; one with a name as a reference to its component. `read`: it is written by others. */
export type Plain = (schema: unknown, read?: boolean) => unknown

/** What the OpenAPI document shows with a route. */
export interface Describes {
  /** The whole form of what the route checks by more than a schema, by name. */
  readonly schemas?: Readonly<Record<string, TSchema>>
  /** Requests that the box makes. `shared`: the headers that all of these have. */
  readonly webhooks?: (plain: Plain, shared: readonly Json[]) => Json
}

/** Need not be awaited where little is sent. */
export type Emit = (value: unknown) => Promise<void>

export interface ResponseSpec {
  description: string
  schema?: TSchema
  example?: unknown
  /** Of a body that is not JSON. */
  contentType?: string
}

export interface RouteSpec<P extends TSchema, Q extends TSchema, B extends TSchema> {
  method: Method
  /** `/api/voice/calls/:callId`; a parameter may be followed by fixed text (`:id.wav`) up to the end of its segment. */
  path: string
  access: Access
  /** Roles of people who may use it with a session, besides those whom `access` names. A technician's route is then open to tokens with the scope admin. */
  people?: readonly Role[]
  /** Of a route of people: served while the session is locked, too. */
  evenLocked?: true
  /** Of a route of people: served before the person has set up the second step, too. */
  beforeSecondStep?: true
  /** Unique; names the route in metrics and in the OpenAPI document. */
  operationId: string
  summary: string
  description?: string
  tag: string
  describes?: Describes
  /** Another way to what a described route gives, kept for those who have it: it is served, and the descriptions leave it out. */
  undescribed?: true
  /** Served where no route fits and a browser asks for a page; its path is not looked at. */
  nowhere?: true
  /** A value that does not fit is answered with 404: there is no such thing. */
  params?: P
  query?: Q
  body?: B
  /**
   * `json` unless given. `json-or-nothing`: no body is as good as {}. `raw`: any content type, for `rawBody` alone. `stream`: any, read by
   * the handler as it comes.
   */
  bodyType?: 'json' | 'json-or-nothing' | 'form' | 'raw' | 'stream'
  limitBytes?: number
  /**
   * Where the body holds a file as Base64: that of a large body is decoded before the handler, off the event loop. `type`: a body of this
   * content type is the file itself.
   */
  file?: { readonly path: FilePlace['path']; readonly mostBytes: () => number; readonly type?: string }
  /** Of a route that needs no token: answered whatever name stands in the header Host. */
  anyHost?: true
  /** Honours Idempotency-Key. */
  idempotent?: boolean
  /**
   * What the audit trail calls it; left out where nothing of a patient is read and nothing is changed. A handler that writes calls
   * `deed.record(id)` in its own transaction; what it does not record is recorded before the answer, with the path's parameters.
   */
  deed?: DeedName
  /** Of a deed that only looks, and that programs repeat all the time: the same one is recorded once a minute. */
  polled?: true
  /** The same of one that seldom looks at the same: all looks of one actor in a minute are one row, with their count and a hash of the list. */
  gathered?: true
  /** Requests a minute of one token, besides the limit for all routes. */
  rate?: { perMinute: () => number }
  /** The error to answer while configuration is missing; asked between JSON and schema. */
  missing?: () => ApiError | undefined
  /** Members of the body that are URLs, and the events that the box sends to each because of the request. */
  callbacks?: Readonly<Record<string, readonly EventName[]>>
  responses: Record<number, ResponseSpec>
  handle(context: RouteContext<Static<P>, Static<Q>, Static<B>>): Promise<Reply> | Reply
}

/** Of what others make of an address of ours: providers and phones. Elsewhere a name that is not in `query` is refused. */
export const AnyQuery = Type.Record(Type.String(), Type.Unknown())

export type Route = RouteSpec<TSchema, TSchema, TSchema>

/** Gives the handler the types of its schemas. */
export function defineRoute<P extends TSchema = TObject, Q extends TSchema = TObject, B extends TSchema = TObject>(
  route: RouteSpec<P, Q, B>,
): Route {
  return route as unknown as Route
}

// What the technician's routes share.

/** `limit` of a list. */
export const Limit = (otherwise: number, most = 1000) => Type.Integer({ minimum: 1, maximum: most, default: otherwise })

/** What a list shows, recorded by how much it is. */
export function listed(deed: DeedUnderWay, found: readonly unknown[]): Reply {
  deed.about('', found.length)
  return { status: 200, body: found }
}
