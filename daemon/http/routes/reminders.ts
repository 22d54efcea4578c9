/** Appointment reminders: accept, look, list, cancel. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { idPattern } from '../../ids.ts'
import { lookUp } from '../../reminders/look.ts'
import type { ReminderQueue } from '../../reminders/queue.ts'
import type { ReminderDesk, ReminderItem, SubmitAnswer } from '../../reminders/submit.ts'
import { reminderView } from '../../reminders/view.ts'
import { isDay } from '../../reminders/zone.ts'
import {
  ReminderAnswerSchema,
  reminderAnswerExample,
  reminderExample,
  ReminderListSchema,
  ReminderRequestSchema,
  ReminderSchema,
  ReminderStatusSchema,
  ReminderSubmissionSchema,
  type ReminderRequestBody,
} from '../../schema/reminders.ts'
import type { Store } from '../../store/store.ts'
import { defineRoute, type Reply, type Route } from '../route.ts'
import { checker } from '../validate.ts'

export interface ReminderServices {
  readonly store: Store
  readonly queue: ReminderQueue
  readonly desk: ReminderDesk
  /** IANA name: days are days there. */
  readonly timeZone: string
}

const bodyLimit = 1024 * 1024
const Params = Type.Object({ reminderId: Type.String() })
const tag = 'Reminders'
const checkItem = checker(ReminderRequestSchema, false)

export function reminderRoutes({ store, queue, desk, timeZone }: ReminderServices): Route[] {
  const find = (reminderId: string) => {
    const row = idPattern.test(reminderId) ? store.tables.reminders.get(reminderId) : undefined
    if (row === undefined) throw new ApiError('reminder_unknown', 'There is no reminder with that id.')
    return row
  }
  return [
    defineRoute({
      method: 'POST',
      path: '/api/reminders',
      access: 'send',
      operationId: 'scheduleReminders',
      summary: 'Remind people of appointments by a call',
      description:
        'One reminder, an array of them, or `{"reminders":[...]}`; at most 500. Each is accepted or rejected by itself; where none ' +
        'can be accepted the answer is an error whose `details` are the list. The same reminder again is the one of before. A ' +
        'reminder with the same `externalRef` and another time or number takes the place of the one of before.',
      tag,
      body: ReminderSubmissionSchema,
      limitBytes: bodyLimit,
      idempotent: true,
      responses: { 200: { description: 'Accepted, at least in part.', schema: ReminderAnswerSchema, example: reminderAnswerExample } },
      handle: async (context) => {
        const accepted = (answer: SubmitAnswer): Reply => ({ status: 200, body: answer })
        let reply: Reply | undefined
        const answer = await desk.submit(itemsOf(context.body), (whole) => context.remember((reply = accepted(whole))))
        return reply ?? accepted(answer)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/reminders',
      access: 'send',
      operationId: 'listReminders',
      summary: 'List reminders: of a day in the order of its appointments, otherwise newest first',
      tag,
      query: Type.Object({
        day: Type.Optional(
          Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Of the appointments, in the time zone of the site.' }),
        ),
        status: Type.Optional(ReminderStatusSchema),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: { description: 'Reminders.', schema: ReminderListSchema, example: { reminders: [reminderExample], nextCursor: null } },
      },
      handle: ({ query }) => {
        const { day, status, limit = 50, cursor } = query
        if (day !== undefined && !isDay(day)) {
          throw new ApiError('validation_failed', '"day" is not a day.', { details: [{ path: '/day', message: 'must be a day' }] })
        }
        const { rows, nextCursor } = lookUp(store, {
          zone: timeZone,
          limit,
          ...(day === undefined ? {} : { day }),
          ...(status === undefined ? {} : { status: String(status) }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        return { status: 200, body: { reminders: rows.map(reminderView), nextCursor } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/reminders/:reminderId',
      access: 'send',
      operationId: 'getReminder',
      summary: 'One reminder',
      tag,
      params: Params,
      responses: { 200: { description: 'The reminder.', schema: ReminderSchema, example: reminderExample } },
      handle: ({ params }) => ({ status: 200, body: reminderView(find(params.reminderId)) }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/reminders/:reminderId',
      access: 'send',
      operationId: 'cancelReminder',
      summary: 'Take back a reminder that is not over',
      description: 'A call in progress is ended. Its callback is reminder.cancelled with the reason deleted.',
      tag,
      params: Params,
      responses: {
        200: {
          description: 'Taken back.',
          schema: ReminderSchema,
          example: { ...reminderExample, status: 'cancelled', outcome: 'cancelled', reason: 'deleted', nextAttemptAt: null },
        },
      },
      handle: async ({ params }) => {
        const { reminderId } = find(params.reminderId)
        if (!(await queue.cancel(reminderId))) throw new ApiError('already_finished', 'This reminder is finished already.')
        return { status: 200, body: reminderView(find(reminderId)) }
      },
    }),
  ]
}

function itemsOf(body: unknown): ReminderItem[] {
  const { reminders } = body as { reminders?: unknown }
  const items: readonly unknown[] = Array.isArray(body) ? body : Array.isArray(reminders) ? reminders : [body]
  return items.map((item) => {
    const faults = checkItem(item)
    if (faults === undefined) return { request: item as ReminderRequestBody }
    const { externalRef } = (item ?? {}) as { externalRef?: unknown }
    return { faults, ...(typeof externalRef === 'string' ? { externalRef: externalRef.slice(0, 255) } : {}) }
  })
}
