/** What a person changes of the own account: language and keys, password, PIN and second step. */
import { defineRoute, type Route } from '../http/route.ts'
import {
  NewPasswordSchema,
  NewPinSchema,
  OwnChangeSchema,
  personExample,
  PersonSchema,
  roles,
  TotpAnswerSchema,
  TotpSchema,
} from '../schema/people.ts'
import type { SessionDoor } from './door.ts'
import { personView, type People } from './people.ts'
import type { SignIn } from './sign-in.ts'

export interface AccountRouteOptions {
  readonly people: People
  readonly door: SessionDoor
  readonly signIn: SignIn
}

const own = { access: 'person', people: roles, tag: 'Session' } as const

export function accountRoutes({ people, door, signIn }: AccountRouteOptions): Route[] {
  return [
    defineRoute({
      ...own,
      method: 'PATCH',
      path: '/api/people/me',
      operationId: 'changeMe',
      summary: 'Change the own language, keys and notices',
      deed: 'person.change',
      body: OwnChangeSchema,
      responses: { 200: { description: 'The person.', schema: PersonSchema, example: personExample } },
      handle: async (context) => {
        const { personId } = door.session(context).row
        const { language, keysOff, alerts } = context.body
        const change = {
          ...(language === undefined ? {} : { language }),
          ...(keysOff === undefined ? {} : { keysOff: [...keysOff] }),
          ...(alerts === undefined ? {} : { alerts: [...alerts] }),
        }
        await people.update(
          personId,
          (row) => ({ ...row, ...change }),
          () => context.deed.record(personId),
        )
        return { status: 200, body: personView(personId, people.get(personId)) }
      },
    }),
    defineRoute({
      ...own,
      method: 'PUT',
      path: '/api/people/me/password',
      operationId: 'changePassword',
      summary: 'Change the own password; all other sessions end',
      deed: 'person.password',
      body: NewPasswordSchema,
      responses: { 204: { description: 'Done.' } },
      handle: async (context) => {
        const one = door.session(context)
        const { password, newPassword } = context.body
        await signIn.changePassword(one, password, newPassword, () => context.deed.record(one.row.personId))
        return { status: 204 }
      },
    }),
    defineRoute({
      ...own,
      method: 'PUT',
      path: '/api/people/me/pin',
      operationId: 'setPin',
      summary: 'Set a PIN that unlocks this session in this browser',
      deed: 'person.pin',
      body: NewPinSchema,
      responses: { 204: { description: 'Done.' } },
      handle: async (context) => {
        await signIn.setPin(door.session(context), context.body.password, context.body.pin)
        return { status: 204 }
      },
    }),
    defineRoute({
      ...own,
      beforeSecondStep: true,
      method: 'PUT',
      path: '/api/people/me/totp',
      operationId: 'setTotp',
      summary: 'Set up the second step: first the secret for the app, then its code',
      deed: 'person.totp',
      body: TotpSchema,
      responses: {
        200: { description: 'The secret, or the recovery codes.', schema: TotpAnswerSchema, example: { recoveryCodes: ['K7QM-2ZXA'] } },
      },
      handle: async (context) => {
        const one = door.session(context)
        const { code, password } = context.body
        if (code === undefined) return { status: 200, body: await signIn.beginTotp(one, password ?? '') }
        const recoveryCodes = await signIn.finishTotp(one, code, () => context.deed.record(one.row.personId))
        return { status: 200, body: { recoveryCodes } }
      },
    }),
  ]
}
