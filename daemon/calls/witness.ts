/**
 * What happens in calls, moment by moment, for an observer inside this process: `node:diagnostics_channel`, name `pbxd:call`. Nothing is
 * built while there is no subscriber, and nothing is stored. test/proofs/calls compares it with what people did.
 */
import { channel } from 'node:diagnostics_channel'

export interface Witnessed {
  readonly callId: string
  /**
   * `heard`: the line reported a key or the end; `verb`: a verb begins; `finished`: an input is complete, and is to be reported; `stored`:
   * it would outlive this process; `begun`: a recording has its row and its first sample follows.
   */
  readonly what: 'heard' | 'verb' | 'finished' | 'stored' | 'begun'
  readonly text: string
}

const watched = channel('pbxd:call')

export function witness(callId: string, what: Witnessed['what'], text: string): void {
  if (watched.hasSubscribers) watched.publish({ callId, what, text } satisfies Witnessed)
}
