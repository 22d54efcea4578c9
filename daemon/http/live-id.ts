/** Lists that people read say up to where the live stream was when they were read: a page goes on from there, and misses nothing. */
import type { Reply, Route } from './route.ts'

/** The same route; of one that people read as JSON, with the header X-Live-Id. `liveId`: asked before the handler reads anything. */
export function withLiveId(route: Route, liveId: () => string): Route {
  const isList = route.method === 'GET' && route.people !== undefined && route.responses[200]?.schema !== undefined
  if (!isList || route.responses[200]?.contentType !== undefined) return route
  const marked = (reply: Reply, id: string): Reply =>
    reply.status === 200 && reply.body !== undefined ? { ...reply, headers: { ...reply.headers, 'X-Live-Id': id } } : reply
  return {
    ...route,
    handle(context) {
      const id = liveId()
      const reply = route.handle(context)
      return reply instanceof Promise ? reply.then((made) => marked(made, id)) : marked(reply, id)
    },
  }
}
