/** Screens on the wall: a code for one, its session, and what it shows. */
import { Type } from '@sinclair/typebox'
import { isoTime, type Clock } from '../base/clock.ts'
import { cookie, cookieOf } from '../http/people.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Role } from '../schema/people.ts'
import {
  type QueueView,
  WallCodeSchema,
  WallSchema,
  WallSessionRequestSchema,
  WallSessionSchema,
  type WallSessionView,
  type WallView,
} from '../schema/queues.ts'
import { TimeSchema } from '../schema/voice-call.ts'
import { wallQueue } from './view.ts'
import { wallSeconds, type Wall } from './wall.ts'

export interface WallRouteOptions {
  readonly wall: Wall
  readonly clock: Pick<Clock, 'now'>
  readonly queues: () => readonly QueueView[]
  readonly waitSeconds: () => number
}

const tag = 'Queues'
const managers: readonly Role[] = ['manager', 'technician']
const triesAMinute = 10

const example: WallView = {
  asOf: '2026-03-02T14:05:10.000Z',
  endsAt: '2026-03-03T07:00:00.000Z',
  queues: [
    {
      ...{ name: 'Nurses', waiting: 2, longestSeconds: 74, level: 'amber', empty: false, sendsOn: false },
      members: { free: 0, talking: 2, paused: 1, away: 1 },
      today: { offered: 41, answered: 37, abandoned: 2, waitP50Seconds: 12, waitP95Seconds: 80 },
    },
  ],
}

const session: WallSessionView = {
  ...{ wallId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8', beganAt: '2026-03-02T07:00:00.000Z', endsAt: '2026-03-03T07:00:00.000Z' },
  ...{ seenAt: '2026-03-02T14:05:09.000Z', address: '192.168.1.40', invitedBy: 'Maria Lopez' },
}

export function wallRoutes({ wall, clock, queues, waitSeconds }: WallRouteOptions): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/wall/code',
      access: 'technician',
      people: managers,
      operationId: 'inviteWall',
      deed: 'wall.code',
      summary: 'A code by which a screen on the wall shows the queues',
      description: 'It holds for ten minutes and once; five wrong ones end all that are open.',
      tag,
      responses: {
        200: {
          description: 'The code.',
          schema: WallCodeSchema,
          example: { code: 'H7QK-2MZD', url: '/wall', until: '2026-03-02T14:15:10.000Z' },
        },
      },
      handle: ({ token }) => {
        const { code, until } = wall.invite(token?.person?.name ?? '')
        return { status: 200, body: { code, url: '/wall', until: isoTime(until) } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/wall/session',
      access: 'page',
      operationId: 'beginWall',
      deed: 'wall.begin',
      summary: 'Show the queues on this screen for a day',
      tag,
      body: WallSessionRequestSchema,
      rate: { perMinute: () => triesAMinute },
      responses: {
        200: {
          description: 'The screen has its cookie.',
          schema: Type.Object({ endsAt: TimeSchema }),
          example: { endsAt: '2026-03-03T07:00:00.000Z' },
        },
        403: { description: '`invitation_void`.' },
      },
      handle: async (context) => {
        const value = await wall.begin(context.body.code, context.address, () => context.deed.record('wall'))
        return {
          status: 200,
          body: { endsAt: isoTime(wall.mustBeOpen(value)) },
          cookies: [cookie(context, 'pbx-wall', value, wallSeconds)],
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/wall',
      access: 'page',
      operationId: 'getWall',
      summary: 'The queues, without names and numbers',
      tag,
      responses: { 200: { description: 'Counts and waits.', schema: WallSchema, example }, 401: { description: '`session_ended`.' } },
      handle: (context) => {
        const endsAt = isoTime(wall.mustBeOpen(cookieOf(context, 'pbx-wall')))
        const shown = queues().map((queue) => wallQueue(queue, waitSeconds()))
        return { status: 200, body: { asOf: isoTime(clock.now()), endsAt, queues: shown } satisfies WallView }
      },
    }),
    ...sessionRoutes(wall),
  ]
}

function sessionRoutes(wall: Wall): Route[] {
  const ofManagers = { access: 'technician', people: managers, tag } as const
  return [
    defineRoute({
      ...ofManagers,
      method: 'GET',
      path: '/api/wall/sessions',
      operationId: 'listWalls',
      summary: 'Screens on the wall that show the queues',
      responses: { 200: { description: 'The newest first.', schema: Type.Array(WallSessionSchema), example: [session] } },
      handle: () => ({ status: 200, body: wall.list() }),
    }),
    defineRoute({
      ...ofManagers,
      method: 'DELETE',
      path: '/api/wall/sessions/:wallId',
      operationId: 'endWall',
      deed: 'wall.end',
      summary: 'End one screen on the wall',
      params: Type.Object({ wallId: Type.String() }),
      responses: { 204: { description: 'It shows nothing any more.' }, 404: { description: '`session_unknown`.' } },
      handle: async ({ params: { wallId }, deed }) => {
        await wall.end(wallId, () => deed.record(wallId))
        return { status: 204 }
      },
    }),
    defineRoute({
      ...ofManagers,
      method: 'DELETE',
      path: '/api/wall/sessions',
      operationId: 'endWalls',
      deed: 'wall.end',
      summary: 'End all screens on the wall, and the codes for others',
      responses: { 200: { description: 'How many there were.', schema: Type.Object({ ended: Type.Integer() }), example: { ended: 1 } } },
      handle: async ({ deed }) => ({ status: 200, body: { ended: await wall.endAll((count) => deed.record('wall', count)) } }),
    }),
  ]
}
