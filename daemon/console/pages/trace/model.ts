/** A trace as lanes and bars: who did what, from when until when. Pure. */
import type { TraceEntryView, TraceView } from '../../../schema/voice-api.ts'

export const lanes = ['caller', 'box', 'application', 'phone'] as const
export type Lane = (typeof lanes)[number]

export interface Step extends TraceEntryView {
  /** Its place in the trace. */
  readonly n: number
  readonly lane: Lane
  /** How long it lasted, ms; null for what happened in a moment, or whose end is not known. */
  readonly lastsMs: number | null
  readonly isBad: boolean
}

export interface Bar {
  readonly key: string
  readonly lane: Lane
  readonly fromMs: number
  readonly toMs: number
  /** `rings` and `talks` are of a leg. */
  readonly look: 'step' | 'moment' | 'bad' | 'rings' | 'talks'
  readonly title: string
}

const laneOfKind: Readonly<Record<string, Lane>> = {
  ...{ key: 'caller', speech: 'caller', fax: 'caller', frame: 'caller' },
  ...{ event: 'application', document: 'application', stream: 'application' },
  leg: 'phone',
}

/** What an entry lasts until: the first later one of these kinds. */
const ends: Readonly<Record<string, readonly string[]>> = {
  event: ['document', 'error', 'event'],
  verb: ['verb', 'document', 'event', 'error'],
  prompt: ['prompt', 'verb', 'key', 'event', 'document', 'error'],
}

const isBad = (kind: string): boolean => kind === 'warning' || kind === 'error'

/** `live`: the call goes on, and what has not ended lasts still. */
export function stepsOf(entries: readonly TraceEntryView[], live: boolean): Step[] {
  return entries.map((entry, n) => {
    const until = ends[entry.kind]
    const end = until === undefined ? undefined : entries.slice(n + 1).find(({ kind }) => until.includes(kind))
    const last = live ? undefined : entries.at(-1)
    const endMs = until === undefined ? undefined : (end ?? last)?.ms
    const lane = laneOfKind[entry.kind] ?? (isBad(entry.kind) && hasUrl(entry.data) ? 'application' : 'box')
    return { ...entry, n, lane, isBad: isBad(entry.kind), lastsMs: endMs === undefined ? null : Math.max(0, endMs - entry.ms) }
  })
}

const hasUrl = (data: unknown): boolean => typeof data === 'object' && data !== null && 'url' in data

/** Milliseconds from the first entry to the end of what is known; at least 1. */
export function lengthOf({ call, entries }: TraceView): number {
  const began = beganAt(entries)
  const times = [call.endedAt, ...(call.legs ?? []).flatMap(({ answeredAt, endedAt }) => [answeredAt, endedAt])]
  const ms = times.map((at) => (at === null || began === undefined ? 0 : Date.parse(at) - began))
  return Math.max(1, entries.at(-1)?.ms ?? 0, ...ms)
}

/** When millisecond 0 was. */
function beganAt([first]: readonly TraceEntryView[]): number | undefined {
  return first === undefined ? undefined : Date.parse(first.at) - first.ms
}

export function barsOf(trace: TraceView, steps: readonly Step[]): Bar[] {
  const wholeMs = lengthOf(trace)
  const ofSteps = steps.map(({ n, lane, ms, lastsMs, text, isBad: bad }): Bar => {
    const look = bad ? 'bad' : lastsMs === null ? 'moment' : 'step'
    return { key: `s${n}`, lane, fromMs: ms, toMs: ms + (lastsMs ?? 0), look, title: text }
  })
  return [...legBars(trace, wholeMs), ...ofSteps]
}

function legBars({ call, entries }: TraceView, wholeMs: number): Bar[] {
  const began = beganAt(entries)
  if (began === undefined) return []
  const at = (time: string | null): number => (time === null ? wholeMs : Date.parse(time) - began)
  return (call.legs ?? []).flatMap(({ to, trunkId, startedAt, answeredAt, endedAt }, n): Bar[] => {
    const title = trunkId === '' ? to : `${to} (${trunkId})`
    const rings: Bar = {
      ...{ key: `r${n}`, lane: 'phone', fromMs: at(startedAt), toMs: at(answeredAt ?? endedAt), look: 'rings' },
      title,
    }
    if (answeredAt === null) return [rings]
    return [rings, { key: `t${n}`, lane: 'phone', fromMs: at(answeredAt), toMs: at(endedAt), look: 'talks', title }]
  })
}

/** Whether what was pressed or said was left out of the trace. */
export function isMasked(entries: readonly TraceEntryView[]): boolean {
  return entries.some(
    ({ kind, text, data }) => (kind === 'key' && text === '*') || text.includes('***') || JSON.stringify(data)?.includes('***'),
  )
}

export interface Filter {
  readonly text: string
  /** Empty: all. */
  readonly lanes: readonly Lane[]
  readonly onlyBad: boolean
}

export function fits({ text, lanes: wanted, onlyBad }: Filter, step: Step): boolean {
  if (onlyBad && !step.isBad) return false
  if (wanted.length > 0 && !wanted.includes(step.lane)) return false
  const sought = text.trim().toLowerCase()
  return sought === '' || `${step.kind} ${step.text} ${JSON.stringify(step.data) ?? ''}`.toLowerCase().includes(sought)
}

/** `0.412 s`, `12.8 s`, `2:05.1`. */
export function secondsText(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 3 : 1)} s`
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, '0')}`
}
