/** What a row says of a call, and the same in its details. */
import type { CallRecordView } from '../../../schema/history.ts'
import type { WorkItemView } from '../../../schema/work.ts'
import { extensionName, queueName } from '../../frame/house.ts'
import { may } from '../../frame/session.ts'
import { Icon } from '../../pieces/Icon.tsx'
import type { IconName } from '../../pieces/icons.ts'
import { foreign } from '../../pieces/Number.tsx'
import { lengthText, timeText } from '../../pieces/time.ts'
import { findWork, workOf } from '../../pieces/work.ts'
import { WorkState } from '../../pieces/WorkBox.tsx'
import { say } from './words.ts'

export type Call = CallRecordView

/** Somebody called, and nobody of the house talked to them. */
export const isMissed = ({ returned }: Call): boolean => returned !== undefined

/** The number of the person outside; of a call within the house, the phone that was called. */
export function otherOf({ direction, from, to, legs }: Call): string {
  if (direction === 'inbound') return from
  return legs.findLast(({ trunkId }) => trunkId !== '')?.to ?? to
}

/** `102 Jon Bell`. */
export function phoneText(extension: string): string {
  const name = extensionName(extension)
  return name === '' ? extension : `${extension} ${foreign(name)}`
}

export function Outcome({ call }: { readonly call: Call }) {
  const { direction, outcome = 'answered' } = call
  const icon: IconName = isMissed(call)
    ? 'callMissed'
    : direction === 'inbound'
      ? 'callIn'
      : direction === 'outbound'
        ? 'callBack'
        : 'phone'
  const colour = isMissed(call) ? (call.returned === null ? 'red' : 'amber') : outcome === 'answered' ? 'green' : ''
  return (
    <span class={`outcome ${colour}`}>
      <Icon name={icon} />
      <span class="cut">{say(outcome)}</span>
      <span class="vh">{say(direction)}</span>
    </span>
  )
}

/** Where in the house the call was: who talked, or what rang in vain. */
export function whereOf({ direction, extension = '', outcome, queue = '', legs, endpoint = '' }: Call): string {
  const rang = [...new Set(legs.filter(({ trunkId }) => trunkId === '').map(({ to }) => to))]
  const queued = queue === '' ? '' : foreign(queueName(queue))
  if (extension !== '' && (outcome === 'answered' || direction !== 'inbound'))
    return queued === '' ? phoneText(extension) : `${phoneText(extension)}, ${queued}`
  if (queued !== '') return queued
  if (rang.length > 0) return rang.length === 1 ? phoneText(rang[0]!) : rang.join(', ')
  return endpoint
}

export function lengthOf({ outcome, talkSeconds = 0, ringSeconds = 0 }: Call): string {
  if (outcome === 'answered' || talkSeconds > 0) return lengthText(talkSeconds * 1000)
  return ringSeconds === 0 ? say('noLength') : say('rang', { length: lengthText(ringSeconds * 1000) })
}

/** Who talked with the caller since. */
export function returnedText({ returned }: Call): string {
  if (returned == null) return ''
  const values = { time: timeText(returned.at), who: phoneText(returned.extension) }
  return say(returned.direction === 'outbound' ? 'calledBack' : 'calledAgain', values)
}

/** Reads the items of work that calls have. */
export function followWork(): void {
  for (const kind of ['missed', 'callback', 'voicemail'] as const) void [workOf(kind).open.data.value, workOf(kind).closed.data.value]
}

/** The item of work of a call: of missed ones there is one a number, which all calls of that time belong to. */
export function workFor({ callId, from, startedAt, voicemailId, returned }: Call): WorkItemView | undefined {
  if (!may('calls')) return undefined
  if (voicemailId !== undefined) return findWork('voicemail', voicemailId)
  if (returned === undefined) return undefined
  const wished = findWork('callback', callId)
  if (wished !== undefined) return wished
  const isOf = ({ number, at, closedAt }: WorkItemView): boolean =>
    number === from && at <= startedAt && (closedAt === null || startedAt <= closedAt)
  const { open, closed } = workOf('missed')
  return open.data.value?.items.find(isOf) ?? closed.data.value?.items.find(isOf)
}

/** What has become of it since: who called back, who has it, that there are notes. */
export function After({ call }: { readonly call: Call }) {
  const work = workFor(call)
  const notes = call.notes?.length ?? 0
  const back = returnedText(call)
  return (
    <>
      {back === '' ? null : <span class="green">{back}</span>}
      {back === '' && work !== undefined && (work.state === 'done' || work.owner !== null) ? (
        <span>
          <WorkState item={work} />
        </span>
      ) : null}
      {notes === 0 ? null : (
        <span class="tag">
          <Icon name="note" />
          {say('noted', { n: notes })}
        </span>
      )}
    </>
  )
}
