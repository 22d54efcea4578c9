/** A thing of the live stream, and its state as readers of one audience get it. */
import type { LiveTopic } from '../schema/live.ts'

export interface Thing {
  readonly topic: LiveTopic
  /** '' where the topic has one kind. */
  readonly kind: string
  readonly id: string
}

/** `masked`: a technician, who sees states and masked numbers, and no name or text of a patient. */
export type Audience = 'whole' | 'masked'

/** Where a thing belongs to somebody: only readers with that mailbox, or of that session, get it. */
export interface Place {
  readonly mailbox?: string
  readonly sessionId?: string
}

export interface State extends Place {
  readonly whole: object
  /** null: not for that audience. */
  readonly masked: object | null
}

/** null: there is no such thing any more. */
export type Source = (id: string, kind: string) => State | null
export type Sources = Map<LiveTopic, Source>

/** What is written for one event. */
export interface Piece extends Place {
  readonly text: string
}

/** null where nobody of that audience may see it. */
export function textOf(sources: Sources, { topic, kind, id }: Thing, audience: Audience, eventId: string): Piece | null {
  const state = sources.get(topic)?.(id, kind) ?? null
  const shown = state === null ? { gone: true } : state[audience]
  if (shown === null) return null
  const data = JSON.stringify({ ...shown, topic, id, ...(kind === '' ? {} : { kind }) })
  const { mailbox, sessionId } = state ?? {}
  return {
    text: `id: ${eventId}\nevent: ${topic}\ndata: ${data}\n\n`,
    ...(mailbox === undefined ? {} : { mailbox }),
    ...(sessionId === undefined ? {} : { sessionId }),
  }
}
