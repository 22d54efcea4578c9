/** A test of calls for help, for the technician. */
import { EmergencyTestRequestSchema, EmergencyTestSchema, type EmergencyTestView } from '../../schema/extensions.ts'
import { defineRoute, type Route } from '../../http/route.ts'

export interface EmergencyServices {
  /** Through this trunk, or the first one of calls for help. Throws ApiError `no_line`. */
  test(trunkId: string | undefined): Promise<EmergencyTestView>
}

const tag = 'Emergency calls'

export function emergencyRoutes(services: EmergencyServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/emergency/test',
      access: 'technician',
      people: ['manager', 'technician'],
      operationId: 'testEmergency',
      deed: 'emergency.test',
      summary: "Call the provider's test number and record what it reads back; takes up to two minutes",
      tag,
      body: EmergencyTestRequestSchema,
      responses: { 200: { description: 'What became of it.', schema: EmergencyTestSchema } },
      handle: async ({ body }) => ({ status: 200, body: await services.test(body.trunkId) }),
    }),
  ]
}
