/** Which listeners of the engine are open, and what it says of those that are not: read out of `configured` of PROTOCOL.md. */
import type { Message } from './frames.ts'
import { text } from './reading.ts'

export const listenerNames = ['udp', 'tcp', 'tls'] as const
export type ListenerName = (typeof listenerNames)[number]

/** `host:port` as bound, or null. */
export type Bound = Readonly<Record<ListenerName, string | null>>

export interface EngineFault {
  /** A listener, or another part of the engine, such as `endpoint`. */
  readonly part: string
  /** Such as `127.0.0.1:5060: Address already in use`. */
  readonly text: string
}

export function boundIn(configured: Message | null): Bound {
  const of = (name: ListenerName): string | null => (typeof configured?.[name] === 'string' ? configured[name] : null)
  return { udp: of('udp'), tcp: of('tcp'), tls: of('tls') }
}

export function faultsIn(configured: Message | null): EngineFault[] {
  const errors: unknown = configured?.['errors']
  if (!Array.isArray(errors)) return []
  return errors.map((error: Record<string, unknown> | null) => ({ part: text(error?.['part']), text: text(error?.['text']) }))
}

export function isListener(part: string): part is ListenerName {
  return (listenerNames as readonly string[]).includes(part)
}

/** Listeners that were wanted and are not open, while others may be. */
export function closedListeners(configured: Message | null): EngineFault[] {
  return faultsIn(configured).filter(({ part }) => isListener(part))
}

/** What keeps the engine from taking any call; '' while one listener is open and nothing else is wrong. */
export function unfitness(configured: Message): string {
  const open = listenerNames.some((name) => boundIn(configured)[name] !== null)
  return faultsIn(configured)
    .filter(({ part }) => !open || !isListener(part))
    .map(({ part, text: why }) => `${part}: ${why}`)
    .join('; ')
}
