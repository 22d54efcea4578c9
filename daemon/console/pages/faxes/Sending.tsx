/** Faxes that go: how far, why one waits and until when, and what can be done. */
import { useSignal } from '@preact/signals'
import type { FaxSummary } from '../../../schema/fax.ts'
import { Fault, send } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { may } from '../../frame/session.ts'
import { locale } from '../../frame/site.ts'
import { foreign, Person } from '../../pieces/Number.tsx'
import { nameOf } from '../../pieces/names.ts'
import { timeText } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { Correct } from './Correct.tsx'
import { faxes, isEnded, retry } from './data.ts'
import { reasonText } from '../../pieces/words.ts'
import { say } from './words.ts'

export function SendingList({ faxes: list }: { readonly faxes: readonly FaxSummary[] }) {
  if (list.length === 0) return <p class="empty">{say('emptySending')}</p>
  return (
    <ul>
      {list.map((fax) => (
        <li key={fax.faxId} class="sending">
          <Sending fax={fax} />
        </li>
      ))}
    </ul>
  )
}

async function deed(run: () => Promise<unknown>, said: string): Promise<void> {
  try {
    await run()
    done(said)
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
  void faxes.reload()
}

function Sending({ fax }: { readonly fax: FaxSummary }) {
  const correcting = useSignal(false)
  const name = nameOf(fax.to)
  const cancel = async (): Promise<void> => {
    const lost = say('cancelLost', { sent: fax.pagesSent, n: fax.pages })
    if (!(await ask({ title: say('cancelTitle'), lost, button: say('cancelButton') }))) return
    await deed(() => send('POST', `/api/fax/${encodeURIComponent(fax.faxId)}/cancel`), say('canceledNow'))
  }
  return (
    <>
      <div class="acts">
        <span class="grow">
          <Person name={name} number={fax.to} />
        </span>
        <Standing fax={fax} />
      </div>
      {fax.status === 'sending' || fax.status === 'dialing' ? <Meter fax={fax} /> : null}
      <p class="small muted" role="status">
        {sentenceOf(fax)}
      </p>
      {may('calls') ? (
        <div class="acts">
          {fax.status === 'failed' || fax.status === 'retrying' ? (
            <button type="button" class="btn small" onClick={() => (correcting.value = true)}>
              {say('correct')}
            </button>
          ) : null}
          {fax.status === 'failed' || fax.status === 'retrying' || isLater(fax) ? (
            <button type="button" class="btn small quiet" onClick={() => void deed(() => retry(fax), say('goesAgain'))}>
              {say(fax.status === 'failed' ? 'again' : 'now')}
            </button>
          ) : null}
          {isEnded(fax) ? null : (
            <button type="button" class="btn small quiet" onClick={() => void cancel()}>
              {say('cancelFax')}
            </button>
          )}
        </div>
      ) : null}
      {correcting.value ? <Correct fax={fax} close={() => (correcting.value = false)} /> : null}
    </>
  )
}

function Standing({ fax }: { readonly fax: FaxSummary }) {
  if (fax.status === 'failed') return <span class="tag red">{say('failed')}</span>
  if (fax.status === 'retrying' && fax.reason !== null) return <span class="tag amber">{reasonText(fax.reason)}</span>
  return <span class="num muted">{say('ofPages', { sent: fax.pagesSent, n: fax.pages })}</span>
}

function Meter({ fax }: { readonly fax: FaxSummary }) {
  const part = (fax.progress?.percent ?? 0) / 100
  const share = fax.pages === 0 ? 0 : Math.round(((fax.pagesSent + (fax.pagesSent < fax.pages ? part : 0)) / fax.pages) * 100)
  return (
    <div class="meter" role="progressbar" aria-label={say('progress')} aria-valuemin={0} aria-valuemax={100} aria-valuenow={share}>
      <i style={{ width: `${share}%` }} />
    </div>
  )
}

const isLater = ({ sendAt, status }: FaxSummary): boolean =>
  sendAt !== null && Date.parse(sendAt) > nowMs.value && (status === 'queued' || status === 'processing')

/** What the fax does, why it waits, and until when. */
function sentenceOf(fax: FaxSummary): string {
  const minutes = Math.max(1, Math.round((fax.estimatedSeconds ?? 0) / 60))
  const left = fax.estimatedSeconds === null ? '' : say('minutesLeft', { n: minutes })
  const until = timeText(fax.expiresAt)
  if (isLater(fax)) return `${say('goesAt', { time: timeText(fax.sendAt!) })} ${left}`
  switch (fax.status) {
    case 'queued':
      return say('beingDrawn')
    case 'processing':
      return `${say('waitsForLine', { until })} ${left}`
    case 'dialing':
      return `${say('rings')} ${left}`
    case 'sending': {
      const page = fax.progress?.page ?? Math.min(fax.pages, fax.pagesSent + 1)
      const rate = fax.bitRate > 0 ? say('rate', { rate: new Intl.NumberFormat(locale()).format(fax.bitRate) }) : ''
      return `${say('pageGoes', { page })} ${rate} ${left}`.replaceAll(/ {2,}/g, ' ')
    }
    case 'retrying': {
      const why = fax.reason === null ? '' : say('why', { reason: reasonText(fax.reason) })
      const next = fax.nextAttemptAt === null ? '' : say('againAt', { time: timeText(fax.nextAttemptAt), until })
      return `${why} ${say('tried', { n: fax.attempts })} ${next}`.trim()
    }
    case 'failed':
      return fax.reason === null ? foreign(fax.message) : say('failedWhy', { reason: reasonText(fax.reason) })
    default:
      return ''
  }
}
