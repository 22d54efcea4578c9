/** Whose session a cookie opens: looked up once for a request, at the door, and handed to the routes of the session itself. */
import { ApiError } from '../base/errors.ts'
import type { Clock } from '../base/clock.ts'
import type { PeopleDoor } from '../http/people.ts'
import type { PersonAtDoor, RouteContext } from '../http/route.ts'
import type { OpenSession, Sessions } from './sessions.ts'
import { rolesNow, type SignIn } from './sign-in.ts'

export interface SessionDoorOptions {
  readonly clock: Clock
  readonly sessions: Sessions
  readonly signIn: SignIn
}

export class SessionDoor implements PeopleDoor {
  readonly #options: SessionDoorOptions
  readonly #open = new WeakMap<PersonAtDoor, OpenSession>()

  constructor(options: SessionDoorOptions) {
    this.#options = options
  }

  readonly person = (cookie: string): PersonAtDoor | undefined => {
    const { clock, sessions, signIn } = this.#options
    const session = sessions.find(cookie)
    if (session === undefined) return undefined
    const { row } = session
    const { login, name, extension, mailboxes, queues } = session.person
    const person: PersonAtDoor = {
      ...{ personId: row.personId, sessionId: row.sessionId, login, name, extension, mailboxes, queues },
      roles: rolesNow(session.person, row, clock.now()),
      locked: sessions.isLocked(session),
      needsSecondStep: signIn.needsTotp(session.person),
      now: () => this.person(cookie),
    }
    this.#open.set(person, session)
    return person
  }

  /** The session by which a request came, as it was found at the door. */
  session({ token }: Pick<RouteContext, 'token'>): OpenSession {
    const session = token?.person === undefined ? undefined : this.#open.get(token.person)
    if (session === undefined) throw new ApiError('session_ended', 'Sign in first.')
    return session
  }
}
