/**
 * What happened in a call, step by step: warnings first, lanes of caller, box, application and phone with bars by the millisecond, each entry
 * with its data folded away. A technician sees no key, word or prompt.
 */
import { useState } from 'preact/hooks'
import type { CallView, TraceView } from '../../../schema/voice-api.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { PhoneNumber } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Player } from '../../pieces/Player.tsx'
import { Time } from '../../pieces/Time.tsx'
import { Again } from './Again.tsx'
import { endText } from './ends.ts'
import { Entries, Lanes } from './Entries.tsx'
import { isMasked, stepsOf } from './model.ts'
import { traceText } from './sentences.ts'
import { say } from './words.ts'

export default function Trace({ callId }: { readonly callId: string }) {
  const trace = thing<TraceView>(`/api/voice/calls/${encodeURIComponent(callId)}/trace`, ['calls'])
  const [again, setAgain] = useState(false)
  const now = trace.data.value
  if (trace.fault.value?.status === 404) return <Expired />
  return (
    <div class="trace">
      <Panel
        title={say('trace')}
        thing={trace}
        aside={
          may('box') && now !== undefined ? (
            <button type="button" class="btn small" onClick={() => setAgain(true)}>
              <Icon name="turn" />
              {say('again')}
            </button>
          ) : null
        }
      >
        {(whole) => (
          <>
            <Summary call={whole.call} />
            <Whole trace={whole} />
          </>
        )}
      </Panel>
      {again && now !== undefined ? <Again call={now.call} onClose={() => setAgain(false)} /> : null}
    </div>
  )
}

function Expired() {
  return (
    <Panel title={say('trace')}>
      <p class="empty">{say('expired')}</p>
    </Panel>
  )
}

/** The last recording stands with the call; those before it stand here. */
function Summary({ call }: { readonly call: CallView }) {
  const {
    from,
    to,
    direction,
    trunkId,
    startedAt,
    createdAt,
    ringSeconds,
    talkSeconds,
    endedBy,
    endReason,
    sipCode,
    recordings = [],
  } = call
  return (
    <>
      <dl class="facts">
        <dt>{say('direction')}</dt>
        <dd>
          {say(direction)} <PhoneNumber number={from} /> → <PhoneNumber number={to} /> <bdi class="faint">{trunkId}</bdi>
        </dd>
        <dt>{say('began')}</dt>
        <dd>
          <Time at={startedAt ?? createdAt} />
        </dd>
        <dt>{say('rang')}</dt>
        <dd class="num">
          {ringSeconds} s, {talkSeconds} s
        </dd>
        <dt>{say('end')}</dt>
        <dd>
          {call.endedAt === null ? <span class="green">{say('live')}</span> : `${endText(endReason ?? '', endedBy ?? '')} ${sipCode || ''}`}
        </dd>
      </dl>
      {may('recordings')
        ? recordings.slice(0, -1).map((id) => (
            <div class="play" key={id}>
              <Player src={`/api/voice/recordings/${id}`} peaks={`/api/voice/recordings/${id}/peaks`} label={say('audio')} words={false} />
            </div>
          ))
        : null}
    </>
  )
}

function Whole({ trace }: { readonly trace: TraceView }) {
  const { entries, dropped, call } = trace
  const steps = stepsOf(entries, call.endedAt === null)
  const bad = steps.filter((step) => step.isBad)
  if (entries.length === 0 && call.endedAt !== null) return <p class="empty">{say('expired')}</p>
  return (
    <>
      {bad.length === 0 ? null : (
        <section class="warned" aria-label={say('warnings', { n: bad.length })}>
          <h3 class="sub red">{say('warnings', { n: bad.length })}</h3>
          <ul>
            {bad.slice(0, 10).map((step) => (
              <li key={step.n} class={`issue ${step.kind}`}>
                <span class="num faint">{step.ms} ms</span>
                <bdi class="grow">{traceText(step.text)}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      {dropped === 0 ? null : <p class="note">{say('dropped', { n: dropped })}</p>}
      {isMasked(entries) ? (
        <p class="small muted masked">
          <Icon name="lock" /> {say('masked')}
        </p>
      ) : null}
      <Lanes trace={trace} steps={steps} />
      <Entries steps={steps} />
    </>
  )
}
