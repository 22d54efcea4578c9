/**
 * What a restricted token reaches. What it does not reach is to it as if it were not there, in lists too; it starts nothing with, and
 * sends nothing to, the application of an endpoint that is not its own.
 */
import { ApiError } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import type { CallRow } from '../store/tables.ts'
import { hearsMailbox } from './mask.ts'
import type { Principal } from './route.ts'

export function reachesCall(token: Principal | null, row: CallRow): boolean {
  return token?.reach == null || token.reach.endpoints.includes(row.endpointId)
}

/** Throws ApiError: role_denied of a person, mailbox_unknown of a token. */
export function mustHear(token: Principal | null, ext: string): void {
  if (hearsMailbox(token, ext)) return
  if (token?.person !== undefined) throw new ApiError('role_denied', 'This mailbox is not one of yours.')
  throw new ApiError('mailbox_unknown', `There is no mailbox ${ext}.`)
}

/** Throws ApiError `call_unknown`. */
export function reachedCall(live: { row(callId: string): CallRow }, token: Principal | null, callId: string): CallRow {
  const row = live.row(callId)
  if (!reachesCall(token, row)) throw new ApiError('call_unknown', 'There is no call with that id')
  return row
}

/** For what belongs to no endpoint and no mailbox. Throws ApiError `scope_denied`. */
export function mustBeUnrestricted(token: Principal | null, what: string): void {
  if (token?.reach == null) return
  throw new ApiError('scope_denied', `The token "${token.name}" is restricted to endpoints and mailboxes; ${what} belong to none of them.`)
}

/** A call to be placed. Throws ApiError `scope_denied`. */
export function mustOwnCall(token: Principal | null, config: Config, row: CallRow): void {
  if (token?.reach == null) return
  const { endpoints } = token.reach
  const own = endpoints.includes(row.endpointId) && row.source?.kind !== 'document'
  if (!own) {
    const which = endpoints.length === 0 ? 'no endpoint' : `"endpoint": ${endpoints.map((id) => `"${id}"`).join(' or ')}`
    throw new ApiError('scope_denied', `The token "${token.name}" is restricted and may place calls with ${which} only.`)
  }
  mustNotNameForeign(token, config, [row.source, row.statusCallbackUrl])
}

/** Any URL in `value`, however deep. Throws ApiError `scope_denied`. */
export function mustNotNameForeign(token: Principal | null, config: Config, value: unknown): void {
  if (token?.reach == null) return
  const { endpoints } = token.reach
  for (const url of urlsIn(value)) {
    if (!isForeign(config, endpoints, url)) continue
    throw new ApiError('scope_denied', `The token "${token.name}" is restricted: ${url.origin} serves an endpoint that is not its own.`)
  }
}

/** Where several endpoints share a host, only the control URL of an own one is certain to be its own. */
function isForeign(config: Config, own: readonly string[], url: URL): boolean {
  const there = config.voice.endpoints.filter(({ controlUrl, fallbackUrl, statusCallbackUrl }) =>
    [controlUrl, fallbackUrl, statusCallbackUrl].some((one) => one !== undefined && placeOf(new URL(one)) === placeOf(url)),
  )
  if (there.every(({ id }) => own.includes(id))) return false
  return !there.some(({ id, controlUrl }) => own.includes(id) && new URL(controlUrl).pathname === url.pathname)
}

function placeOf({ protocol, hostname, port }: URL): string {
  const secure = protocol === 'https:' || protocol === 'wss:'
  return `${hostname}:${port === '' ? (secure ? 443 : 80) : port}`
}

function* urlsIn(value: unknown): Iterable<URL> {
  if (typeof value === 'string') {
    const url = /^\s*(https?|wss?):/i.test(value) ? URL.parse(value) : null
    if (url !== null) yield url
  } else if (typeof value === 'object' && value !== null) {
    for (const one of Object.values(value)) yield* urlsIn(one)
  }
}
