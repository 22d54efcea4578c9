/** What was the matter with the box, and what is: for the technician, and for programs that watch it. */
import { Type } from '@sinclair/typebox'
import { type BoxEvents, boxEventView } from './box-events.ts'
import { boxEventExample, BoxEventPageSchema, BoxEventSchema } from '../schema/box-events.ts'
import { boxEventKinds } from '../schema/states.ts'
import { Choice } from '../schema/choice.ts'
import { IdSchema } from '../schema/voice-call.ts'
import { defineRoute, type Route, Limit } from '../http/route.ts'
import { roles } from '../schema/people.ts'

const access = 'admin'
const tag = 'Operation'

/** For a follower that does not read: what is beyond is not sent to it. */
const mostWaiting = 1000

export function boxEventRoutes(events: Pick<BoxEvents, 'list' | 'watch'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/box/events',
      access,
      people: roles,
      operationId: 'listBoxEvents',
      summary: 'What changed at the box itself: lines, parts, warnings, disk, clock, updates, logins',
      tag,
      query: Type.Object({
        limit: Limit(50, 500),
        cursor: Type.Optional({ ...IdSchema, description: '`nextCursor` of the page before.' }),
        kind: Type.Optional(Choice(boxEventKinds)),
        code: Type.Optional(Type.String({ maxLength: 200, description: 'Such as line-main.' })),
        lasting: Type.Optional(Type.Boolean({ description: 'true: those alone that last.' })),
      }),
      responses: { 200: { description: 'A page.', schema: BoxEventPageSchema, example: { items: [boxEventExample], nextCursor: null } } },
      handle({ query }) {
        const { rows, next } = events.list(query)
        return { status: 200, body: { items: rows.map(boxEventView), nextCursor: next } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/box/events/follow',
      access,
      operationId: 'followBoxEvents',
      summary: 'The same as they happen',
      description: 'An event is sent when it begins, when it ends, and when an alarm for it was sent or acknowledged.',
      tag,
      responses: {
        200: { description: 'A line for each.', contentType: 'application/x-ndjson', schema: BoxEventSchema, example: boxEventExample },
      },
      handle: ({ signal }) => ({
        status: 200,
        async stream(emit) {
          let waiting = 0
          const done = Promise.withResolvers<void>()
          const stop = events.watch((event) => {
            if (waiting >= mostWaiting) return
            waiting += 1
            emit(boxEventView(event)).then(
              () => (waiting -= 1),
              () => done.resolve(),
            )
          })
          signal.addEventListener('abort', () => done.resolve(), { once: true })
          if (signal.aborted) done.resolve()
          await done.promise
          stop()
        },
      }),
    }),
  ]
}
