/**
 * What happens in the box, as it happens. One tab of a browser has the stream (Web Locks) and gives it to the others (BroadcastChannel).
 * After 40 s of silence the pages say so, and read until it is back.
 */
import { computed, effect, signal } from '@preact/signals'
import type { LiveTopic } from '../../schema/live.ts'
import { Fault, pieces, refused } from './api.ts'
import { boxNow } from './clock.ts'
import { ask, audience, standing } from './session.ts'

export type Topic = LiveTopic

export interface LiveEvent<T = any> {
  readonly id: string
  readonly topic: Topic
  /** The whole new state of one thing. */
  readonly data: T
}

/** `open`: the stream begins; `whole` says that it goes on where the last one ended. `gap`: something was missed. `beat`: it is there. */
export type Heard =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'open'; readonly whole: boolean }
  | { readonly kind: 'gap'; readonly id: string }
  | { readonly kind: 'beat' }

/** What tabs say to each other besides: who has the stream is asked, and answers, with when it last heard of the box. */
type Between = Heard | { readonly kind: 'who' } | { readonly kind: 'me'; readonly heardAt: number }

const silenceMs = 40_000
/** A tab that looks asks for the one that has the stream this often, and takes the stream where nobody answers. */
const whoMs = 5_000
const answerMs = 3_000
const waits = [200, 500, 1_000, 2_000, 3_000]

/** Milliseconds since the epoch: when the stream was last heard of. */
const heardAt = signal(Date.now())
const silent = signal(false)
/** Since when nothing was heard of the box, by its clock; undefined while the page is live. */
export const notLiveSince = computed(() => (silent.value ? heardAt.value + boxNow() - Date.now() : undefined))

const hearers = new Set<(heard: Heard) => void>()
export function hear(run: (heard: Heard) => void): () => void {
  hearers.add(run)
  return () => hearers.delete(run)
}

let lastId: string | undefined
const first = Promise.withResolvers<void>()

/** A list was read that has this event in it: a stream that has not begun goes on from there. */
export function readUpTo(id: string | undefined): void {
  lastId ??= id
  if (id !== undefined) first.resolve()
}

/** Whether an event came after the one that a list has in it. Ids are RUN-NUMBER; what another run of the daemon says is newer. */
export function isAfter(id: string, read: string | undefined): boolean {
  const [run, n] = id.split('-')
  const [runThen, nThen] = (read ?? '').split('-')
  return run !== runThen || Number(n) > Number(nThen)
}

const tabs = new BroadcastChannel('pbx-live')
tabs.onmessage = ({ data }: MessageEvent<Between>) => {
  if (data.kind === 'who') return void (leads.value && tabs.postMessage({ kind: 'me', heardAt: heardAt.value } satisfies Between))
  leaderAt = Date.now()
  if (data.kind === 'me') heardAt.value = Math.max(heardAt.value, data.heardAt)
  else take(data)
}

function take(heard: Heard): void {
  heardAt.value = Date.now()
  silent.value = false
  if (heard.kind === 'event') {
    // A tab that had the stream, and stood still, reads on in what was written for it then.
    if (lastId !== undefined && !isAfter(heard.event.id, lastId)) return
    lastId = heard.event.id
  }
  if (heard.kind === 'gap') lastId = heard.id
  for (const run of hearers) run(heard)
}

/** Here, and in the other tabs. */
function spread(heard: Heard): void {
  take(heard)
  tabs.postMessage(heard)
}

/** Whether this tab has the stream, and so speaks for the browser. */
export const leads = signal(false)
let leading: AbortController | undefined

/** When the tab that has the stream last said something, and since when it is asked whether it is there; this tab's clock. */
let leaderAt = Date.now()
let askedAt: number | undefined

export function followLive(): void {
  setInterval(() => {
    silent.value = standing.value === 'in' && Date.now() - heardAt.value > silenceMs
    lookForLeader()
  }, 1_000)
  const begin = (): void => {
    leading?.abort()
    leading = undefined
    if (standing.value !== 'in' || audience.value === '') return
    heardAt.value = leaderAt = Date.now()
    claim(false)
  }
  effect(begin)
  // A tab that is about to stand still gives the stream to another one.
  document.addEventListener('freeze', () => leading?.abort())
  document.addEventListener('resume', begin)
}

/** The tab that has the stream may stand still without a word. */
function lookForLeader(): void {
  const now = Date.now()
  const asks = standing.value === 'in' && !leads.value && document.visibilityState === 'visible'
  if (!asks || leaderAt > (askedAt ?? 0)) askedAt = undefined
  if (!asks || now - leaderAt < whoMs) return
  if (askedAt === undefined) {
    askedAt = now
    tabs.postMessage({ kind: 'who' } satisfies Between)
  } else if (now - askedAt >= answerMs) {
    leaderAt = now
    claim(true)
  }
}

function claim(steal: boolean): void {
  leading?.abort()
  const stop = (leading = new AbortController())
  // The lock is let go at once, whatever the stream still waits for.
  const run = (): Promise<void> => Promise.race([lead(stop.signal), ended(stop.signal)])
  // Without a secure context there are no locks: each tab has its own stream.
  const held = navigator.locks?.request('pbx-live', steal ? { steal } : { signal: stop.signal }, run) ?? run()
  // Another tab has taken it, unless it was stopped here: then this one waits for its turn.
  held.catch(() => {
    if (stop.signal.aborted) return
    stop.abort()
    claim(false)
  })
}

async function lead(stop: AbortSignal): Promise<void> {
  leads.value = true
  stop.addEventListener('abort', () => (leads.value = false), { once: true })
  if (lastId === undefined) await Promise.race([first.promise, rest(2_000, stop)])
  for (let failed = 0; !stop.aborted; failed++) {
    const began = await stream(stop).catch(() => false)
    if (began) failed = 0
    if (!stop.aborted) await rest(waits[Math.min(failed, waits.length - 1)]!, stop)
  }
}

/** Resolves when the stream has ended: true where it had begun. */
async function stream(stop: AbortSignal): Promise<boolean> {
  const from = lastId
  const quiet = new AbortController()
  const answer = await fetch('/api/live', {
    headers: from === undefined ? {} : { 'Last-Event-ID': from },
    signal: AbortSignal.any([stop, quiet.signal]),
    cache: 'no-store',
  })
  if (!answer.ok || answer.body === null) {
    refused(new Fault(answer.status, (await answer.json().catch(() => ({}))) as Record<string, unknown>))
    return false
  }
  spread({ kind: 'open', whole: from !== undefined })
  let silence = setTimeout(() => quiet.abort(), silenceMs)
  const fields = new Fields()
  try {
    for await (const piece of pieces(answer.body)) {
      clearTimeout(silence)
      silence = setTimeout(() => quiet.abort(), silenceMs)
      for (const heard of fields.read(piece)) spread(heard)
    }
  } finally {
    clearTimeout(silence)
  }
  return true
}

/** Reads text/event-stream (HTML Living Standard, section 9.2.6), in whatever pieces it comes. */
export class Fields {
  #rest = ''

  read(piece: string): Heard[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n')
    this.#rest = blocks.pop() ?? ''
    return blocks.map((block) => this.#heard(block))
  }

  #heard(block: string): Heard {
    const fields: Record<string, string> = {}
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':')
      if (colon <= 0) continue
      const name = line.slice(0, colon)
      const value = line.slice(colon + 1).replace(/^ /, '')
      fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`
    }
    const { event = '', id = '', data } = fields
    if (event === 'gap') return { kind: 'gap', id }
    if (event === 'ended') void ask()
    if (data === undefined || event === '' || event === 'ended') return { kind: 'beat' }
    return { kind: 'event', event: { id, topic: event as Topic, data: JSON.parse(data) as unknown } }
  }
}

const ended = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))

function rest(ms: number, stop: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  stop.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  return promise
}
