/** Open or closed, until when, and the switch: by hand, with or without an end, and back to the calendar. */
import { useId, useState } from 'preact/hooks'
import type { HoursChange, HoursView } from '../../schema/extensions.ts'
import { Dialog } from '../pieces/Dialog.tsx'
import { Icon } from '../pieces/Icon.tsx'
import { siteTime, timeText } from '../pieces/time.ts'
import { Fault, send } from './api.ts'
import { done } from './deeds.ts'
import { sentence } from './faults.ts'
import { house } from './house.ts'
import { may } from './session.ts'
import { say } from './wording.ts'

export function Hours() {
  const [open, setOpen] = useState(false)
  const all = house.data.value?.hours ?? []
  const [first] = all
  if (first === undefined) return null
  const text = stateText(first)
  const kind = `pill ${first.open ? 'open' : 'closed'}`
  if (!may('hours'))
    return (
      <span class={kind}>
        <Icon name="clock" />
        {text}
      </span>
    )
  return (
    <>
      <button type="button" class={kind} onClick={() => setOpen(true)}>
        <Icon name="clock" />
        <span class="cut">{text}</span>
        <Icon name="down" />
      </button>
      {open ? (
        <Dialog title={say('hours')} class="small-dialog" onClose={() => setOpen(false)}>
          {all.map((hours) => (
            <Switch key={hours.id} hours={hours} />
          ))}
          {may('openingTimes') ? (
            <p class="form">
              <a href="/hours" onClick={() => setOpen(false)}>
                {say('openingTimes')}
              </a>
            </p>
          ) : null}
        </Dialog>
      ) : null}
    </>
  )
}

function stateText({ open, until }: HoursView): string {
  if (until === null) return say(open ? 'open' : 'closed')
  return say(open ? 'openUntil' : 'closedUntil', { time: timeText(until) })
}

function Switch({ hours }: { readonly hours: HoursView }) {
  const id = useId()
  const [until, setUntil] = useState('')
  const [fault, setFault] = useState('')
  const change = async (state: HoursChange['state']): Promise<void> => {
    const before: HoursChange = { state: hours.override ?? 'auto', ...untilOf(hours.overrideUntil) }
    // The answer is shown at once: what comes and goes within a second is no event.
    const set = async (body: HoursChange): Promise<HoursView> => {
      const now = await send<HoursView>('POST', `/api/hours/${encodeURIComponent(hours.id)}`, body)
      house.set((snapshot) => ({ ...snapshot, hours: snapshot.hours.map((one) => (one.id === now.id ? now : one)) }))
      return now
    }
    try {
      const now = await set({ state, ...(until === '' || state === 'auto' ? {} : { until }) })
      setFault('')
      setUntil('')
      const said = state === 'auto' ? say('hoursAgain') : say(now.open ? 'hoursOpened' : 'hoursClosed', { name: hours.id })
      done(said, async () => void (await set(before)))
    } catch (error) {
      setFault(error instanceof Fault ? sentence(error) : String(error))
    }
  }
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()}>
      <h3>
        <bdi>{hours.id}</bdi> <span class={`tag ${hours.open ? 'green' : ''}`}>{stateText(hours)}</span>
      </h3>
      <div class="field">
        <label for={id}>{say('hoursUntil')}</label>
        <input
          id={id}
          class="box"
          type="time"
          value={until}
          aria-describedby={`${id}h`}
          onInput={(event) => setUntil(event.currentTarget.value)}
        />
        <small id={`${id}h`}>{say('hoursUntilHint')}</small>
      </div>
      {fault === '' ? null : (
        <p class="red" role="alert">
          {fault}
        </p>
      )}
      <div class="acts">
        <button type="button" class="btn" onClick={() => void change(hours.open ? 'closed' : 'open')}>
          {say(hours.open ? 'closeHouse' : 'openHouse')}
        </button>
        {hours.override === null ? null : (
          <button type="button" class="btn quiet" onClick={() => void change('auto')}>
            {say('auto')}
          </button>
        )}
      </div>
    </form>
  )
}

/** As the route takes it: the site's clock, without a zone. */
function untilOf(at: string | null): { until?: string } {
  return at === null ? {} : { until: siteTime(at) }
}
