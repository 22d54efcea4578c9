/** Queues of the house: who waits, who is there, what became of the calls of a day; for the technician. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../base/errors.ts'
import { QueueMemberChangeSchema, QueueViewSchema, type QueueMemberChange, type QueueView } from '../../schema/queues.ts'
import { defineRoute, type Route } from '../../http/route.ts'

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
      operationId: 'listQueues',
      summary: 'The queues, who waits in them and who takes their calls',
      tag,
      responses: { 200: { description: 'Queues, with the figures of today.', schema: Type.Array(QueueViewSchema) } },
      handle: () => ({ status: 200, body: [...queues.list()] }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/queues/:id',
      access,
      operationId: 'getQueue',
      summary: 'One queue, with the figures of a day',
      tag,
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({
        day: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'By default today.' })),
      }),
      responses: { 200: { description: 'The queue.', schema: QueueViewSchema } },
      handle: ({ params, query }) => ({ status: 200, body: view(params.id, query.day) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/queues/:id/members/:extension',
      access,
      operationId: 'changeQueueMember',
      deed: 'queue.member',
      summary: 'Log a member in or out, pause or resume it',
      tag,
      params: Type.Object({ id: Type.String(), extension: Type.String() }),
      body: QueueMemberChangeSchema,
      responses: { 200: { description: 'The queue as it is then.', schema: QueueViewSchema } },
      handle: async ({ params: { id, extension }, body, deed }) => {
        view(id)
        if (!(await queues.change(id, extension, body, () => deed.record(`${id}/${extension}`))))
          throw new ApiError('not_found', `${extension} is not a member of the queue "${id}".`)
        return { status: 200, body: view(id) }
      },
    }),
  ]
}
