/** A test of calls for help, for the technician. */
import { Type } from '@sinclair/typebox'
import { EmergencyTestRequestSchema, EmergencyTestSchema, type EmergencyTestView } from '../../schema/extensions.ts'
import { roles } from '../../schema/people.ts'
import { HelpCallSchema, helpCallExample } from '../../schema/work.ts'
import { mustBeUnrestricted } from '../../http/reach.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { OpenHelpCalls } from './open-calls.ts'

export interface EmergencyServices {
  /** Through this trunk, or the first one of calls for help. Throws ApiError `no_line`. */
  test(trunkId: string | undefined): Promise<EmergencyTestView>
  readonly open: Pick<OpenHelpCalls, 'list' | 'close'>
}

const tag = 'Emergency calls'

export function emergencyRoutes(services: EmergencyServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/emergency/test',
      access: 'technician',
      operationId: 'testEmergency',
      deed: 'emergency.test',
      summary: "Call the provider's test number and record what it reads back; takes up to two minutes",
      tag,
      body: EmergencyTestRequestSchema,
      responses: { 200: { description: 'What became of it.', schema: EmergencyTestSchema } },
      handle: async ({ body }) => ({ status: 200, body: await services.test(body.trunkId) }),
    }),
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
