/** The work of the house over HTTP: what is to be done, who looks after it, and that it is done. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { hearsMailbox, shownTo } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { defineRoute, Limit, type Principal, type Route } from '../http/route.ts'
import { Choice } from '../schema/choice.ts'
import { roles } from '../schema/people.ts'
import { WorkChangeSchema, workExample, WorkItemSchema, WorkKindSchema, WorkListSchema, WorkTakerSchema } from '../schema/work.ts'
import type { WorkRow } from '../store/tables.ts'
import type { WorkViews } from './view.ts'
import { workKey, type Work } from './work.ts'

export interface WorkServices {
  readonly work: Work
  readonly views: WorkViews
}

const tag = 'Work'
const access = 'crm'
const house = 'the work of the whole house'

export function workRoutes({ work, views }: WorkServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/work',
      access,
      people: roles,
      operationId: 'listWork',
      deed: 'work.list',
      polled: true,
      summary: 'What is to be done: missed calls, callbacks, voicemail, faxes and texts',
      description:
        'Missed calls are one item a number, and close themselves when the house has talked with it since. A person of the desk sees the voicemail of the own mailboxes, a technician no names, numbers or words.',
      tag,
      query: Type.Object({
        state: Choice(['open', 'done'], { default: 'open' }),
        kind: Type.Optional(WorkKindSchema),
        owner: Type.Optional(Type.String({ maxLength: 64, description: 'personId; "none" for what nobody looks after.' })),
        limit: Limit(100, 500),
        cursor: Type.Optional(Type.String({ maxLength: 120, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: { description: 'Items.', schema: WorkListSchema, example: { items: [workExample], nextCursor: null } },
      },
      handle: ({ query: { state, kind, owner, limit, cursor }, token, deed }) => {
        mustBeUnrestricted(token, house)
        const fits = (row: WorkRow): boolean =>
          (kind === undefined || row.kind === kind) &&
          (owner === undefined || row.owner === (owner === 'none' ? null : owner)) &&
          isShown(token, row)
        const rows = (state === 'open' ? work.open() : work.done()).filter(fits)
        const at = cursor === undefined ? 0 : rows.findIndex((row) => isAfter(row, cursor, state))
        const page = at < 0 ? [] : rows.slice(at, at + limit)
        deed.about(page.length === 1 ? workKey(page[0]!.kind, page[0]!.id) : '', page.length)
        const last = page.at(-1)
        const more = last !== undefined && at + limit < rows.length
        const body = { items: page.map((row) => views.view(row)), nextCursor: more ? cursorOf(last, state) : null }
        return { status: 200, body: shownTo(token, body) }
      },
    }),
    peopleRoute(views),
    defineRoute({
      method: 'PATCH',
      path: '/api/work/:kind/:id',
      access,
      people: ['desk', 'manager'],
      operationId: 'changeWork',
      deed: 'work.change',
      summary: 'Say that something is done, who looks after it, or a note',
      description:
        'Of two changes of one item at once the second is refused (409 `changed_meanwhile`), with the item as it is now in `current`.',
      tag,
      params: Type.Object({ kind: WorkKindSchema, id: Type.String() }),
      body: WorkChangeSchema,
      responses: {
        200: { description: 'The item.', schema: WorkItemSchema, example: workExample },
        409: { description: '`changed_meanwhile`.' },
      },
      handle: async ({ params: { kind, id }, body, token, deed }) => {
        mustBeUnrestricted(token, house)
        const known = work.get(kind, id)
        if (known !== undefined && !isShown(token, known))
          throw new ApiError('role_denied', 'This message is in a mailbox that is not yours.')
        const { name, personId } = token?.person ?? { name: token?.name ?? 'the technician' }
        const by = { name, ...(personId === undefined ? {} : { personId }) }
        const alongside = (): void => deed.record(workKey(kind, id))
        return { status: 200, body: views.view(await work.change(kind, id, body, by, { alongside, current: (row) => views.view(row) })) }
      },
    }),
  ]
}

function peopleRoute(views: WorkViews): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/work/people',
    access,
    people: ['desk', 'manager'],
    operationId: 'listWorkPeople',
    deed: 'work.list',
    polled: true,
    summary: 'Who may look after something: people of the desk and managers',
    tag,
    responses: {
      200: { description: 'People, by name.', schema: Type.Array(WorkTakerSchema), example: [{ personId: 'p_31', name: 'Jon Bell' }] },
    },
    handle: ({ token, deed }) => {
      mustBeUnrestricted(token, house)
      const takers = views.takers()
      deed.about('', takers.length)
      return { status: 200, body: takers }
    },
  })
}

/** A voicemail is there for those who may hear its mailbox; of the others a technician sees that they are there. */
export function isShown(token: Principal | null, { mailbox }: WorkRow): boolean {
  return mailbox === undefined || hearsMailbox(token, mailbox)
}

const momentOf = (row: WorkRow, state: 'open' | 'done'): number => (state === 'open' ? row.at : (row.closed?.at ?? 0))

/** Where a page ended: what comes or goes meanwhile moves nothing. */
const cursorOf = (row: WorkRow, state: 'open' | 'done'): string => `${momentOf(row, state)}.${row.kind}.${row.id}`

function isAfter(row: WorkRow, cursor: string, state: 'open' | 'done'): boolean {
  const moment = Number(cursor.split('.')[0])
  const at = momentOf(row, state)
  if (at !== moment) return state === 'open' ? at > moment : at < moment
  return cursorOf(row, state) > cursor
}
