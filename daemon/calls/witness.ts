/**
 * What happens in calls, moment by moment, for whoever watches this process from the inside: `node:diagnostics_channel`, name
 * `pbxd:call`. Nothing is made of it while nobody listens, and nothing of it is kept. test/proofs/calls holds it against what people did.
 */
import { channel } from 'node:diagnostics_channel'

export interface Witnessed {
  readonly callId: string
  /**
   * `heard`: the line told of a key or of the end; `verb`: a verb begins; `finished`: an input is over, and is to be told; `stored`: it
   * would outlive this process; `begun`: a recording has its row and its first sample follows.
   */
  readonly what: 'heard' | 'verb' | 'finished' | 'stored' | 'begun'
  readonly text: string
}

const watched = channel('pbxd:call')

export function witness(callId: string, what: Witnessed['what'], text: string): void {
  if (watched.hasSubscribers) watched.publish({ callId, what, text } satisfies Witnessed)
}
