/** The drain of the box, for the technician. */
import { defineRoute, type Route } from '../http/route.ts'
import { DrainRequestSchema, DrainSchema, type DrainView } from '../schema/drain.ts'
import type { Drain } from './drain.ts'

const access = 'technician'
const path = '/api/drain'
const tag = 'Operation'
const example: DrainView = { draining: true, since: '2026-03-02T14:05:10.000Z', until: '2026-03-02T15:05:10.000Z', calls: 3, waiting: 1 }
const responses = { 200: { description: 'How it stands.', schema: DrainSchema, example } }

export function drainRoutes(drain: Drain): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path,
      access,
      operationId: 'getDrain',
      summary: 'Whether the box takes new calls',
      tag,
      responses,
      handle: () => ({ status: 200, body: drain.view() }),
    }),
    defineRoute({
      method: 'POST',
      path,
      access,
      operationId: 'beginDrain',
      deed: 'drain.begin',
      summary: 'Take no new calls: requests are accepted and wait, calls in progress go on',
      tag,
      body: DrainRequestSchema,
      responses,
      handle: async ({ body: { seconds }, deed }) => {
        await drain.begin(seconds, () => deed.record(''))
        return { status: 200, body: drain.view() }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      access,
      operationId: 'endDrain',
      deed: 'drain.end',
      summary: 'Take calls again',
      tag,
      responses,
      handle: async ({ deed }) => {
        await drain.end(() => deed.record(''))
        return { status: 200, body: drain.view() }
      },
    }),
  ]
}
