/** Red words where nobody takes the calls of a queue; how long somebody waits: counting, with a colour and a word; and to take the call. */
import type { QueueView } from '../../schema/queues.ts'
import { Icon } from './Icon.tsx'
import { foreign } from './Number.tsx'
import { nobodyText, patience, sayQueue } from './queues.ts'
import { sayReach, takeCall } from './reach-out.ts'
import { lengthText } from './time.ts'
import { nowMs } from './Time.tsx'

export function Nobody({ queue }: { readonly queue: Pick<QueueView, 'members' | 'empty' | 'whenEmpty'> }) {
  const text = nobodyText(queue)
  // The region is there before its words: otherwise nothing is read aloud.
  return (
    <div role="status">
      {text === '' ? null : (
        <p class="note-line red">
          <Icon name="alert" /> {text}
        </p>
      )}
    </div>
  )
}

export interface WaitProps {
  /** ISO 8601. */
  readonly since: string
  readonly waitSeconds: number
  /** Without the word next to the clock, where another one says it. */
  readonly bare?: boolean
}

export function Wait({ since, waitSeconds, bare = false }: WaitProps) {
  const colour = patience(since, nowMs.value, waitSeconds)
  return (
    <span class={`wait ${colour === 'calm' ? 'muted' : colour}`}>
      <b class="num nowrap">{lengthText(nowMs.value - Date.parse(since))}</b>
      {colour === 'calm' || bare ? null : <span class="tag-word">{sayQueue(colour === 'amber' ? 'late' : 'tooLate')}</span>}
    </span>
  )
}

/** `name`: of the caller, as it is shown. The own phone rings. */
export function Take({ callId, name }: { readonly callId: string; readonly name: string }) {
  return (
    <button type="button" class="btn small" aria-label={`${sayReach('take')} ${foreign(name)}`} onClick={() => void takeCall(callId)}>
      {sayReach('take')}
    </button>
  )
}
