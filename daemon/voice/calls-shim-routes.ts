/**
 * The one request that programs written for Twilio's Calls resource make while a call lives: end it, or give it another
 * document. Their answers have Twilio's form, so that such a program needs no change but its base URL.
 */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import type { LiveCalls } from './live.ts'
import type { OriginatePolicies as Policies } from './originate-request.ts'
import type { Config } from '../schema/config.ts'
import { allowedUrl } from './routes.ts'
import { mustNotNameForeign, reachedCall } from '../http/reach.ts'
import { defineRoute, type Reply, type Route } from '../http/route.ts'

const notFound: Reply = {
  status: 404,
  body: { code: 20404, message: 'The requested resource was not found', more_info: '', status: 404 },
}

export interface ShimServices {
  readonly live: LiveCalls
  readonly config: Config
  readonly policies: Pick<Policies, 'control'>
}

export function callsShimRoutes({ live, config, policies }: ShimServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/2010-04-01/Accounts/:account/Calls/:callId.json',
      access: 'basic-token',
      operationId: 'changeCallForm',
      deed: 'call.change',
      summary: 'End or redirect a live call, in the form of Twilio’s Calls resource',
      tag: 'Programmable voice',
      params: Type.Object({ account: Type.String(), callId: Type.String() }),
      bodyType: 'form',
      body: Type.Object(
        { Status: Type.Optional(Type.String()), Url: Type.Optional(Type.String()) },
        { examples: [{ Status: 'completed' }] },
      ),
      responses: {
        200: {
          description: 'Done.',
          schema: Type.Object({ sid: Type.String(), account_sid: Type.String(), status: Type.String() }),
          example: { sid: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8', account_sid: 'AC1', status: 'completed' },
        },
        404: { description: 'The call is unknown or has ended.' },
      },
      handle: async ({ params, body, token, deed }) => {
        deed.about(params.callId)
        try {
          reachedCall(live, token, params.callId)
          mustNotNameForeign(token, config, body)
          if (body.Url !== undefined && body.Url !== '') await live.redirect(params.callId, allowedUrl(body.Url, policies.control, '/Url'))
          else if (body.Status === 'completed' || body.Status === 'canceled') await live.end(params.callId, body.Status)
          else throw new ApiError('validation_failed', 'Status=completed or Url= is needed')
          return { status: 200, body: { sid: params.callId, account_sid: params.account, status: live.row(params.callId).state } }
        } catch (error) {
          if (error instanceof ApiError && (error.code === 'call_unknown' || error.code === 'call_ended')) return notFound
          throw error
        }
      },
    }),
  ]
}
