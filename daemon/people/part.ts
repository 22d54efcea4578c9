/** People of the console: their accounts, invitations and sessions. */
import type { Core } from '../core.ts'
import { hashCost, type HashCost } from '../base/secret-hash.ts'
import type { PeopleDoor } from '../http/people.ts'
import type { Part } from '../part.ts'
import { accountRoutes } from './account-routes.ts'
import { SessionDoor } from './door.ts'
import { Guessing } from './guessing.ts'
import { People } from './people.ts'
import { peopleRoutes } from './routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { urlOf } from './url.ts'
import { consoleDefaults } from '../schema/config/console.ts'

export interface PeoplePartOptions {
  /** How many callers wait in queues. */
  readonly waiting: () => number
  /** Of what is kept of passwords. */
  readonly cost?: HashCost
}

export interface PeoplePart extends Part {
  /** Null where the console is off. */
  readonly door: PeopleDoor | null
  /** Whether somebody can sign in. */
  readonly anybody: () => boolean
}

export function peoplePart(
  { config, store, clock }: Pick<Core, 'config' | 'store' | 'clock'>,
  { waiting, cost = hashCost }: PeoplePartOptions,
): PeoplePart {
  if (config.console === 'off') return { name: 'people', door: null, anybody: () => false }
  const settings = { ...consoleDefaults, ...config.console }
  const sessions = new Sessions({ store, clock, times: () => settings })
  const people = new People({ store, clock, sessions })
  const site = (): string => config.site.name
  const secondStep = (): (typeof settings)['secondStep'] => settings.secondStep
  const signIn = new SignIn({ store, clock, people, sessions, guessing: new Guessing(clock), site, secondStep, cost })
  const door = new SessionDoor({ clock, sessions, signIn })
  return {
    name: 'people',
    door,
    anybody: () => people.list().some(({ state }) => state === 'active'),
    routes: [
      ...peopleRoutes({ store, people, sessions, url: urlOf(config) }),
      ...sessionRoutes({ store, clock, door, sessions, signIn, waiting, sessionHours: () => settings.sessionHours }),
      ...accountRoutes({ people, door, signIn }),
    ],
    sweeps: [
      { what: 'sessions that have ended', sweep: () => sessions.sweep() },
      { what: 'invitations and browsers', sweep: async () => (await people.sweep()) + (await signIn.sweep()) },
    ],
  }
}
