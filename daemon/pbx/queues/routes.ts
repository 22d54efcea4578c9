/** Queues of the house: who waits, who is there, what became of the calls of a day. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../base/errors.ts'
import { QueueMemberChangeSchema, QueueViewSchema, type QueueMemberChange, type QueueView } from '../../schema/queues.ts'
import { mustOwnExtension, shownTo } from '../../http/mask.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { roles } from '../../schema/people.ts'

export interface QueueServices {
  list(): readonly QueueView[]
  /** undefined: there is none of this name. */
  get(id: string, day?: string): QueueView | undefined
  /** Resolves when it is on the disk, with what `alongside` writes; false where there is no such member. */
  change(id: string, extension: string, change: QueueMemberChange, alongside: () => void): Promise<boolean>
}

const access = 'technician'
const tag = 'Queues'

export function queueRoutes(queues: QueueServices): Route[] {
  const view = (id: string, day?: string): QueueView => {
    const found = queues.get(id, day)
    if (found === undefined) throw new ApiError('not_found', `There is no queue "${id}": see "pbx queue".`)
    return found
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/api/queues',
      access,
      people: roles,
      operationId: 'listQueues',
      summary: 'The queues, who waits in them and who takes their calls',
      tag,
      responses: { 200: { description: 'Queues, with the figures of today.', schema: Type.Array(QueueViewSchema) } },
      handle: ({ token }) => ({ status: 200, body: shownTo(token, [...queues.list()]) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/queues/:id',
      access,
      people: roles,
      operationId: 'getQueue',
      summary: 'One queue, with the figures of a day',
      tag,
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({
        day: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'By default today.' })),
      }),
      responses: { 200: { description: 'The queue.', schema: QueueViewSchema } },
      handle: ({ params, query, token }) => ({ status: 200, body: shownTo(token, view(params.id, query.day)) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/queues/:id/members/:extension',
      access,
      people: ['desk', 'manager'],
      operationId: 'changeQueueMember',
      deed: 'queue.member',
      summary: 'Log a member in or out, pause or resume it',
      tag,
      params: Type.Object({ id: Type.String(), extension: Type.String() }),
      body: QueueMemberChangeSchema,
      responses: { 200: { description: 'The queue as it is then.', schema: QueueViewSchema } },
      handle: async ({ params: { id, extension }, body, token, deed }) => {
        view(id)
        mustOwnExtension(token, extension)
        if (!(await queues.change(id, extension, body, () => deed.record(`${id}/${extension}`))))
          throw new ApiError('not_found', `${extension} is not a member of the queue "${id}".`)
        return { status: 200, body: view(id) }
      },
    }),
  ]
}
