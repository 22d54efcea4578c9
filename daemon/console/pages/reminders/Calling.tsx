/** Whether reminder calls are made now, and what keeps them from being made. */
import { useEffect } from 'preact/hooks'
import type { ReminderCallingView } from '../../../schema/reminders.ts'
import { thing } from '../../frame/state.ts'
import { figure } from '../../frame/words.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { timeText } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { dayText } from './day.ts'
import { say } from './words.ts'

const calling = thing<ReminderCallingView>('/api/reminders/calling', ['reminders'])
/** The window opens and closes by the clock alone. */
const lookEveryMs = 30_000

export function Calling() {
  useEffect(() => {
    const timer = setInterval(() => void calling.reload(), lookEveryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <Panel title={say('callsOfToday')} thing={calling} class="calling">
      {(now) => (
        <>
          <div role="status">
            {notes(now).map(([kind, text]) => (
              <p key={text} class={`note-line ${kind}`}>
                <Icon name={kind === 'red' ? 'alert' : 'clock'} /> {text}
              </p>
            ))}
          </div>
          <dl class="big">
            <div>
              <dt>{say('waiting')}</dt>
              <dd>{figure(now.waiting)}</dd>
            </div>
            <div>
              <dt>{say('callingNow')}</dt>
              <dd>{now.calling}</dd>
            </div>
            <div>
              <dt>{say('nextCall')}</dt>
              <dd>{now.nextAt === null ? '–' : timeText(now.nextAt, nowMs.value)}</dd>
            </div>
          </dl>
        </>
      )}
    </Panel>
  )
}

function notes({ clockTrusted, window, waiting, noLineSince, missingDay }: ReminderCallingView): [kind: string, text: string][] {
  const time = (at: string): string => timeText(at, nowMs.value)
  const all: [string, string][] = []
  if (!clockTrusted) all.push(['red', say('clock')])
  if (missingDay !== null) all.push(['amber', say('missingDay', { day: dayText(missingDay, 'short') })])
  if (noLineSince !== null) all.push(['amber', say('noLine', { time: time(noLineSince), n: waiting })])
  if (!window.open) all.push(['plain-note', window.until === null ? say('windowNever') : say('windowClosed', { time: time(window.until) })])
  else if (window.until !== null) all.push(['plain-note', say('windowOpen', { time: time(window.until) })])
  return all
}
