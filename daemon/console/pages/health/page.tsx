/** Health, where a technician begins: how the box is in one sentence, what needs somebody and what repairs it, and what the box is made of. */
import { useEffect, useState } from 'preact/hooks'
import type { HealthDetails, HealthView } from '../../../schema/health.ts'
import { thing, type Thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { BoxEvent, endText, EventText, Severity, type BoxEventPage } from '../../pieces/BoxEvent.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Time } from '../../pieces/Time.tsx'
import { Disk, Facts } from './Facts.tsx'
import { CallsToday, Lines, Phones } from './Lines.tsx'
import { TestEverything } from './TestEverything.tsx'
import { say } from './words.ts'

/** What no event reports, such as the load, is read again so often. */
const readEveryMs = 30_000

export default function Health() {
  const health = thing<HealthView>('/api/health', ['box'])
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && void health.reload(), readEveryMs)
    return () => clearInterval(timer)
  }, [])
  const now = health.data.value
  return (
    <div class="health">
      <Verdict health={health} />
      {hasDetails(now) ? (
        <>
          <div class="col">
            <Lines lines={now.lines} />
            <Phones phones={now.phones} />
            <CallsToday calls={now.calls} />
            <Facts health={now} />
          </div>
          <div class="col">
            <Disk disk={now.disk} />
            <Happened />
            <AtTheBox page="health" />
          </div>
        </>
      ) : null}
    </div>
  )
}

type Whole = HealthView & HealthDetails

/** People who may not see all of it get the verdict alone. */
const hasDetails = (view: HealthView | undefined): view is Whole => view?.lines !== undefined

const order = { error: 0, warning: 1, notice: 2 } as const

function Verdict({ health }: { readonly health: Thing<HealthView> }) {
  const [tests, setTests] = useState(false)
  const now = health.data.value
  const faults = (now?.events ?? []).filter(({ severity }) => severity !== 'notice')
  const phone = /^phone-/
  const notices = (now?.events ?? []).filter(({ severity, code }) => severity === 'notice' && !phone.test(code))
  const lines = (now?.lines ?? []).map(({ id }) => id)
  const shown = faults.toSorted((a, b) => order[a.severity] - order[b.severity])
  return (
    <Panel
      title={now === undefined ? say('verdict') : titleOf(now)}
      class={`verdict ${now === undefined ? '' : lookOf(now)}`}
      {...(now?.verdict.ok === false ? { count: (now.lines ?? []).some(({ ok }) => ok) ? say('canCall') : say('cannotCall') } : {})}
      thing={health}
      aside={
        <button type="button" class="btn small" onClick={() => setTests(true)}>
          <Icon name="health" />
          {say('testEverything')}
        </button>
      }
    >
      {() => (
        <>
          {shown.map((event) => (
            <BoxEvent key={event.eventId} event={event} lines={lines} changed={() => health.reload()} />
          ))}
          {notices.length === 0 ? null : (
            <details>
              <summary>{say('notices', { n: notices.length })}</summary>
              {notices.map((event) => (
                <BoxEvent key={event.eventId} event={event} lines={lines} changed={() => health.reload()} />
              ))}
            </details>
          )}
          {tests ? <TestEverything onClose={() => (setTests(false), void health.reload())} /> : null}
        </>
      )}
    </Panel>
  )
}

/** Green is what works whole: a line that has not come up yet is no fault, and nothing to be glad about. */
function lookOf({ verdict, lines = [] }: HealthView): string {
  if (!verdict.ok) return verdict.severity
  return lines.every(({ ok }) => ok) ? 'good' : 'warning'
}

function titleOf({ verdict, lines = [] }: HealthView): string {
  if (!verdict.ok) return say('needs', { n: verdict.faults })
  const working = lines.filter(({ ok }) => ok).length
  // A line that has not come up since the start is no lasting fault for a minute or two.
  if (working < lines.length) return say('nothingLasts', { n: working, all: lines.length })
  return say(lines.length === 0 ? 'allWellNoLine' : 'allWell')
}

function Happened() {
  const list = thing<BoxEventPage>('/api/box/events?limit=9', ['box'])
  return (
    <Panel
      title={say('happened')}
      thing={list}
      isEmpty={({ items }) => items.length === 0}
      empty={say('happenedNone')}
      aside={
        <a class="small" href="/alarms">
          {say('moreAlarms')}
        </a>
      }
    >
      {({ items }) => (
        <ol>
          {items.map((event) => (
            <li key={event.eventId} class="happened">
              <Time at={event.since} />
              <Severity severity={event.severity} ended={event.until !== null} />
              <span>
                <EventText text={event.text} /> <span class="faint small">{endText(event)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
