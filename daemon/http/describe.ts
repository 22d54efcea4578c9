/** The routes without anything behind them: to describe them, never to serve them. */
import type { Route } from './route.ts'
import { routes, type RouteServices } from './routes/index.ts'

/** Answers every access with itself, so that a route may take what it needs apart while it is defined. */
const nothing: unknown = new Proxy(() => undefined, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : key === Symbol.iterator ? () => [][Symbol.iterator]() : nothing),
  apply: () => nothing,
})

export function describedRoutes(): Route[] {
  return routes(nothing as RouteServices)
}
