/** What a manager asks first, in words: how many calls nobody took, who called back, and when callers wait longest. */
import type { CallFiguresView } from '../../../schema/figures.ts'
import { extensionName } from '../../frame/house.ts'
import { may } from '../../frame/session.ts'
import { foreign } from '../../pieces/Number.tsx'
import { FaultNote, Loading } from '../../pieces/Panel.tsx'
import type { Thing } from '../../frame/state.ts'
import { figure } from '../../frame/words.ts'
import { lengthText } from '../../pieces/time.ts'
import {
  hoursText,
  longestOf,
  missedOf,
  placeInWeek,
  shareText,
  weekCells,
  weekdayText,
  type CallBucket,
  type RangeFigures,
} from './data.ts'
import { rangeText, weekRange, type Range } from './range.ts'
import { say } from './words.ts'

export interface AnswersProps {
  readonly range: Range
  readonly of: RangeFigures
}

export function Answers({ range, of }: AnswersProps) {
  return (
    <div class="answers">
      <Answer thing={of.whole}>{(figures) => <Missed bucket={figures.buckets[0]!} range={range} />}</Answer>
      <Answer thing={of.colleagues}>
        {(figures) => <Returned colleagues={figures.buckets} whole={of.whole.data.value?.buckets[0]} range={range} />}
      </Answer>
      <Answer thing={of.weekOfCalls}>{(figures) => <LongestQueue calls={figures.buckets} of={of} range={weekRange(range)} />}</Answer>
    </div>
  )
}

interface AnswerProps {
  readonly thing: Thing<CallFiguresView>
  readonly children: (figures: CallFiguresView) => preact.ComponentChildren
}

function Answer({ thing, children }: AnswerProps) {
  const figures = thing.data.value
  const fault = thing.fault.value
  return (
    <section class="panel answer">
      {fault === undefined ? null : <FaultNote fault={fault} again={() => thing.reload()} />}
      {figures === undefined ? fault === undefined && <Loading /> : children(figures)}
    </section>
  )
}

function Missed({ bucket, range }: { readonly bucket: CallBucket; readonly range: Range }) {
  const { inbound, missed, abandoned, voicemail } = bucket
  const parts = [
    ['missed', missed, say('missedTaken', { n: missed })],
    ['abandoned', abandoned, say('missedGaveUp', { n: abandoned })],
    ['voicemail', voicemail, say('missedLeft', { n: voicemail })],
  ] as const
  const all = missedOf(bucket)
  const share = shareText(all, inbound)
  return (
    <>
      <h2>{say('missedCalls', { n: all })}</h2>
      <p>
        {rangeText(range)}, {share === undefined ? say('callsFrom', { n: inbound }) : say('callsFromShare', { n: inbound, share })}
      </p>
      {all === 0 ? null : (
        <p class="muted">
          {parts
            .filter(([, count]) => count > 0)
            .map(([outcome, , text], n) => (
              <>
                {n === 0 ? '' : ', '}
                <Shown query={`list=all&direction=inbound&outcome=${outcome}`} range={range} text={text} />
              </>
            ))}
          .
        </p>
      )}
    </>
  )
}

/** Leads a person who may see calls to those that were counted. */
function Shown({ query, range: { from, to }, text }: { readonly query: string; readonly range: Range; readonly text: string }) {
  if (!may('calls')) return text
  return <a href={`/calls?${query}&day=${from}${to === from ? '' : `&until=${to}`}`}>{text}</a>
}

interface ReturnedProps {
  readonly colleagues: readonly CallBucket[]
  readonly whole: CallBucket | undefined
  readonly range: Range
}

function Returned({ colleagues, whole, range }: ReturnedProps) {
  if (whole === undefined) return null
  const all = missedOf(whole)
  if (all === 0) return <p class="plain-answer">{say('backNone')}</p>
  const by = colleagues.filter(({ returned }) => returned > 0).toSorted((a, b) => b.returned - a.returned)
  const open = all - whole.returned
  return (
    <>
      <h2>{say('backShare', { n: whole.returned, all })}</h2>
      {by.length === 0 ? (
        <p>{say('nobody')}</p>
      ) : (
        <ul class="by">
          {by.map(({ key, returned }) => (
            <li key={key}>
              <b class="num">{figure(returned)}</b> {say('by', { who: whoText(key) })}
            </li>
          ))}
        </ul>
      )}
      {open > 0 ? (
        <p class="muted">
          {say('notReturned')}: <b class="num">{figure(open)}</b>{' '}
          {may('calls') ? <Shown query="list=open" range={range} text={say('showThem')} /> : null}
        </p>
      ) : null}
    </>
  )
}

/** `Jon Bell (102)`. */
export function whoText(extension: string): string {
  const name = foreign(extensionName(extension))
  return name === '' ? extension : `${name} (${extension})`
}

function LongestQueue({ calls, of, range }: { readonly calls: readonly CallBucket[]; readonly of: RangeFigures; readonly range: Range }) {
  const queues = of.weekOfQueues.data.value?.buckets
  const found = longestOf(weekCells(queues ?? [], calls))
  if (queues === undefined && of.weekOfQueues.fault.value === undefined) return <Loading />
  if (found === undefined)
    return (
      <>
        <h2>{say('longest')}: –</h2>
        <p>{say('longestNone')}</p>
      </>
    )
  const { day, hour } = placeInWeek(found.key)
  return (
    <>
      <h2>
        {say('longest')}: {weekdayText(day, 'long')}, {hoursText(hour)}
      </h2>
      <p>
        {found.p50 === null || found.p95 === null
          ? say('longestFew', { n: found.callers })
          : say('longestHow', { half: lengthText(found.p50 * 1000), most: lengthText(found.p95 * 1000) })}
      </p>
      <p class="muted">{rangeText(range)}</p>
    </>
  )
}
