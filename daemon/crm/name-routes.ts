/** Names that people of the house give numbers. */
import type { TypedNames } from './typed.ts'
import { TypedNameAnswerSchema, TypedNameSchema } from '../schema/crm.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { PhoneNumberParams } from './routes.ts'

export function typedNameRoutes(names: TypedNames): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/crm/names/:phoneNumber',
      access: 'technician',
      operationId: 'nameNumber',
      deed: 'party.name',
      summary: 'Give a number a name',
      description:
        'Kept in the directory until an import or the CRM brings a party with that number. The name of a customer of the CRM is proposed to it (POST customers/:id/sync), now or when it is back; what it answers is so.',
      tag: 'CRM',
      params: PhoneNumberParams,
      body: TypedNameSchema,
      responses: {
        200: {
          description: 'What became of it.',
          schema: TypedNameAnswerSchema,
          example: { number: '+15551234567', customerId: 'local-+15551234567', name: 'Ana Ruiz', result: 'created' },
        },
      },
      handle: async ({ params, body, deed }) => ({
        status: 200,
        body: await names.name(params.phoneNumber, body.name, (customerId) => deed.record(customerId)),
      }),
    }),
  ]
}
