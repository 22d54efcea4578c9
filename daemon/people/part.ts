/** People of the console: their accounts, invitations and sessions. */
import type { Core } from '../core.ts'
import { hashCost, type HashCost } from '../base/secret-hash.ts'
import type { PeopleDoor } from '../http/people.ts'
import type { Part } from '../part.ts'
import { accountRoutes } from './account-routes.ts'
import { SessionDoor } from './door.ts'
import { Glasses } from './glasses.ts'
import { Guessing } from './guessing.ts'
import { People } from './people.ts'
import { peopleRoutes } from './routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { consoleDefaults } from '../schema/config/console.ts'
import { webAddress } from '../http/redirect.ts'

export interface PeoplePartOptions {
  /** How many callers wait in queues. */
  readonly waiting: () => number
  /** Of what is kept of passwords. */
  readonly cost?: HashCost
  /** Called when there is a new warning that nobody should wait for. */
  readonly looked?: () => void
}

export interface PeoplePart extends Part {
  /** Null where the console is off. */
  readonly door: PeopleDoor | null
  /** Whether somebody can sign in. */
  readonly anybody: () => boolean
  /** Technicians who read as managers. */
  readonly glass: Pick<Glasses, 'list'> & Partial<Pick<Glasses, 'onChange'>>
}

/** Of each address, for each failure with an access token that `limits.authFailuresPerMinute` permits. */
const triesForFailure = 12

export function peoplePart(
  { config, store, clock }: Pick<Core, 'config' | 'store' | 'clock'>,
  { waiting, cost = hashCost, looked = () => undefined }: PeoplePartOptions,
): PeoplePart {
  if (config.console === 'off') return { name: 'people', door: null, anybody: () => false, glass: { list: () => [] } }
  const settings = { ...consoleDefaults, ...config.console }
  const sessions = new Sessions({ store, clock, times: () => settings })
  const people = new People({ store, clock, sessions })
  const site = (): string => config.site.name
  const secondStep = (): (typeof settings)['secondStep'] => settings.secondStep
  const guessing = new Guessing(clock)
  const signIn = new SignIn({ store, clock, people, sessions, guessing, site, secondStep, cost })
  const door = new SessionDoor({ clock, sessions, signIn })
  const triesPerMinute = (): number => triesForFailure * config.limits.authFailuresPerMinute
  const glass = new Glasses({ store, clock, changed: looked })
  return {
    name: 'people',
    door,
    anybody: () => people.list().some(({ state }) => state === 'active'),
    glass,
    warnings: () => glass.warnings(),
    start: () => glass.look(),
    stop: () => glass.stop(),
    routes: [
      ...peopleRoutes({ store, people, sessions, guessing, url: webAddress(config.http) }),
      ...sessionRoutes({
        ...{ store, clock, door, sessions, signIn, waiting, triesPerMinute },
        sessionHours: () => settings.sessionHours,
      }),
      ...accountRoutes({ people, door, signIn }),
    ],
    sweeps: [
      { what: 'sessions that have ended', sweep: () => sessions.sweep() },
      { what: 'invitations and browsers', sweep: async () => (await people.sweep()) + (await signIn.sweep()) },
    ],
  }
}
