/** Calls for help that somebody has to look after: everybody sees them until a person closes them. */
import { Type } from '@sinclair/typebox'
import { mustBeUnrestricted } from '../../http/reach.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { roles } from '../../schema/people.ts'
import { HelpCallSchema, helpCallExample } from '../../schema/work.ts'
import type { OpenHelpCalls } from './open-calls.ts'

const tag = 'Emergency calls'

export function helpCallRoutes(services: { readonly open: Pick<OpenHelpCalls, 'list' | 'close'> }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/emergency/calls',
      access: 'crm',
      people: roles,
      operationId: 'listEmergencyCalls',
      summary: 'Calls for help that nobody has closed yet, with the place of the phone',
      tag,
      responses: { 200: { description: 'The latest first.', schema: Type.Array(HelpCallSchema), example: [helpCallExample] } },
      handle: ({ token }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        return { status: 200, body: services.open.list() }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/emergency/calls/:callId/close',
      access: 'crm',
      people: roles,
      operationId: 'closeEmergencyCall',
      deed: 'emergency.close',
      summary: 'Say that somebody has looked after a call for help: every page stops showing it',
      description: 'The call itself goes on as it is.',
      tag,
      params: Type.Object({ callId: Type.String() }),
      responses: { 200: { description: 'The call.', schema: HelpCallSchema, example: helpCallExample } },
      handle: async ({ params: { callId }, token, deed }) => {
        mustBeUnrestricted(token, 'calls of the whole house')
        const name = token?.person?.name ?? token?.name ?? 'the technician'
        return { status: 200, body: await services.open.close(callId, name, () => deed.record(callId)) }
      },
    }),
  ]
}
