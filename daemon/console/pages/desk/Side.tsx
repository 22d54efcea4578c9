/** The own queues today, and the reminders of the next working day. */
import type { DeskView } from '../../../schema/desk.ts'
import { me } from '../../frame/session.ts'
import { foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Nobody } from '../../pieces/Queue.tsx'
import { patience } from '../../pieces/queues.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { lengthText } from '../../pieces/time.ts'
import { dateFormat } from '../../pieces/time.ts'
import { say } from './words.ts'

type Queue = DeskView['queues'][number]

export function Queues({ desk, waitSeconds }: { readonly desk: DeskView; readonly waitSeconds: number }) {
  const own = me.value?.queues ?? []
  const extension = me.value?.extension ?? ''
  const isOwn = ({ id, members }: Queue): boolean => own.includes(id) || members.some((member) => member.extension === extension)
  return (
    <>
      {desk.queues.filter(isOwn).map((queue) => (
        <OneQueue key={queue.id} queue={queue} waitSeconds={waitSeconds} />
      ))}
    </>
  )
}

function OneQueue({ queue, waitSeconds }: { readonly queue: Queue; readonly waitSeconds: number }) {
  const waiting = queue.callers.filter(({ state }) => state === 'waits')
  const [longest] = waiting
  const colour = longest === undefined ? '' : patience(longest.since, nowMs.value, waitSeconds)
  const free = queue.members.filter(({ state }) => state === 'free').length
  return (
    <Panel title={foreign(queue.name)} count={say('today')}>
      <Nobody queue={queue} />
      <div class="big">
        <Figure n={waiting.length} name={say('waitingCount')} class={colour} />
        <Figure
          n={longest === undefined ? '–' : lengthText(nowMs.value - Date.parse(longest.since))}
          name={say('longest')}
          class={colour}
        />
        <Figure n={free} name={say('ready')} />
        <Figure n={queue.answered} name={say('answered')} />
        <Figure n={queue.abandoned} name={say('gaveUpCount')} />
      </div>
    </Panel>
  )
}

function Figure({ n, name, class: kind = '' }: { readonly n: number | string; readonly name: string; readonly class?: string }) {
  return (
    <div>
      <b class={kind}>{n}</b>
      <span>{name}</span>
    </div>
  )
}

export function Reminders({ desk }: { readonly desk: DeskView }) {
  const { day, counts } = desk.reminders
  const name = dateFormat({ weekday: 'long', timeZone: 'UTC' }).format(Date.parse(`${day}T12:00:00Z`))
  return (
    <Panel title={say('reminders')} count={say('remindersFor', { day: name })}>
      <div class="big">
        <Figure n={counts.confirmed} name={say('confirmed')} class="green" />
        <Figure n={counts.open} name={say('openCount')} />
        <Figure n={counts.canceled} name={say('canceled')} class="red" />
      </div>
    </Panel>
  )
}
