/** The live stream over HTTP. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { hearsMailbox, seesMasked } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, type Principal, type Route } from '../http/route.ts'
import { LiveEventSchema, liveTopics, topicScopes, type LiveTopic } from '../schema/live.ts'
import { named } from '../schema/named.ts'
import { roles } from '../schema/people.ts'
import type { Live } from './live.ts'

const scopes = (['crm', 'inbox', 'send', 'admin'] as const)
  .map((scope) => `\`${scope}\` ${liveTopics.filter((topic) => topicScopes[topic] === scope).join(', ')}`)
  .join('; ')

/** `hasToken`: whether a token of that name is still good. */
export function liveRoutes(live: Live, hasToken: (name: string) => boolean): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/live',
      access: 'optional',
      people: roles,
      operationId: 'streamLive',
      deed: 'live.read',
      polled: true,
      summary: 'What changes in the house, as it changes',
      description:
        'text/event-stream. The name of each event is its topic, its data a LiveEvent: the whole new state of one thing. Lists answer with X-Live-Id; ' +
        'a stream that is opened with it as Last-Event-ID (or `lastId`, where a client cannot set that header) goes on there. Five minutes and 5,000 events are kept; ' +
        'beyond that, and after a restart of the box, `gap` says that events are missing: load the lists again. Faxes and queues come once a second each. ' +
        'A line every 5 s keeps the connection. The stream of a person ends (`ended`) when the session is locked or ends, or the roles change. ' +
        `A technician gets states and masked numbers. A token reads the topics of its scopes: ${scopes}.`,
      tag: 'Live',
      query: Type.Object({
        topics: Type.Optional(
          Type.String({ maxLength: 200, description: `Separated by commas: ${liveTopics.join(', ')}. By default all that may be read.` }),
        ),
        lastId: Type.Optional(Type.String({ maxLength: 64, description: 'X-Live-Id of the list after which the stream goes on.' })),
      }),
      responses: {
        200: {
          description: 'Events, until either side closes.',
          contentType: 'text/event-stream',
          schema: Type.String({ contentMediaType: 'application/json', contentSchema: named('LiveEvent', LiveEventSchema) }),
          example: 'id: 3f9a0c21b7de-42\nevent: reminders\ndata: {"gone":true,"topic":"reminders","id":"r-1"}\n\n',
        },
      },
      handle: ({ query, headers, token, technician, signal, deed }) => {
        if (!technician && token === null) throw new ApiError('missing_token', 'Sign in, or send an access token.')
        mustBeUnrestricted(token, 'events of the whole house')
        const topics = topicsOf(query.topics, token, technician)
        const release = live.admit(token?.person?.sessionId ?? token?.name ?? '')
        deed.about([...topics].join(' '))
        const person = token?.person
        const rolesThen = person?.roles.join()
        const mayRead = (): boolean => {
          if (person === undefined) return token === null || hasToken(token.name)
          const now = person.now()
          return now !== undefined && !now.locked && now.roles.join() === rolesThen
        }
        const audience = seesMasked(token) ? 'masked' : 'whole'
        return {
          status: 200,
          events: (push) =>
            live.read({
              ...{ topics, audience, signal, push, mayRead },
              lastId: query.lastId ?? headers.get('last-event-id'),
              sees: ({ mailbox, sessionId }) =>
                (mailbox === undefined || technician || hearsMailbox(token, mailbox)) &&
                (sessionId === undefined || sessionId === person?.sessionId),
            }),
          release,
        }
      },
    }),
  ]
}

/** Throws ApiError `validation_failed`, `scope_denied`. */
function topicsOf(given: string | undefined, token: Principal | null, technician: boolean): ReadonlySet<LiveTopic> {
  const may = (topic: LiveTopic): boolean => {
    const scope = topicScopes[topic]
    return technician || token?.person !== undefined || (scope !== null && token?.scopes.includes(scope) === true)
  }
  if (given === undefined) return new Set(liveTopics.filter(may))
  const wanted = given.split(',').map((name) => name.trim())
  const unknown = wanted.find((name) => !(liveTopics as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new ApiError('validation_failed', `There is no topic "${unknown.slice(0, 40)}": it is one of ${liveTopics.join(', ')}.`, {
      details: [{ path: '/topics', message: `must be of ${liveTopics.join(', ')}` }],
    })
  const topics = wanted as LiveTopic[]
  const denied = topics.find((topic) => !may(topic))
  if (denied !== undefined) throw new ApiError('scope_denied', `The token "${token?.name ?? ''}" does not permit the topic "${denied}".`)
  return new Set(topics)
}
