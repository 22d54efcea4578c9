/**
 * A voice call on a modem as the daemon sees it. What happens on the wire is the business of its `VoiceGround`; here are the sound of the
 * call and its events: prompts, recordings, keys, forks, the other leg of a bridge.
 */
import type { FaxHandlers, FaxLeg, FaxReceiveRequest, FaxSession } from '../../fax.ts'
import { DriftBuffer } from '../../drift.ts'
import { keyTones } from '../../key-tones.ts'
import type { Fork, Leg, LegAudio, LegEnd, LegEvent, PlaySource } from '../../line.ts'
import { isPatchable, type Patch, type PatchableAudio, type PatchPartner } from '../../pbx.ts'
import { PromptQueue, type Played } from './prompt-queue.ts'
import { Recorder } from './recorder.ts'
import { VoiceDetector } from './voice-detector.ts'

/** What a leg asks of the line it is on. */
export interface VoiceGround {
  readonly fullDuplex: boolean
  answer(): void
  /** `ended` follows. */
  reject(sipCode: number, reason: string): void
  /** Off the line; `ended` follows. */
  hangup(cause: number): void
  /** There is something to say. */
  speak(): void
  /** What was said had a gap. */
  underrun(): void
  /** The hook is down for a moment. */
  flash(): void
  /** Ms of what was taken that nobody will hear. */
  clear(): number
  /** The modem takes the call as a fax machine from here on. */
  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession
  /** The owner of the leg threw while it handled an event. */
  fault(error: unknown): void
}

const frame = 160
const nothing: Fork = { heard: false, said: false, heardWide: false, saidWide: false }
const codecName = 'analog'
/** A key that comes again within this time is the same one, which the modem repeats. */
const repeatMs = 130
/** A key without a length is about so long. */
const usualKeyMs = 80

export class VoiceLeg implements Leg, PatchableAudio, FaxLeg {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  onEvent: (event: LegEvent) => void = () => undefined
  readonly #ground: VoiceGround
  readonly #prompts = new PromptQueue()
  /** Items that were sent to their end, and the sample at which they end. */
  #ending: { readonly sample: number; readonly played: Played }[] = []
  #pulled = 0
  #reached = 0
  readonly #recorders = new Map<number, Recorder>()
  readonly #detector = new VoiceDetector()
  #listening = false
  #tapping = false
  #fork = nothing
  #rest = new Int16Array(0)
  /** Sound that was heard, in samples. */
  #clock = 0
  /** Said in the same time, for forks. */
  #said: Int16Array[] = []
  #key: { readonly key: string; readonly sinceMs: number; lastMs: number } | null = null
  #keyTimer: NodeJS.Timeout | null = null
  #patch: Patch | null = null
  #drift: DriftBuffer | null = null
  #tone: ((tone: 'cng' | 'ced') => void) | null = null
  #fax: FaxSession | null = null
  #answered = false
  #over = false

  constructor(id: string, direction: 'inbound' | 'outbound', ground: VoiceGround) {
    this.id = id
    this.direction = direction
    this.#ground = ground
  }

  get audio(): LegAudio {
    return this
  }

  get halfDuplex(): boolean {
    return !this.#ground.fullDuplex
  }

  /** Joined to another leg, whose sound is said here. */
  get inTalk(): boolean {
    return this.#drift !== null
  }

  get isTerminal(): boolean {
    return this.#over
  }

  get isAnswered(): boolean {
    return this.#answered
  }

  /** The exchange lets the caller hear that it rings. */
  progress(): void {}

  answer(): void {
    if (!this.#over && !this.#answered && this.direction === 'inbound') this.#ground.answer()
  }

  /** A line cannot refuse: it rings on until the caller gives up. */
  reject(sipCode: number, reason = ''): void {
    if (!this.#over && !this.#answered && this.direction === 'inbound')
      this.#ground.reject(sipCode, reason || 'Not answered: the line keeps ringing')
  }

  hangup(cause = 16): void {
    if (this.#over) return
    if (this.#fax !== null) this.#fax.stop()
    else this.#ground.hangup(cause)
  }

  play(playId: number, source: PlaySource): void {
    if (this.#over) return
    this.#prompts.add(playId, source)
    this.#ground.speak()
  }

  clear(): void {
    if (this.#over) return
    const unheardMs = this.#ground.clear()
    const sent = this.#ending.map(({ played }) => ({ ...played, completed: false }))
    this.#ending = []
    for (const played of [...sent, ...this.#prompts.clear(unheardMs)]) this.#emit({ type: 'played', ...played })
  }

  /** With `!` among them the hook is flashed first. */
  sendDigits(digits: string): void {
    if (this.#over) return
    const keys = digits.replaceAll('!', '')
    if (keys.length < digits.length) this.#ground.flash()
    // The switchboard gives its second dial tone first.
    if (keys !== '') this.#prompts.add(-1, { kind: 'samples', samples: keyTones(keys.length < digits.length ? `,,${keys}` : keys) })
    if (keys !== '') this.#ground.speak()
  }

  record(recordId: number, { file, maxMs }: { readonly file: string; readonly maxMs: number }): void {
    if (!this.#over) this.#recorders.set(recordId, new Recorder(file, maxMs))
  }

  stopRecord(recordId: number, trimMs = 0): void {
    this.#finishRecording(recordId, 'stopped', trimMs)
  }

  listen(on: boolean): void {
    this.#listening = on
    if (on && this.#detector.active) this.#emit({ type: 'voice', active: true })
  }

  tap(on: boolean): void {
    this.#tapping = on
  }

  fork(wanted: Fork): void {
    this.#fork = wanted
  }

  bridge(other: Leg): boolean {
    if (this.#over || !this.#ground.fullDuplex) return false
    const audio = other.audio
    if (audio === null || !isPatchable(audio)) return false
    this.unbridge()
    return audio.patch({
      joined: (patch) => this.#join(patch),
      hear: (samples) => this.#hearOther(samples),
      press: (key) => this.sendDigits(key),
    })
  }

  /** As the one that is joined, by a leg of this or another driver. */
  patch(partner: PatchPartner): boolean {
    if (this.#over || !this.#ground.fullDuplex) return false
    this.unbridge()
    this.#join({ say: (samples) => partner.hear(samples), leave: () => partner.joined(null) })
    partner.joined({ say: (samples) => this.#hearOther(samples), leave: () => this.#join(null) })
    return true
  }

  unbridge(): void {
    const patch = this.#patch
    this.#patch = this.#drift = null
    patch?.leave()
  }

  #join(patch: Patch | null): void {
    this.#patch = patch
    this.#drift = patch === null ? null : new DriftBuffer()
    if (patch !== null) this.#ground.speak()
  }

  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession {
    this.#finishAll()
    this.#tone = null
    this.#fax = this.#ground.receiveFax(request, {
      ...handlers,
      ended: (result) => {
        this.#fax = null
        handlers.ended(result)
      },
    })
    return this.#fax
  }

  /** A modem sends a fax in a call that it dials itself. */
  sendFax(): FaxSession {
    throw new Error('a fax needs its own call')
  }

  listenForTones(heard: ((tone: 'cng' | 'ced') => void) | null): void {
    this.#tone = heard
  }

  /** The next sound for the line: prompts first, of which at most so many samples, then the other side of the bridge. */
  pull(most: number, aheadMs: number): Int16Array {
    const samples = this.#prompts.take(most, (playId, at, played) => {
      if (playId >= 0) this.#ending.push({ sample: this.#pulled + at, played })
    })
    const next = samples.length === 0 && this.#drift !== null ? this.#talk(this.#drift, aheadMs) : samples
    this.#pulled += next.length
    if (this.#fork.said || this.#fork.saidWide)
      for (let at = 0; at < next.length; at += frame) this.#said.push(next.subarray(at, at + frame))
    return next
  }

  #talk(drift: DriftBuffer, aheadMs: number): Int16Array {
    const earlier = drift.gaps
    const samples = drift.take(aheadMs)
    if (drift.gaps > earlier) this.#ground.underrun()
    return samples
  }

  reached(sample: number): void {
    this.#reached = Math.max(this.#reached, sample)
    while (this.#ending[0] !== undefined && this.#ending[0].sample <= this.#reached) {
      this.#emit({ type: 'played', ...this.#ending.shift()!.played })
    }
  }

  /** From the line, any number of samples. */
  heard(samples: Int16Array): void {
    const all = new Int16Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    let at = 0
    for (; at + frame <= all.length && !this.#over; at += frame) this.#frame(all.slice(at, at + frame))
    this.#rest = all.slice(at)
  }

  /** `once`: the modem does not say how long. */
  pressed(key: string, edge: 'once' | 'begin' | 'end'): void {
    const now = this.#clock / 8
    if (edge === 'end') return this.#released(now)
    if (this.#key?.key !== key) this.#released(this.#key?.lastMs ?? now)
    if (this.#key === null) this.#key = { key, sinceMs: now, lastMs: now }
    this.#key.lastMs = now
    if (edge === 'begin') return
    if (this.#keyTimer !== null) clearTimeout(this.#keyTimer)
    this.#keyTimer = setTimeout(() => this.#released(now), repeatMs)
  }

  faxTone(tone: 'cng' | 'ced'): void {
    const told = this.#tone
    if (told !== null) this.#guard(() => told(tone))
  }

  notice(text: string): void {
    this.#emit({ type: 'noticed', text })
  }

  connect(): void {
    if (this.#over || this.#answered) return
    this.#answered = true
    this.#emit({ type: 'answered', codec: codecName, secure: false })
  }

  ringing(): void {
    if (!this.#answered) this.#emit({ type: 'ringing', sipCode: 180, earlyMedia: false })
  }

  end(end: LegEnd): void {
    if (this.#over) return
    this.unbridge()
    this.#finishAll()
    const left = [...this.#ending.map(({ played }) => ({ ...played, completed: false })), ...this.#prompts.clear(0)]
    for (const played of left) if (played.playId >= 0) this.#emit({ type: 'played', ...played })
    if (this.#keyTimer !== null) clearTimeout(this.#keyTimer)
    this.#over = true
    queueMicrotask(() => this.#guard(() => this.onEvent({ type: 'ended', end })))
  }

  #released(endedMs: number): void {
    const pressed = this.#key
    if (this.#keyTimer !== null) clearTimeout(this.#keyTimer)
    this.#keyTimer = null
    if (pressed === null) return
    this.#key = null
    const durationMs = Math.max(usualKeyMs, Math.round(endedMs - pressed.sinceMs))
    this.#emit({ type: 'digit', digit: pressed.key, method: 'inband', durationMs })
  }

  #hearOther(samples: Int16Array): void {
    this.#drift?.add(samples)
    this.#ground.speak()
  }

  #frame(samples: Int16Array): void {
    const timestampMs = Math.round(this.#clock / 8)
    this.#clock += frame
    for (const [id, recorder] of this.#recorders) if (recorder.hear(samples)) this.#finishRecording(id, 'max-length', 0)
    if (this.#detector.hear(this.#key === null ? samples : null) && (this.#listening || this.#recorders.size > 0)) {
      this.#emit({ type: 'voice', active: this.#detector.active })
    }
    if (this.#tapping) this.#emit({ type: 'audio', samples, timestampMs })
    this.#patch?.say(samples)
    this.#tellFork(samples, timestampMs)
  }

  #tellFork(samples: Int16Array, timestampMs: number): void {
    const { heard, heardWide, said, saidWide } = this.#fork
    if (heard) this.#emit({ type: 'fork', said: false, wide: false, samples, timestampMs })
    if (heardWide) this.#emit({ type: 'fork', said: false, wide: true, samples, timestampMs })
    if (!said && !saidWide) {
      this.#said = []
      return
    }
    const spoken = new Int16Array(frame)
    spoken.set(this.#said.shift()?.subarray(0, frame) ?? [])
    if (said) this.#emit({ type: 'fork', said: true, wide: false, samples: spoken, timestampMs })
    if (saidWide) this.#emit({ type: 'fork', said: true, wide: true, samples: spoken, timestampMs })
  }

  #finishAll(): void {
    for (const id of this.#recorders.keys()) this.#finishRecording(id, 'ended', 0)
  }

  #finishRecording(recordId: number, reason: 'stopped' | 'max-length' | 'ended', trimMs: number): void {
    const recorder = this.#recorders.get(recordId)
    if (recorder === undefined) return
    this.#recorders.delete(recordId)
    const durationMs = recorder.finish(trimMs)
    const { file } = recorder
    if (durationMs === null) this.#emit({ type: 'recorded', recordId, file, durationMs: 0, reason: 'failed' })
    else this.#emit({ type: 'recorded', recordId, file, durationMs, reason })
  }

  #emit(event: LegEvent): void {
    if (!this.#over) queueMicrotask(() => this.#guard(() => this.onEvent(event)))
  }

  #guard(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.#ground.fault(error)
    }
  }
}
