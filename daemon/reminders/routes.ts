/** Appointment reminders: accept, look, list, cancel; for the technician, call now and who asked not to be called. */
import { Type } from '@sinclair/typebox'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../base/errors.ts'
import { idPattern } from '../base/ids.ts'
import { lookUp } from './look.ts'
import type { ReminderQueue } from './queue.ts'
import { mostItems, type ReminderDesk, type ReminderItem, type SubmitAnswer } from './submit.ts'
import { reminderView } from './view.ts'
import { dayAt, isDay } from './zone.ts'
import { reminderEventNames } from '../schema/events/reminders.ts'
import {
  OptOutRemovalSchema,
  OptOutSchema,
  ReminderAnswerSchema,
  reminderAnswerExample,
  reminderCallingExample,
  ReminderCallingSchema,
  reminderExample,
  ReminderListSchema,
  ReminderRequestSchema,
  ReminderSchema,
  ReminderStatusSchema,
  ReminderSubmissionSchema,
  type ReminderCallingView,
  type ReminderRequestBody,
} from '../schema/reminders.ts'
import { roles } from '../schema/people.ts'
import type { Store } from '../store/store.ts'
import { reasonForTrail } from '../base/for-log.ts'
import { maskNumber } from '../base/log.ts'
import type { Clock } from '../base/clock.ts'
import { finder } from '../http/find.ts'
import { shownTo } from '../http/mask.ts'
import { defineRoute, type Reply, type Route, listed } from '../http/route.ts'
import { checker } from '../http/validate.ts'

export interface ReminderServices {
  readonly store: Store
  readonly queue: ReminderQueue
  readonly desk: ReminderDesk
  /** IANA name: days are days there. */
  readonly timeZone: string
  readonly clock: Pick<Clock, 'now'>
  /** Whether a trunk is configured that could call. */
  readonly hasTrunk: () => boolean
  readonly calling: () => ReminderCallingView
}

const bodyLimit = 1024 * 1024
const Params = Type.Object({ reminderId: Type.String() })
const tag = 'Reminders'
const read = { access: 'send', people: roles } as const
const checkItem = checker(ReminderRequestSchema, false)

function reminderFinder({ store, timeZone }: Pick<ReminderServices, 'store' | 'timeZone'>) {
  return finder({
    noun: 'reminder',
    unknown: 'reminder_unknown',
    list: 'pbx reminders list',
    find: (reminderId) => (idPattern.test(reminderId) ? store.tables.reminders.get(reminderId) : undefined),
    newest: (limit) => lookUp(store, { zone: timeZone, limit }).rows,
    idOf: ({ reminderId }) => reminderId,
  })
}

export function reminderRoutes(services: ReminderServices, erase: Eraser): Route[] {
  const { store, desk, timeZone, clock, hasTrunk } = services
  return [
    defineRoute({
      method: 'POST',
      path: '/api/reminders',
      access: 'send',
      operationId: 'scheduleReminders',
      deed: 'reminder.send',
      summary: 'Remind people of appointments by a call',
      description:
        'One reminder, an array of them, or `{"reminders":[...]}`; at most 500. Each is accepted or rejected by itself; where none ' +
        'can be accepted the answer is an error whose `details` are the list. The same reminder again is the earlier one. A ' +
        'reminder with the same `externalRef` and another time or number replaces the earlier one.',
      tag,
      body: ReminderSubmissionSchema,
      limitBytes: bodyLimit,
      idempotent: true,
      callbacks: { statusCallbackUrl: reminderEventNames },
      missing: () => (hasTrunk() ? undefined : new ApiError('no_trunk', 'No trunk is configured: nobody can be called.')),
      responses: { 200: { description: 'Accepted, at least in part.', schema: ReminderAnswerSchema, example: reminderAnswerExample } },
      handle: async (context) => {
        const accepted = (answer: SubmitAnswer): Reply => ({ status: 200, body: answer })
        let reply: Reply | undefined
        const remember = (whole: SubmitAnswer): void => {
          context.remember((reply = accepted(whole)))
          const ids = whole.reminders.flatMap((one) => ('reminderId' in one ? one.reminderId : []))
          context.deed.record(ids.join(' '), ids.length)
        }
        const answer = await desk.submit(itemsOf(context.body), remember, context.token?.name)
        return reply ?? accepted(answer)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/reminders',
      ...read,
      operationId: 'listReminders',
      deed: 'reminder.list',
      polled: true,
      summary: 'List reminders: of a day in the order of its appointments, otherwise newest first',
      tag,
      query: Type.Object({
        day: Type.Optional(
          Type.String({ maxLength: 100, description: 'Of the appointments, in the time zone of the site: 2026-03-02, or today.' }),
        ),
        status: Type.Optional(ReminderStatusSchema),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
        cursor: Type.Optional(Type.String({ pattern: idPattern.source, description: 'nextCursor of the page before.' })),
      }),
      responses: {
        200: {
          description: 'Reminders.',
          schema: ReminderListSchema,
          example: { items: [reminderExample], reminders: [reminderExample], nextCursor: null, day: null, timeZone: 'America/New_York' },
        },
      },
      handle: ({ query, token, deed }) => {
        const { status, limit = 50, cursor } = query
        const day = query.day === 'today' ? dayAt(clock.now(), timeZone) : query.day
        if (day !== undefined && !isDay(day)) {
          const details = [{ path: '/day', message: 'must be a day' }]
          throw new ApiError('validation_failed', `"${day}" is not a day; write it as 2026-03-02.`, { details })
        }
        const { rows, nextCursor } = lookUp(store, {
          zone: timeZone,
          limit,
          ...(day === undefined ? {} : { day }),
          ...(status === undefined ? {} : { status: String(status) }),
          ...(cursor === undefined ? {} : { cursor }),
        })
        deed.about(day ?? '', rows.length)
        const items = rows.map(reminderView)
        return { status: 200, body: shownTo(token, { items, reminders: items, nextCursor, day: day ?? null, timeZone }) }
      },
    }),
    ...oneReminderRoutes(services, erase),
    ...technicianRoutes(services),
  ]
}

function oneReminderRoutes(services: ReminderServices, erase: Eraser): Route[] {
  const { queue } = services
  const find = reminderFinder(services)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/reminders/:reminderId',
      ...read,
      operationId: 'getReminder',
      deed: 'reminder.read',
      polled: true,
      summary: 'One reminder',
      tag,
      params: Params,
      responses: { 200: { description: 'The reminder.', schema: ReminderSchema, example: reminderExample } },
      handle: ({ params, technician, token, deed }) => {
        const row = find(params.reminderId, { technician })
        deed.about(row.reminderId)
        return { status: 200, body: shownTo(token, reminderView(row)) }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/reminders/:reminderId',
      access: 'send',
      people: ['desk', 'manager'],
      operationId: 'cancelReminder',
      deed: 'reminder.cancel',
      summary: 'Cancel a reminder, or delete an ended one',
      description:
        'Before its end the reminder is canceled, and a call in progress ends; the callback is reminder.canceled with the reason deleted. ' +
        'An ended reminder is removed with its text, the traces of its calls, and dead letters.',
      tag,
      params: Params,
      responses: {
        200: {
          description: 'Taken back.',
          schema: ReminderSchema,
          example: { ...reminderExample, status: 'canceled', outcome: 'canceled', reason: 'deleted', nextAttemptAt: null },
        },
        204: { description: 'Deleted.' },
      },
      handle: async ({ params, technician, token, deed }) => {
        const { reminderId } = find(params.reminderId, { technician })
        if (!(await queue.cancel(reminderId, () => deed.record(reminderId)))) {
          if (token?.person?.roles.includes('manager') === false) throw new ApiError('role_denied', 'Only managers delete what has ended.')
          deed.becomes('reminder.delete')
          await erase(reminderId, (id) => deed.record(id))
          return { status: 204 }
        }
        return { status: 200, body: reminderView(find(reminderId, { technician })) }
      },
    }),
  ]
}

function technicianRoutes(services: ReminderServices): Route[] {
  const { queue, calling } = services
  const find = reminderFinder(services)
  const access = 'technician'
  const responses = { 200: { description: 'The reminder.', schema: ReminderSchema } }
  return [
    defineRoute({
      method: 'POST',
      path: '/api/reminders/:reminderId/call',
      access,
      people: ['desk', 'manager'],
      operationId: 'callReminderNow',
      deed: 'reminder.call',
      summary: 'Call as soon as a line is free',
      tag,
      params: Params,
      responses,
      handle: async ({ params, technician, deed }) => {
        const { reminderId } = find(params.reminderId, { technician })
        return { status: 200, body: reminderView(await queue.callNow(reminderId, () => deed.record(reminderId))) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/reminders/:reminderId/cancel',
      access,
      people: ['desk', 'manager'],
      operationId: 'takeBackReminder',
      deed: 'reminder.cancel',
      summary: 'Cancel a reminder that has not ended; an ended one stays as it is',
      tag,
      params: Params,
      responses,
      handle: async ({ params, technician, deed }) => {
        const { reminderId } = find(params.reminderId, { technician })
        if (!(await queue.cancel(reminderId, () => deed.record(reminderId))))
          throw new ApiError('already_finished', 'This reminder has already ended.')
        return { status: 200, body: reminderView(find(reminderId, { technician })) }
      },
    }),
    defineRoute({
      ...read,
      method: 'GET',
      path: '/api/reminders/calling',
      operationId: 'getReminderCalling',
      summary: 'Whether reminder calls are made now, and what is missing',
      tag,
      responses: { 200: { description: 'At this moment.', schema: ReminderCallingSchema, example: reminderCallingExample } },
      handle: () => ({ status: 200, body: calling() }),
    }),
    ...optOutRoutes(services),
  ]
}

function optOutRoutes({ store }: Pick<ReminderServices, 'store'>): Route[] {
  const access = 'technician'
  return [
    defineRoute({
      method: 'GET',
      path: '/api/reminders/opt-outs',
      access,
      people: ['desk', 'manager'],
      operationId: 'listOptOuts',
      deed: 'optout.list',
      polled: true,
      summary: 'Numbers that asked not to be called with reminders',
      tag,
      responses: { 200: { description: 'Numbers.', schema: Type.Array(OptOutSchema) } },
      handle: ({ deed }) =>
        listed(
          deed,
          Array.from(store.tables.reminderOptOuts.range(), ({ value }) => value),
        ),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/reminders/opt-outs/:number',
      access,
      people: ['manager'],
      operationId: 'removeOptOut',
      deed: 'optout.remove',
      summary: 'A number may be called again',
      tag,
      params: Type.Object({ number: Type.String() }),
      body: OptOutRemovalSchema,
      bodyType: 'json-or-nothing',
      responses: { 200: { description: 'Done.', schema: Type.Object({ number: Type.String() }) } },
      handle: async ({ params: { number }, body: { reason = '' }, deed }) => {
        const known = await store.transaction(() => {
          if (!store.tables.reminderOptOuts.remove(number)) return false
          deed.record(reason === '' ? maskNumber(number) : `${maskNumber(number)}: ${reasonForTrail(reason)}`)
          return true
        })
        if (!known) throw new ApiError('not_found', `${number} did not ask not to be called.`)
        return { status: 200, body: { number } }
      },
    }),
  ]
}

function itemsOf(body: unknown): ReminderItem[] {
  const { reminders } = body as { reminders?: unknown }
  const items: readonly unknown[] = Array.isArray(body) ? body : Array.isArray(reminders) ? reminders : [body]
  // Of too many, the desk needs no more than their number: it refuses them all.
  return items.slice(0, mostItems + 1).map((item) => {
    const faults = checkItem(item)
    if (faults === undefined) return { request: item as ReminderRequestBody }
    const { externalRef } = (item ?? {}) as { externalRef?: unknown }
    return { faults, ...(typeof externalRef === 'string' ? { externalRef: externalRef.slice(0, 255) } : {}) }
  })
}
