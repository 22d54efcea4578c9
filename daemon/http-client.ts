/**
 * The part of undici that the daemon uses. Its index loads fetch, WebSockets, caches and mocks as well, which cost a box at rest 12 MB and
 * serve nobody here.
 */
import { createRequire } from 'node:module'
import type * as undici from 'undici'

const load = createRequire(import.meta.url)

export type Agent = undici.Agent
export const Agent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent
export const buildConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector

// As the index does it: the methods of a dispatcher are not in its class.
const { prototype } = load('undici/lib/dispatcher/dispatcher.js') as typeof undici.Dispatcher
prototype.request = load('undici/lib/api/api-request.js') as undici.Dispatcher['request']

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
