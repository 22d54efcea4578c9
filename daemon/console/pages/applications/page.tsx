/** Applications that drive calls: whether each answers, what failed last, a test call, the reports that wait for it; and the CRM. */
import { useSignal } from '@preact/signals'
import type { ApplicationView } from '../../../schema/applications.ts'
import { thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { timeText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { Callbacks } from './Callbacks.tsx'
import { Crm } from './Crm.tsx'
import { failureText } from './sentences.ts'
import { TestCall } from './TestCall.tsx'
import { say } from './words.ts'

const applications = thing<readonly ApplicationView[]>('/api/applications', ['calls', 'box'])

export default function Applications() {
  const tested = useSignal<ApplicationView | undefined>(undefined)
  return (
    <div class="columns wide">
      <Panel
        title={say('applications')}
        count={applications.data.value?.length ?? ''}
        thing={applications}
        isEmpty={(list) => list.length === 0}
        empty={say('empty')}
      >
        {(list) => (
          <ul class="apart">
            {list.map((one) => (
              <li key={one.id}>
                <Application one={one} test={() => (tested.value = one)} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Callbacks />
      <Crm />
      <AtTheBox page="applications" />
      {tested.value === undefined ? null : (
        <TestCall application={tested.value} close={() => ((tested.value = undefined), void applications.reload())} />
      )}
    </div>
  )
}

const nameOf = ({ id, name }: ApplicationView): string => foreign(name === '' ? id : name)

function Application({ one, test }: { readonly one: ApplicationView; readonly test: () => void }) {
  const { id, place, circuit, answered, failed, lastAnswerAt, lastAnswerMs, lastFailure, calls, fallback, numbers } = one
  return (
    <section class="form" aria-label={nameOf(one)}>
      <h3 class="acts">
        <bdi>{nameOf(one)}</bdi> {nameOf(one) === id ? null : <span class="faint small">{id}</span>} <Circuit one={one} />
        <span class="grow" />
        <button type="button" class="btn small" onClick={test}>
          <Icon name="phone" />
          {say('test')}
        </button>
      </h3>
      <p class="muted">{sentenceOf(one)}</p>
      <dl class="facts">
        <dt>{say('address')}</dt>
        <dd>
          <Foreign text={place} />
        </dd>
        <dt>{say('answers')}</dt>
        <dd>
          {say('counts', { answered, failed })} {lastAnswerAt === null ? null : <LastAnswer at={lastAnswerAt} ms={lastAnswerMs} />}
        </dd>
        <dt>{say('lastFailure')}</dt>
        <dd>
          {lastFailure === null ? (
            <span class="muted">{say('noFailure')}</span>
          ) : (
            <>
              <Time at={lastFailure.at} /> {circuit === 'closed' ? null : <b class="red">{say(`why_${lastFailure.reason}`)}</b>}{' '}
              <Foreign text={failureText(lastFailure.text)} />
            </>
          )}
        </dd>
        <dt>{say('calls')}</dt>
        <dd>{say('callsNow', { n: calls })}</dd>
        <dt>{say('numbers')}</dt>
        <dd>{numbers.length === 0 ? <span class="muted">{say('noNumbers')}</span> : numbers.join(', ')}</dd>
        <dt>{say('fallback')}</dt>
        <dd>{fallback === '' ? <span class="amber">{say('noFallback')}</span> : fallback}</dd>
      </dl>
    </section>
  )
}

function LastAnswer({ at, ms }: { readonly at: string; readonly ms: number | null }) {
  return (
    <span class="muted">
      {say('lastAnswer')} <Time at={at} />
      {ms === null ? '' : `, ${say('took', { ms })}`}
    </span>
  )
}

function Circuit({ one: { circuit, failuresInRow, answered } }: { readonly one: ApplicationView }) {
  if (circuit === 'open') return <span class="tag red">{say('open')}</span>
  if (circuit === 'probing') return <span class="tag amber">{say('probing')}</span>
  if (failuresInRow > 0) return <span class="tag amber">{say('shaky', { n: failuresInRow })}</span>
  return answered === 0 ? <span class="tag">{say('notAsked')}</span> : <span class="tag green">{say('closed')}</span>
}

/** What its state means for somebody who calls. */
function sentenceOf({ circuit, openUntil, failuresInRow, answered, fallback }: ApplicationView): string {
  if (circuit === 'open')
    return say(fallback === '' ? 'openSayNowhere' : 'openSay', { to: fallback, time: openUntil === null ? '' : timeText(openUntil) })
  if (circuit === 'probing') return say('probingSay')
  if (failuresInRow > 0) return say('shakySay')
  return say(answered === 0 ? 'silentSay' : 'closedSay')
}
