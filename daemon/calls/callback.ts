/** An event of a call as the outbox takes it, signed with the secret of its endpoint: for the status address of the call, or another. */
import type { CallEvent } from '../schema/events.ts'
import type { Call } from './call.ts'
import { secretOfEndpoint } from './new-call.ts'

export function callbackOf({ id, row }: Call, event: CallEvent, url = row.statusCallbackUrl) {
  return {
    event,
    subject: id,
    url,
    secret: secretOfEndpoint(row.endpointId),
    schedule: 'call' as const,
    // Each address has the events of a call in their order, and waits for no other.
    fifo: url === row.statusCallbackUrl ? id : `${id} ${url}`,
  }
}
