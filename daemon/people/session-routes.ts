/** The session of a page: sign-in and its end, lock, unlocking, break glass. */
import { hash } from 'node:crypto'
import { isoTime, type Clock } from '../base/clock.ts'
import { reasonForTrail } from '../base/for-log.ts'
import { cookie, cookieOf, type CookieName } from '../http/people.ts'
import { defineRoute, type Reply, type Route, type RouteContext } from '../http/route.ts'
import {
  GlassSchema,
  roles,
  sessionExample,
  SessionSchema,
  SessionSetupSchema,
  SignInSchema,
  UnlockSchema,
  type SessionView,
} from '../schema/people.ts'
import type { Store } from '../store/store.ts'
import type { SessionDoor } from './door.ts'
import { personView } from './people.ts'
import type { OpenSession, Sessions } from './sessions.ts'
import type { Browser, SignedIn, SignIn } from './sign-in.ts'

export interface SessionRouteOptions {
  readonly store: Store
  readonly clock: Clock
  readonly door: SessionDoor
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly sessionHours: () => number
  /** How many callers wait in queues. */
  readonly waiting: () => number
  /** Tries a minute of an address, whatever the login. */
  readonly triesPerMinute: () => number
}

const tag = 'Session'
const yearSeconds = 365 * 86_400
const ofPerson = { access: 'person', people: roles, tag } as const
const own = { ...ofPerson, evenLocked: true, beforeSecondStep: true } as const
const ok = { 200: { description: 'The session.', schema: SessionSchema, example: sessionExample } }

type Asked = Pick<RouteContext, 'headers' | 'client' | 'address'>

export function sessionRoutes(options: SessionRouteOptions): Route[] {
  return [...comingRoutes(options), ...presenceRoutes(options), ...glassRoutes(options)]
}

function comingRoutes({ store, door, sessions, signIn, sessionHours, triesPerMinute, ...rest }: SessionRouteOptions): Route[] {
  const rate = { perMinute: triesPerMinute }
  const view = viewer({ sessions, signIn, ...rest })
  const begun = (asked: Asked, { cookie: value, browser, session, person }: SignedIn): Reply => ({
    status: 200,
    body: view({ key: hash('sha256', value), row: session, person }),
    cookies: [cookie(asked, 'pbx', value, sessionHours() * 3600), cookie(asked, 'pbx-browser', browser, yearSeconds)],
  })
  return [
    defineRoute({
      method: 'POST',
      path: '/api/session',
      access: 'page',
      operationId: 'signIn',
      summary: 'Sign in',
      description: 'The answer to an unknown login, a wrong password and a wrong code is the same.',
      tag,
      deed: 'session.failed',
      rate,
      body: SignInSchema,
      responses: { ...ok, 401: { description: '`sign_in_failed`, or `code_needed` where a second step is asked for.' } },
      handle: async (context) => {
        const { body, deed } = context
        mustBeEncrypted(context)
        const { login, password, code } = body
        const signedIn = await signIn.signIn(login, password, code, browserOf(context), () => {
          deed.becomes('session.begin')
          deed.record(`login:${login.toLowerCase()}`)
        })
        return begun(context, signedIn)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/session/setup',
      access: 'page',
      operationId: 'acceptInvitation',
      summary: 'Set a password by an invitation, and sign in',
      tag,
      deed: 'session.failed',
      rate,
      body: SessionSetupSchema,
      responses: { ...ok, 403: { description: '`invitation_void`: used, replaced, expired, or never made.' } },
      handle: async (context) => {
        mustBeEncrypted(context)
        const { code, password } = context.body
        const signedIn = await signIn.setUp(code, password, browserOf(context), (personId) => {
          context.deed.becomes('session.begin')
          context.deed.record(personId)
        })
        return begun(context, signedIn)
      },
    }),
    defineRoute({
      ...own,
      method: 'DELETE',
      path: '/api/session',
      operationId: 'signOut',
      summary: 'Sign out',
      deed: 'session.end',
      responses: { 204: { description: 'Done.' } },
      handle: async (context) => {
        const { key, row } = door.session(context)
        await store.transaction(() => {
          sessions.end(key)
          context.deed.record(row.sessionId)
        })
        return { status: 204, headers: { 'Clear-Site-Data': '"cache", "storage"' }, cookies: [cookie(context, 'pbx', '', 0)] }
      },
    }),
  ]
}

function presenceRoutes({ door, sessions, signIn, ...rest }: SessionRouteOptions): Route[] {
  const view = viewer({ sessions, signIn, ...rest })
  return [
    defineRoute({
      ...own,
      method: 'GET',
      path: '/api/session',
      operationId: 'getSession',
      summary: 'Whose session this is, and until when',
      responses: ok,
      handle: (context) => ({ status: 200, body: view(door.session(context)) }),
    }),
    defineRoute({
      ...own,
      method: 'POST',
      path: '/api/session/alive',
      operationId: 'keepSession',
      summary: 'Somebody is there: a key or a pointer was used in the last minute',
      responses: { ...ok, 423: { description: '`locked`: the password or the PIN opens it.' } },
      handle: async (context) => {
        const one = door.session(context)
        await sessions.alive(one)
        return { status: 200, body: view(sessions.again(one)) }
      },
    }),
    defineRoute({
      ...own,
      method: 'POST',
      path: '/api/session/lock',
      operationId: 'lockSession',
      summary: 'Lock the session',
      deed: 'session.lock',
      responses: ok,
      handle: async (context) => {
        const one = door.session(context)
        await sessions.lock(one, () => context.deed.record(one.row.sessionId))
        return { status: 200, body: view(sessions.again(one)) }
      },
    }),
    defineRoute({
      ...own,
      method: 'POST',
      path: '/api/session/unlock',
      operationId: 'unlockSession',
      summary: 'Open a locked session by password or PIN; the fifth wrong one ends it',
      deed: 'session.unlock',
      body: UnlockSchema,
      responses: ok,
      handle: async (context) => {
        const one = door.session(context)
        await signIn.unlock(one, context.body, () => context.deed.record(one.row.sessionId))
        return { status: 200, body: view(sessions.again(one)) }
      },
    }),
  ]
}

function glassRoutes({ door, sessions, signIn, ...rest }: SessionRouteOptions): Route[] {
  const view = viewer({ sessions, signIn, ...rest })
  return [
    defineRoute({
      ...ofPerson,
      people: ['technician'],
      method: 'POST',
      path: '/api/session/glass',
      operationId: 'breakGlass',
      summary: 'As a technician, read as a manager for a while; managers see it at once',
      deed: 'session.glass',
      body: GlassSchema,
      responses: ok,
      handle: async (context) => {
        const one = door.session(context)
        const { minutes, reason } = context.body
        const until = rest.clock.now() + minutes * 60_000
        await sessions.breakGlass(one, { until, reason }, () =>
          context.deed.record(`${one.row.sessionId} ${minutes} min: ${reasonForTrail(reason)}`),
        )
        return { status: 200, body: view(sessions.again(one)) }
      },
    }),
    defineRoute({
      ...ofPerson,
      people: ['technician'],
      method: 'DELETE',
      path: '/api/session/glass',
      operationId: 'closeGlass',
      summary: 'End the reading as a manager before its time',
      deed: 'session.glass',
      responses: ok,
      handle: async (context) => {
        const one = door.session(context)
        await sessions.breakGlass(one, null, () => context.deed.record(`${one.row.sessionId} ended`))
        return { status: 200, body: view(sessions.again(one)) }
      },
    }),
  ]
}

function viewer({ sessions, signIn, clock, waiting }: Pick<SessionRouteOptions, 'sessions' | 'signIn' | 'clock' | 'waiting'>) {
  return (session: OpenSession): SessionView => {
    const { row, person } = session
    const glass = row.glass !== null && row.glass.until > clock.now() ? row.glass : null
    return {
      person: personView(row.personId, person),
      locked: sessions.isLocked(session),
      asOf: isoTime(clock.now()),
      locksAt: isoTime(sessions.locksAt(row)),
      endsAt: isoTime(row.endsAt),
      pin: row.pin !== null,
      waiting: waiting(),
      needs: signIn.needsTotp(person) ? ['totp'] : [],
      glass: glass === null ? null : { until: isoTime(glass.until), reason: glass.reason },
    }
  }
}

function browserOf({ headers, client, address }: Asked): Browser {
  return {
    address,
    session: cookieOf({ headers, client }, 'pbx') ?? null,
    userAgent: headers.get('user-agent') ?? '',
    browser: cookieOf({ headers, client }, 'pbx-browser' satisfies CookieName) ?? null,
  }
}

/** Before a password is looked at. Throws ApiError `https_needed`. */
function mustBeEncrypted(asked: Asked): void {
  cookie(asked, 'pbx', '', 0)
}
