/** How the box is, and whom its registrar shuts out: for technicians. */
import { isIP } from 'node:net'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import {
  BanSchema,
  CheckSchema,
  LineSchema,
  StatusSchema,
  type BanView,
  type CheckView,
  type LineView,
  type StatusView,
} from '../schema/operation.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { Role } from '../schema/people.ts'

export interface OperationServices {
  status(): Promise<StatusView>
  lines(): readonly LineView[]
  readonly bans: {
    /** The latest first. */
    list(): Promise<readonly BanView[]>
    /** False when the address was not banned. */
    lift(address: string): Promise<boolean>
  }
  doctor(): Promise<readonly CheckView[]>
}

const access = 'technician'
const people: readonly Role[] = ['technician']
const tag = 'Operation'

export function operationRoutes(box: OperationServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/status',
      access,
      people,
      operationId: 'getStatus',
      summary: 'Parts, lines, calls, queues, disk, clock, and each warning with its fix',
      tag,
      responses: { 200: { description: 'All at a glance.', schema: StatusSchema } },
      handle: async () => ({ status: 200, body: await box.status() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/lines',
      access,
      people,
      operationId: 'listLines',
      summary: 'Trunks, phones and modem lines, each with its state and the reason',
      tag,
      responses: { 200: { description: 'Lines.', schema: Type.Array(LineSchema) } },
      handle: () => ({ status: 200, body: box.lines() }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/bans',
      access,
      people,
      operationId: 'listBans',
      summary: 'Addresses that are ignored after wrong passwords, the latest first',
      tag,
      responses: { 200: { description: 'Bans.', schema: Type.Array(BanSchema) } },
      handle: async () => ({ status: 200, body: await box.bans.list() }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/bans/:address',
      access,
      people,
      operationId: 'liftBan',
      deed: 'ban.lift',
      summary: 'Let an address register again',
      tag,
      params: Type.Object({ address: Type.String() }),
      responses: {
        200: { description: 'Whether it was banned.', schema: Type.Object({ address: Type.String(), lifted: Type.Boolean() }) },
      },
      handle: async ({ params: { address } }) => {
        if (isIP(address.replace(/\/64$/, '')) === 0) throw new ApiError('validation_failed', `"${address}" is not an IP address.`)
        return { status: 200, body: { address, lifted: await box.bans.lift(address) } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/doctor',
      access,
      people,
      operationId: 'getDoctor',
      summary: 'What is wrong with this machine, and how to repair it',
      tag,
      responses: { 200: { description: 'Checks.', schema: Type.Array(CheckSchema) } },
      handle: async () => ({ status: 200, body: await box.doctor() }),
    }),
  ]
}
