/** An event of a call as the outbox takes it: for the status address of the call, signed with the secret of its endpoint. */
import type { CallEvent } from '../schema/events.ts'
import type { Call } from './call.ts'
import { secretOfEndpoint } from './new-call.ts'

export function callbackOf({ id, row }: Call, event: CallEvent) {
  return {
    event,
    subject: id,
    url: row.statusCallbackUrl,
    secret: secretOfEndpoint(row.endpointId),
    schedule: 'call' as const,
    fifo: id,
  }
}
