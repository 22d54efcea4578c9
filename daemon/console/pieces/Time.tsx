/** A moment, and how long something has lasted. */
import { signal } from '@preact/signals'
import { boxNow } from '../frame/clock.ts'
import { fullTime, lengthText, timeText } from './time.ts'
import { say } from './words.ts'

/** `at`: milliseconds since the epoch, or ISO 8601. The whole of it, with the zone, is its title. `form`: `asOf` for the age of what is shown, `hour` where the day is known. */
export function Time({ at, form }: { readonly at: number | string; readonly form?: 'asOf' | 'hour' }) {
  const text = form === 'hour' ? timeText(at, new Date(at).getTime()) : timeText(at, tick.value)
  return (
    <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {form === 'asOf' ? say('asOf', { time: text }) : text}
    </time>
  )
}

const tick = signal(boxNow(), {
  watched() {
    timer = setInterval(() => (tick.value = boxNow()), 1_000)
  },
  unwatched() {
    clearInterval(timer)
  },
})
let timer: ReturnType<typeof setInterval> | undefined

/** Minutes and seconds since then, counting. */
export function Since({ at, class: kind = '' }: { readonly at: number | string; readonly class?: string }) {
  const from = typeof at === 'string' ? Date.parse(at) : at
  return <span class={`num nowrap ${kind}`}>{lengthText(Math.max(tick.value, boxNow()) - from)}</span>
}

/** The clock, once a second: for what changes with time alone. */
export const nowMs = tick
