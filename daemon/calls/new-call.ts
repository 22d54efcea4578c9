/** The row of a call that begins. */
import { newCallId } from '../base/ids.ts'
import type { CallRow } from '../store/tables.ts'

/** Begins the endpoint id of a call that a part of this program drives as an application; no configured endpoint has such an id. */
export const internalPrefix = 'internal:'

/** Name of the secret that signs the events of a call of that endpoint. */
export function secretOfEndpoint(endpointId: string): string {
  return endpointId === '' || endpointId.startsWith(internalPrefix) ? 'callbacks' : `endpoint:${endpointId}`
}

export function newCallRow(now: number, direction: 'inbound' | 'outbound'): CallRow {
  return {
    callId: newCallId(),
    direction,
    state: direction === 'inbound' ? 'ringing' : 'queued',
    activity: '',
    from: '',
    to: '',
    callerName: '',
    trunkId: '',
    extension: '',
    endpointId: '',
    source: null,
    statusCallbackUrl: '',
    statusEvents: [],
    sequence: 0,
    timeoutSeconds: 0,
    maxSeconds: 0,
    createdAt: now,
    startedAt: now,
    answeredAt: null,
    endedAt: null,
    ringSeconds: 0,
    talkSeconds: 0,
    endReason: null,
    endedBy: null,
    sipCode: 0,
    answeredBy: 'unknown',
    documents: 0,
    recordings: [],
  }
}

/** First key of the calls made at or after `time`: a call id begins with its time (UUIDv7). */
export function callKeyAt(time: number): string {
  return `CA${Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')}`
}
