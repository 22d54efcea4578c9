/** Where a call would go: for the technician. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../base/errors.ts'
import { WhereStepSchema, type WhereStep } from '../../schema/extensions.ts'
import { defineRoute, type Route } from '../../http/route.ts'

export interface WhereServices {
  /** `at`: milliseconds since the epoch. */
  explain(question: { readonly to: string; readonly from: string; readonly at: number }): readonly WhereStep[]
}

export function whereRoutes(where: WhereServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/where',
      access: 'technician',
      people: ['technician'],
      operationId: 'explainCall',
      summary: 'Where a call would go, step by step; none is made',
      tag: 'Calls',
      query: Type.Object({
        to: Type.String({ minLength: 1, maxLength: 64 }),
        from: Type.String({
          default: '',
          maxLength: 64,
          description: 'An extension that dials; otherwise the call comes through a trunk.',
        }),
        at: Type.Optional(Type.String({ maxLength: 40, description: 'An instant, 2026-12-24T18:00-05:00; now by default.' })),
      }),
      responses: { 200: { description: 'In their order.', schema: Type.Array(WhereStepSchema) } },
      handle: ({ query: { to, from, at } }) => {
        const instant = at === undefined ? Date.now() : Date.parse(at)
        if (Number.isNaN(instant)) throw new ApiError('validation_failed', `"${at}" is no time; write 2026-12-24T18:00-05:00.`)
        return { status: 200, body: where.explain({ to, from, at: instant }) }
      },
    }),
  ]
}
