/** Calls of the house in the hands of people: take, move and end them. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../base/errors.ts'
import { mustBeUnrestricted } from '../../http/reach.ts'
import { defineRoute, type Reply, type Route, type RouteContext } from '../../http/route.ts'
import { MoveCallSchema, TakeCallSchema } from '../../schema/call-records.ts'
import { callExample, CallRecordSchema, type CallRecordView } from '../../schema/history.ts'
import type { CallControl } from './control.ts'

export interface CallControlServices {
  readonly control: CallControl
  readonly record: (callId: string) => CallRecordView
}

/** For `mustBeUnrestricted`. */
export const house = 'calls of the whole house'
/** Of what is done with a call. */
export const deeds = { access: 'crm', people: ['desk', 'manager'], tag: 'Calls', params: Type.Object({ callId: Type.String() }) } as const
export const responses = {
  202: { description: 'The call, of which this has begun.', schema: CallRecordSchema, example: callExample },
  409: {
    description: '`call_ended`; `not_now`: the call is not in a state for this; `extension_unavailable`: no phone is registered there.',
  },
}
const theCall = 'of a call that rings or waits, or in which people of the house talk'

export const own = ({ token }: Pick<RouteContext, 'token'>): string | null => token?.person?.extension ?? null

export function callControlRoutes(services: CallControlServices): Route[] {
  const { control, record } = services
  return [
    defineRoute({
      ...deeds,
      method: 'POST',
      path: '/api/pbx/calls/:callId/take',
      operationId: 'takeCall',
      deed: 'call.take',
      summary: 'Take a call that rings or waits',
      description: 'The phone of the extension rings, and answers by itself where it is set to; when it is answered, it has the call.',
      bodyType: 'json-or-nothing',
      body: TakeCallSchema,
      responses,
      handle: async (context) => {
        mustBeUnrestricted(context.token, house)
        const { callId } = context.params
        const extension = context.body.extension ?? own(context)
        if (extension === null) throw new ApiError('extension_unknown', 'Name the extension whose phone is to have the call.')
        await control.take(callId, extension, () => context.deed.record(callId))
        return { status: 202, body: record(callId) }
      },
    }),
    ...sendingRoutes(services),
  ]
}

/** What has begun: the call as it is now. */
export function begun({ deed }: Pick<RouteContext, 'deed'>, record: CallControlServices['record'], callId: string): Reply {
  deed.about(callId)
  return { status: 202, body: record(callId) }
}

function sendingRoutes({ control, record }: CallControlServices): Route[] {
  return [
    defineRoute({
      ...deeds,
      method: 'POST',
      path: '/api/pbx/calls/:callId/move',
      operationId: 'moveCall',
      deed: 'call.move',
      summary: 'Send a call on',
      description: `${theCall.replace('of a', 'A')}. Where it talks, the phone of the house leaves, and rings again if nobody takes the call.`,
      body: MoveCallSchema,
      responses,
      handle: (context) => {
        mustBeUnrestricted(context.token, house)
        control.move(context.params.callId, context.body.to, own(context))
        return begun(context, record, context.params.callId)
      },
    }),
    defineRoute({
      ...deeds,
      method: 'POST',
      path: '/api/pbx/calls/:callId/end',
      operationId: 'hangUpCall',
      deed: 'call.end',
      summary: 'End a call',
      description: 'Hangs up on everybody in it. A call for help is ended at its phone.',
      responses,
      handle: (context) => {
        mustBeUnrestricted(context.token, house)
        control.end(context.params.callId)
        return begun(context, record, context.params.callId)
      },
    }),
  ]
}
