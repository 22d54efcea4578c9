/** What the engine's messages say. Members of the wrong type are read as empty: the engine is ours, a crash of the daemon is not worth it. */
import type { InboundCall, LegEnd } from '../line.ts'
import type { Message } from './frames.ts'

/** What an `invite` message says about the call, without its leg. */
export function readInvite(message: Message): Omit<InboundCall, 'leg'> {
  const headers: Record<string, string> = {}
  const given = message['headers']
  if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = text(value)
  }
  return {
    trunkId: text(message['trunk']),
    extension: text(message['extension']),
    from: text(message['from']),
    to: text(message['to']),
    callerName: text(message['fromName']),
    calledName: text(message['toName']),
    diversion: text(message['diversion']),
    source: text(message['source']),
    headers,
  }
}

export function readEnd(message: Message): LegEnd {
  return {
    by: oneOf(message['by'], ['remote', 'local', 'system'], 'system'),
    reason: oneOf(
      message['reason'],
      ['hangup', 'canceled', 'rejected', 'no-answer', 'media-timeout', 'unreachable', 'driver-lost', 'failed'],
      'failed',
    ),
    sipCode: whole(message['code']),
    cause: whole(message['cause']),
    text: text(message['text']),
    ...(text(message['redirect']) === '' ? {} : { redirectedTo: text(message['redirect']) }),
  }
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function whole(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : 0
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[], otherwise: T): T {
  return allowed.includes(value as T) ? (value as T) : otherwise
}

/** A fault for the log, with where it came from. */
export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
