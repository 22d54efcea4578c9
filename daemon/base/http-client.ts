/**
 * The part of undici that the daemon uses. Its index loads fetch, WebSockets, caches and mocks as well, which cost a box at rest 12 MB and
 * serve nobody here.
 */
import type * as undici from 'undici'
// @ts-expect-error no types of its own
import requestOf from 'undici/lib/api/api-request.js'
// @ts-expect-error no types of its own
import connectorOf from 'undici/lib/core/connect.js'
// @ts-expect-error no types of its own
import agentOf from 'undici/lib/dispatcher/agent.js'
// @ts-expect-error no types of its own
import dispatcherOf from 'undici/lib/dispatcher/dispatcher.js'

export type Agent = undici.Agent
export const Agent = agentOf as typeof undici.Agent
export const buildConnector = connectorOf as typeof undici.buildConnector

// As the index does it: the methods of a dispatcher are not in its class.
;(dispatcherOf as typeof undici.Dispatcher).prototype.request = requestOf as undici.Dispatcher['request']

type Options = Omit<undici.Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & {
  readonly dispatcher: undici.Dispatcher
  readonly method?: undici.Dispatcher.HttpMethod
}

/** As undici's `request`, through a dispatcher of the caller's own. */
export function request(
  target: string | URL,
  { dispatcher, method = 'GET', ...options }: Options,
): Promise<undici.Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(target)
  return dispatcher.request({ ...options, method, origin, path: `${pathname}${search}` })
}
