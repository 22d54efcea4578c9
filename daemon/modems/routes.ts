/** The modem lines, one of them tried out, and what is said to it: for technicians. */
import { Type } from '@sinclair/typebox'
import {
  ModemSchema,
  ModemTestRequestSchema,
  ModemTestSchema,
  ModemTraceLineSchema,
  type ModemTestView,
  type ModemTraceLine,
  type ModemView,
} from '../schema/modems.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Role } from '../schema/people.ts'

export interface ModemServices {
  list(): readonly ModemView[]
  /** Takes the modem for some seconds. Throws ApiError `not_found`. */
  test(id: string, voice: boolean): Promise<ModemTestView>
  /** Every command and answer until `signal` is aborted. Throws ApiError `not_found`. */
  trace(id: string, onLine: (line: ModemTraceLine) => void, signal: AbortSignal): Promise<void>
}

const access = 'technician'
const people: readonly Role[] = ['technician']
const tag = 'Modem lines'
const Params = Type.Object({ id: Type.String() })

export function modemRoutes(modems: ModemServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/modems',
      access,
      people,
      operationId: 'listModems',
      summary: 'The modem lines',
      tag,
      responses: { 200: { description: 'Modem lines.', schema: Type.Array(ModemSchema) } },
      handle: () => ({ status: 200, body: modems.list() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/modems/:id/test',
      access,
      people,
      operationId: 'testModem',
      deed: 'modem.test',
      summary: 'Try a modem line out; takes some seconds',
      tag,
      params: Params,
      body: ModemTestRequestSchema,
      bodyType: 'json-or-nothing',
      responses: { 200: { description: 'What it showed.', schema: ModemTestSchema } },
      handle: async ({ params: { id }, body }) => ({ status: 200, body: await modems.test(id, body.voice === true) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/modems/:id/trace',
      access,
      people,
      operationId: 'traceModem',
      deed: 'modem.trace',
      summary: 'Every command to a modem and every answer, as they happen',
      tag,
      params: Params,
      responses: { 200: { description: 'A line for each.', contentType: 'application/x-ndjson', schema: ModemTraceLineSchema } },
      handle: ({ params: { id }, signal }) => ({ status: 200, stream: (emit) => modems.trace(id, (line) => void emit(line), signal) }),
    }),
  ]
}
