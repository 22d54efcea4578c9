/** An event of a call as the outbox takes it: for the status address of the call, signed with the secret of its endpoint. */
import type { Call } from './call.ts'
import type { CallEvent } from './envelope.ts'
import { secretOfEndpoint } from './new-call.ts'

export function callbackOf({ id, row }: Call, event: CallEvent) {
  return {
    eventId: event.eventId,
    kind: event.event,
    subject: id,
    url: row.statusCallbackUrl,
    secret: secretOfEndpoint(row.endpointId),
    body: event.body,
    schedule: 'call' as const,
    fifo: id,
  }
}
