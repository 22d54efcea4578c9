/** One request of the technician's socket: the shape every command group's table is made of. */
import type { Readable } from 'node:stream'
import type { Static, TSchema } from '@sinclair/typebox'
import type { DeedUnderWay } from '../audit/deed.ts'
import type { DeedName } from '../audit/deeds.ts'
import type { ControlServices } from './services.ts'

export interface ControlRequest<B = unknown> {
  /** Segments of the path that were written `:name` in the table, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: B
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** What the audit trail is told of a route that has a `deed`. */
  readonly deed: DeedUnderWay
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** As in the routes of the web port; a stream is recorded before it begins. */
  readonly deed?: DeedName
  readonly body?: TSchema
  /** Largest body, where it is more than most need. */
  readonly limitBytes?: number
}

/** Answers one JSON value, or throws ApiError. */
export interface AnswerRoute extends RouteBase {
  answer(services: ControlServices, request: ControlRequest<never>): unknown
}

/** Answers newline-delimited JSON, one value an `emit`, until its promise settles. */
export interface StreamRoute extends RouteBase {
  stream(services: ControlServices, request: ControlRequest<never>, emit: (value: unknown) => void): Promise<void>
}

/** Takes a body of any length as it comes, and answers like a stream. */
export interface UploadRoute extends RouteBase {
  upload(services: ControlServices, request: ControlRequest<never>, body: Readable, emit: (value: unknown) => void): Promise<void>
}

export type ControlRoute = AnswerRoute | StreamRoute | UploadRoute

/** A route whose handler sees its body with the type its schema has. */
export function withBody<S extends TSchema>(
  route: RouteBase & { body: S } & (
      | { answer(services: ControlServices, request: ControlRequest<Static<S>>): unknown }
      | { stream(services: ControlServices, request: ControlRequest<Static<S>>, emit: (value: unknown) => void): Promise<void> }
    ),
): ControlRoute {
  return route as ControlRoute
}

/** What a list shows, recorded by how much it is. */
export function listed<T extends readonly unknown[]>(deed: DeedUnderWay, found: T): T {
  deed.about('', found.length)
  return found
}

/** A whole number of the query between 1 and `most`; `otherwise` when absent or not such a number. */
export function limitOf(query: URLSearchParams, otherwise: number, most = 1000): number {
  const n = Number(query.get('limit') ?? otherwise)
  return Number.isInteger(n) && n >= 1 ? Math.min(n, most) : otherwise
}
