/** People of the console: who there is, and their invitations and sessions. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { isoTime } from '../base/clock.ts'
import { defineRoute, type PersonAtDoor, type Principal, type Route } from '../http/route.ts'
import {
  InvitationSchema,
  NewPersonSchema,
  personExample,
  PersonChangeSchema,
  PersonSchema,
  PersonSessionSchema,
  type PersonSessionView,
  type Role,
} from '../schema/people.ts'
import type { Store } from '../store/store.ts'
import type { Guessing } from './guessing.ts'
import type { People } from './people.ts'
import type { Sessions } from './sessions.ts'

export interface PeopleRouteOptions {
  readonly store: Store
  readonly people: People
  readonly sessions: Sessions
  readonly guessing: Pick<Guessing, 'forget'>
  /** Where people reach the console, such as https://box.clinic.lan:8443. */
  readonly url: string
}

const tag = 'People'
const managers: readonly Role[] = ['manager', 'technician']
const OnePerson = Type.Object({ id: Type.String() })
const access = 'technician'

const invitation = {
  ...{ code: 'H7QK-2MZD-9XWA-4TRN', url: 'https://box.clinic.lan:8443/setup#H7QK-2MZD-9XWA-4TRN', until: '2026-12-03T15:00:00.000Z' },
}
const session: PersonSessionView = {
  ...{ sessionId: '01a21a25-bca5-7445-b967-5c51e82659b7', createdAt: '2026-11-26T15:00:00.000Z', activeAt: '2026-11-26T15:00:00.000Z' },
  ...{ endsAt: '2026-11-27T03:00:00.000Z', lockedAt: null, address: '192.168.1.20', userAgent: 'Mozilla/5.0', current: true },
}

/** Roles of the person who asks; null for a technician at the box and for a token with the scope admin. */
const rolesOf = (token: Principal | null): readonly Role[] | null => token?.person?.roles ?? null

export function peopleRoutes({ store, people, sessions, guessing, url }: PeopleRouteOptions): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/people',
      access,
      people: managers,
      operationId: 'listPeople',
      summary: 'People who may use the console',
      tag,
      deed: 'person.list',
      polled: true,
      responses: { 200: { description: 'By login.', schema: Type.Array(PersonSchema), example: [personExample] } },
      handle: () => ({ status: 200, body: people.list() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/people',
      access,
      people: managers,
      operationId: 'createPerson',
      summary: 'Add a person, who then needs an invitation',
      tag,
      deed: 'person.create',
      body: NewPersonSchema,
      responses: { 201: { description: 'The person.', schema: PersonSchema, example: personExample } },
      handle: async ({ body, token, deed }) => ({
        status: 201,
        body: await people.create(body, rolesOf(token), (personId) => deed.record(personId)),
      }),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/people/:id',
      access,
      people: managers,
      operationId: 'changePerson',
      summary: 'Change what a person may, or disable the person',
      tag,
      deed: 'person.change',
      params: OnePerson,
      body: PersonChangeSchema,
      responses: { 200: { description: 'The person.', schema: PersonSchema, example: personExample } },
      handle: async ({ params: { id }, body, token, deed }) => {
        const person = await people.change(id, body, rolesOf(token), () => deed.record(id))
        if (body.password === null) guessing.forget(person.login)
        return { status: 200, body: person }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/people/:id',
      access,
      people: managers,
      operationId: 'removePerson',
      summary: 'Remove a person and end all sessions of the person',
      tag,
      deed: 'person.remove',
      params: OnePerson,
      responses: { 204: { description: 'Done.' } },
      handle: async ({ params: { id }, token, deed }) => {
        await people.remove(id, rolesOf(token), () => deed.record(id))
        return { status: 204 }
      },
    }),
    ...invitationRoutes({ people, url }),
    ...sessionListRoutes({ store, people, sessions }),
  ]
}

function invitationRoutes({ people, url }: Pick<PeopleRouteOptions, 'people' | 'url'>): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/people/:id/invite',
      access,
      people: managers,
      operationId: 'invitePerson',
      summary: 'Make an invitation by which the person sets a password; the one before it is void',
      description:
        'Made by a person or a token it is a slip of seven days. Made at the box (`pbx console invite`) it holds for 30 minutes, and five wrong codes end it.',
      tag,
      deed: 'person.invite',
      params: OnePerson,
      responses: { 200: { description: 'The invitation.', schema: InvitationSchema, example: invitation } },
      handle: async ({ params: { id }, token, technician, deed }) => {
        const { code, until } = await people.invite(id, !technician, rolesOf(token), () => deed.record(id))
        return { status: 200, body: { code, url: `${url}/setup#${code}`, until: isoTime(until) } }
      },
    }),
  ]
}

function sessionListRoutes({ store, people, sessions }: Pick<PeopleRouteOptions, 'store' | 'people' | 'sessions'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/people/:id/sessions',
      access,
      people: ['desk', ...managers],
      operationId: 'listSessions',
      summary: 'Sessions of a person',
      tag,
      deed: 'person.sessions',
      polled: true,
      params: OnePerson,
      responses: { 200: { description: 'Newest first.', schema: Type.Array(PersonSessionSchema), example: [session] } },
      handle: ({ params: { id }, token }) => {
        people.get(id)
        mustBeOwnOrManaged(token?.person, id)
        const rows = [...sessions.of(id)].map(({ row }) => row).toSorted((a, b) => (a.sessionId < b.sessionId ? 1 : -1))
        return {
          status: 200,
          body: rows.map(({ sessionId, createdAt, activeAt, endsAt, lockedAt, address, userAgent }): PersonSessionView => ({
            ...{ sessionId, createdAt: isoTime(createdAt), activeAt: isoTime(activeAt), endsAt: isoTime(endsAt) },
            ...{ lockedAt: isoTime(lockedAt), address, userAgent, current: token?.person?.sessionId === sessionId },
          })),
        }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/people/:id/sessions/:sid',
      access,
      people: ['desk', ...managers],
      operationId: 'endSessionOf',
      summary: 'End a session of a person',
      tag,
      deed: 'session.end',
      params: Type.Object({ id: Type.String(), sid: Type.String() }),
      responses: { 204: { description: 'Done.' } },
      handle: async ({ params: { id, sid }, token, deed }) => {
        people.get(id)
        mustBeOwnOrManaged(token?.person, id)
        const found = [...sessions.of(id)].find(({ row }) => row.sessionId === sid)
        if (found === undefined) throw new ApiError('session_unknown', 'This person has no such session.')
        await store.transaction(() => {
          sessions.end(found.key)
          deed.record(`${id} ${sid}`)
        })
        return { status: 204 }
      },
    }),
  ]
}

function mustBeOwnOrManaged(person: PersonAtDoor | undefined, personId: string): void {
  if (person === undefined || person.personId === personId || person.roles.some((role) => managers.includes(role))) return
  throw new ApiError('role_denied', 'Only the own sessions are open to the desk.')
}
