/** Codes of one call: without the own number, back to who called last, and a test in which a phone hears itself. */
import { setImmediate as breath } from 'node:timers/promises'
import type { Call } from '../../calls/call.ts'
import type { Config } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { CallRow } from '../../store/tables.ts'
import { canCallBack } from '../outside/outside.ts'
import type { Attendant } from './attendant.ts'
import type { Features } from '../../routing/desks.ts'

export interface CallCodesOptions {
  readonly config: Config
  readonly attendant: Attendant
  readonly store: Store
}

/** Calls that are looked through for one to this phone, the newest first. */
const mostSearched = 2000
/** Of them so many between two turns of the event loop. */
const batch = 100
const echoMs = 60_000
/** Heard back in pieces of so many frames of 20 ms, the first one so much later: the line never runs out of sound in between. */
const pieceFrames = 10
const tone = { kind: 'tone', hz: [1000], ms: 400, dbm0: -16 } as const

export function callCodes({ config, attendant, store }: CallCodesOptions) {
  return {
    withholdNumber: async (call, _extension, number) => {
      call.row.from = ''
      call.row.callerName = 'Anonymous'
      return number
    },
    lastCaller: async (call, extension) => {
      const number = await lastCallerOf(store, extension)
      if (canCallBack(config, number)) return (await attendant.ask(call, 'lastCaller', number)) === '1' ? number : null
      await attendant.say(call, number === '' ? 'noLastCaller' : 'noCallBack')
      return null
    },
    echo: async (call) => {
      await attendant.say(call, 'echo')
      await call.play(tone)
      await hearItself(call)
      return null
    },
  } satisfies Partial<Features>
}

/** Number of who last called this phone from anywhere, answered or not; '' for nobody, or one who withheld it. */
async function lastCallerOf({ tables }: Store, extension: string): Promise<string> {
  let end: string | undefined
  for (let searched = 0; searched < mostSearched; searched += batch) {
    const rows = [...tables.calls.range({ reverse: true, limit: batch, ...(end === undefined ? {} : { end }) })]
    const last = rows.find(({ value }) => rangAt(value, extension))
    if (last !== undefined) return last.value.from
    if (rows.length < batch) return ''
    end = rows.at(-1)!.key
    await breath()
  }
  return ''
}

function rangAt({ direction, extension, legs }: CallRow, number: string): boolean {
  return direction === 'inbound' && extension !== number && legs?.some(({ to, trunkId }) => to === number && trunkId === '') === true
}

/** Until the end of the call, or a minute. */
async function hearItself(call: Call): Promise<void> {
  let frames: Int16Array[] = []
  let pieces = 0
  let heardMs = 0
  const over = Promise.withResolvers<void>()
  call.over.addEventListener('abort', () => over.resolve(), { once: true })
  const leave = call.listen((signal) => {
    if (signal.type !== 'audio') return
    frames.push(signal.samples)
    heardMs += 20
    if (heardMs >= echoMs) over.resolve()
    if (frames.length < pieceFrames) return
    const samples = new Int16Array(frames.reduce((sum, frame) => sum + frame.length, 0))
    frames.reduce((at, frame) => (samples.set(frame, at), at + frame.length), 0)
    frames = []
    if (pieces === 0) void call.play({ kind: 'silence', ms: 200 })
    pieces += 1
    void call.play({ kind: 'clip', clip: { key: `echo ${call.id} ${pieces}`, samples } })
  })
  call.note('state', 'echo begins')
  call.leg?.audio?.tap(true)
  if (call.over.aborted) over.resolve()
  await over.promise
  call.leg?.audio?.tap(false)
  leave()
}
