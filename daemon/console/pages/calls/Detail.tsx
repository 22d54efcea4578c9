/** One call: who, what became of it, its recording, its way through the house, and what people noted. */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CallRecordView, NoteView } from '../../../schema/history.ts'
import { Fault, send } from '../../frame/api.ts'
import { afterAsking, done } from '../../frame/deeds.ts'
import { draft, drop } from '../../frame/drafts.ts'
import { sentence } from '../../frame/faults.ts'
import { house } from '../../frame/house.ts'
import { useKeys } from '../../frame/keys.ts'
import type { LiveEvent } from '../../frame/live.ts'
import { may } from '../../frame/session.ts'
import { thing, type Thing } from '../../frame/state.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Foreign, foreign, Person, PhoneNumber } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Player } from '../../pieces/Player.tsx'
import { callBack, sayReach, writeText } from '../../pieces/reach-out.ts'
import { lengthText } from '../../pieces/time.ts'
import { Time } from '../../pieces/Time.tsx'
import { sayWork } from '../../pieces/work.ts'
import { WorkBox } from '../../pieces/WorkBox.tsx'
import { otherOf, Outcome, returnedText, whereOf, workFor, type Call } from './cells.tsx'
import { Ladder } from './Ladder.tsx'
import { say } from './words.ts'

export interface DetailProps {
  readonly callId: string
  readonly close: () => void
  /** Shows all calls with a number. */
  readonly allOf: (number: string) => void
}

export function Detail({ callId, close, allOf }: DetailProps) {
  const fold = (now: CallRecordView, { data }: LiveEvent<{ id?: string }>): CallRecordView | undefined =>
    data.id === callId ? undefined : now
  const record = thing<CallRecordView>(`/api/pbx/calls/history/${encodeURIComponent(callId)}`, ['calls'], fold)
  const call = record.data.value
  const lives = house.data.value?.calls.some((one) => one.callId === callId) === true
  const isGone = record.fault.value?.status === 404
  const head = useRef<HTMLDivElement>(null)
  useEffect(() => head.current?.focus(), [])
  useKeys({ Escape: { does: say('back'), run: close } })
  return (
    <div class="call-detail" ref={head} tabIndex={-1}>
      <button type="button" class="btn small quiet back" onClick={close}>
        <Icon name="left" />
        {say('back')}
      </button>
      {isGone ? (
        <Panel title={say('thisCall')} aside={<Close close={close} />}>
          <p class="empty">{say(lives ? 'liveCall' : 'goneCall')}</p>
        </Panel>
      ) : (
        <Panel title={call === undefined ? say('thisCall') : titleOf(call)} thing={record} aside={<Close close={close} />}>
          {(one) => <Whole call={one} record={record} allOf={allOf} />}
        </Panel>
      )}
    </div>
  )
}

const titleOf = (call: Call): string => foreign(call.direction === 'outbound' ? '' : (call.callerName ?? '')) || say('thisCall')

function Close({ close }: { readonly close: () => void }) {
  return (
    <button type="button" class="btn icon quiet wide-only" aria-label={say('back')} onClick={close}>
      <Icon name="close" />
    </button>
  )
}

interface WholeProps extends Pick<DetailProps, 'allOf'> {
  readonly call: Call
  readonly record: Thing<CallRecordView>
}

function Whole({ call, record, allOf }: WholeProps) {
  const work = workFor(call)
  const number = otherOf(call)
  return (
    <>
      <Facts call={call} />
      {may('patients') && /^\+\d+$/.test(number) ? <Deeds number={number} allOf={allOf} /> : null}
      {work === undefined ? null : <WorkBox key={work.id} item={work} />}
      {call.recording === undefined || !may('recordings') ? null : <Recording call={call} record={record} />}
      {call.voicemailId === undefined || !may('patients') ? null : (
        <p class="form">
          <a class="btn" href={`/voicemail?id=${encodeURIComponent(call.voicemailId)}`}>
            <Icon name="voicemail" />
            {say('toVoicemail')}
          </a>
        </p>
      )}
      <h3 class="sub">{say('way')}</h3>
      <Ladder call={call} />
      {may('box') ? <TraceOf callId={call.callId} /> : null}
      {may('calls') ? <Notes call={call} record={record} /> : null}
    </>
  )
}

/** Step by step, for technicians: loaded when somebody asks for it. */
function TraceOf({ callId }: { readonly callId: string }) {
  const [Trace, setTrace] = useState<ComponentType<{ readonly callId: string }>>()
  if (Trace !== undefined) return <Trace callId={callId} />
  const load = (): void => void import('../trace/Trace.tsx').then((module) => setTrace(() => module.default))
  return (
    <p class="form">
      <button type="button" class="btn" onClick={load}>
        <Icon name="health" />
        {say('trace')}
      </button>
    </p>
  )
}

function Facts({ call }: { readonly call: Call }) {
  const { direction, callerName = '', startedAt, to, ringSeconds = 0, talkSeconds = 0, outcome } = call
  const back = returnedText(call)
  const where = whereOf(call)
  return (
    <dl class="facts">
      <dt>{say('who')}</dt>
      <dd>
        <Person name={direction === 'outbound' ? '' : callerName} number={otherOf(call)} />
      </dd>
      <dt>{say('when')}</dt>
      <dd>
        <Time at={startedAt} />
      </dd>
      <dt>{say('outcome')}</dt>
      <dd>
        <Outcome call={call} />
      </dd>
      <dt>{say('length')}</dt>
      <dd class="num">
        {say('rang', { length: lengthText(ringSeconds * 1000) })}
        {outcome === 'answered' ? `, ${say('talked', { length: lengthText(talkSeconds * 1000) })}` : ''}
      </dd>
      {where === '' ? null : (
        <>
          <dt>{say('where')}</dt>
          <dd>{where}</dd>
        </>
      )}
      {direction === 'inbound' ? (
        <>
          <dt>{say('link')}</dt>
          <dd>
            <PhoneNumber number={to} />
          </dd>
        </>
      ) : null}
      {call.returned === undefined ? null : (
        <>
          <dt>{say('state')}</dt>
          <dd>
            {back === '' ? (
              <span class="red">{say('notReturned')}</span>
            ) : (
              <a class="green" href={`/calls/${encodeURIComponent(call.returned!.callId)}`}>
                {back}
              </a>
            )}
          </dd>
        </>
      )}
    </dl>
  )
}

function Deeds({ number, allOf }: { readonly number: string; readonly allOf: (number: string) => void }) {
  useKeys({ c: { does: sayReach('callBack'), run: () => void callBack(number) } })
  return (
    <div class="form acts">
      <button type="button" class="btn main" onClick={() => void callBack(number)}>
        <Icon name="callBack" />
        {sayReach('callBack')}
        <kbd aria-hidden="true">C</kbd>
      </button>
      <button type="button" class="btn" onClick={() => writeText(number)}>
        <Icon name="text" />
        {sayReach('text')}
      </button>
      <button type="button" class="btn quiet" onClick={() => allOf(number)}>
        {say('allOfNumber')}
      </button>
    </div>
  )
}

function Recording({ call, record }: Pick<WholeProps, 'call' | 'record'>) {
  const { state, mediaUrl } = call.recording!
  const erase = async (path: string): Promise<void> => {
    const question = { title: say('deleteTitle'), lost: say('deleteLost'), button: say('deleteRecording') }
    await afterAsking(question, () => send('DELETE', path), say('recordingDeleted'))
    await record.reload()
  }
  return (
    <>
      <h3 class="sub">{say('recording')}</h3>
      <div class="play">
        {mediaUrl === undefined ? null : <Player src={mediaUrl} peaks={`${mediaUrl}/peaks`} label={say('recording')} />}
        {state === 'ready' ? null : (
          <p class="muted" role="status">
            {say(state === 'expired' ? 'recordingExpired' : mediaUrl === undefined ? 'recordingPending' : 'wordsPending')}
          </p>
        )}
        {mediaUrl === undefined || !may('erase') ? null : (
          <p>
            <button type="button" class="btn small danger" onClick={() => void erase(mediaUrl)}>
              <Icon name="trash" />
              {say('deleteRecording')}
            </button>
          </p>
        )}
      </div>
    </>
  )
}

function Notes({ call, record }: Pick<WholeProps, 'call' | 'record'>) {
  const { notes = [], callId } = call
  const key = `note:${callId}`
  const text = draft(key, '')
  const id = `call-note-${callId}`
  const save = async (): Promise<void> => {
    try {
      const path = `/api/pbx/calls/${encodeURIComponent(callId)}/notes`
      const { notes: added } = await send<{ notes: NoteView[] }>('POST', path, { text: text.value })
      record.set((now) => ({
        ...now,
        notes: [...(now.notes ?? []).filter((old) => !added.some(({ noteId }) => noteId === old.noteId)), ...added],
      }))
      text.value = ''
      drop(key)
      done(say('noteSaved'))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
  }
  useKeys({ n: { does: say('note'), run: () => document.getElementById(id)?.focus() } })
  return (
    <>
      <h3 class="sub">{say('notes')}</h3>
      <ul>
        {notes.map((note) => (
          <li key={note.noteId} class="noted">
            <p>
              <Foreign text={note.text} />
            </p>
            <p class="small faint">
              <Foreign text={note.authorUserId ?? note.authorExtension ?? ''} /> <Time at={note.createdAt} />
            </p>
          </li>
        ))}
      </ul>
      <form class="form" onSubmit={(event) => (event.preventDefault(), text.value.trim() !== '' && void save())}>
        <label class="field">
          <span>{say('note')}</span>
          <textarea
            id={id}
            class="box"
            maxLength={8000}
            placeholder={say('noteHint')}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {text.value.trim() === '' ? null : (
          <button type="submit" class="btn">
            {sayWork('saveNote')}
          </button>
        )}
      </form>
    </>
  )
}
