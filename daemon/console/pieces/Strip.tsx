/** How a line is, and when it was up and when it was down, as a strip of days. What it shows is said in words, too. */
import type { LineHistoryView } from '../../schema/health.ts'
import { nowMs } from './Time.tsx'
import { lastsText, timeText } from './time.ts'
import { lineState, sayBox } from './box-words.ts'

type Outages = LineHistoryView['outages']

export interface StripProps {
  readonly outages: Outages
  /** When the box did not run. */
  readonly unknown: Outages
  readonly days: number
}

const dayMs = 86_400_000
/** A unit of the picture is an hour of a week, or as much of a longer time. */
const width = 168
/** An outage of a second is seen. */
const leastWide = 0.8

interface Part {
  readonly x: number
  readonly wide: number
  readonly title: string
}

export function Strip({ outages, unknown, days }: StripProps) {
  const until = minuteOf(nowMs.value)
  const from = until - days * dayMs
  const part = ({ since, until: end, text }: Outages[number]): Part => {
    const [began, ended] = [Math.max(from, Date.parse(since)), end === null ? until : Date.parse(end)]
    const wide = Math.max(leastWide, ((ended - began) / (until - from)) * width)
    const x = Math.min(width - wide, ((began - from) / (until - from)) * width)
    return { x, wide, title: `${timeText(since)}, ${lastsText(ended - began)}: ${text}` }
  }
  const shown = (all: Outages): Part[] => all.filter(({ until: end }) => end === null || Date.parse(end) > from).map(part)
  return (
    <svg
      class="outages"
      viewBox={`0 0 ${width} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={stripText({ outages, unknown, days })}
    >
      <rect class="up" x="0" y="0" width={width} height="16" />
      {shown(unknown).map((one) => (
        <Bar key={`u${one.x}`} class="unknown" {...one} />
      ))}
      {shown(outages).map((one) => (
        <Bar key={`d${one.x}`} class="down" {...one} />
      ))}
    </svg>
  )
}

function Bar({ class: kind, x, wide, title }: Part & { readonly class: string }) {
  return (
    <rect class={kind} x={x} y="0" width={wide} height="16">
      <title>{title}</title>
    </rect>
  )
}

const minuteOf = (at: number): number => Math.ceil(at / 60_000) * 60_000

/** The same in one sentence. */
export function stripText({ outages, unknown, days }: StripProps): string {
  const lasted = (all: Outages): number =>
    all.reduce((sum, { since, until }) => sum + (until === null ? nowMs.value : Date.parse(until)) - Date.parse(since), 0)
  const parts = [
    sayBox('dayStrip', { n: days }),
    outages.length === 0 ? sayBox('neverDown') : sayBox('down', { n: outages.length }),
    ...(outages.length === 0 ? [] : [sayBox('downFor', { time: lastsText(lasted(outages)) })]),
    ...(unknown.length === 0 ? [] : [sayBox('unknownStrip', { time: lastsText(lasted(unknown)) })]),
  ]
  return parts.join(', ')
}

export function LineState({ ok, state, kind }: { readonly ok: boolean; readonly state: string; readonly kind: string }) {
  // A phone that is switched off is nobody's fault.
  const [colour, lamp] = ok ? ['green', 'free'] : kind === 'extension' ? ['muted', 'off'] : ['red', 'dnd']
  return (
    <span class={`state ${colour}`}>
      <span class={`lamp ${lamp}`} />
      {lineState(state)}
    </span>
  )
}
