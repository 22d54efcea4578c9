/**
 * One SIP call leg as the daemon sees it. Its orders become messages; the engine's messages about it become events.
 * A leg that has ended answers to nothing, so no order can reach another call.
 */
import type { Clip, DigitMethod, Fork, Leg, LegAudio, LegEnd, LegEvent, PlaySource } from '../line.ts'
import type { FaxHandlers, FaxLeg, FaxReceiveRequest, FaxSendRequest, FaxSession } from '../fax.ts'
import type { BothRecorded, LineBridge, PbxLeg, TransferRequest, PatchableAudio, PatchPartner } from '../pbx.ts'
import { receiveOrder, sendOrder, SipFax } from './fax.ts'
import { encodeMessage, type Message } from './frames.ts'
import { Forks } from './forks.ts'
import { LegRecords, nothingRecorded, type RecordOptions } from './leg-records.ts'
import { playFrames } from './play-frames.ts'
import { readEnd, text, whole } from './reading.ts'
import type { JoinedBridge, LegPort } from './leg-port.ts'

export interface LegOrigin {
  readonly id: string
  readonly number: number
  readonly direction: 'inbound' | 'outbound'
  readonly trunkId: string
  readonly extension: string
  /** Of a call that has outlived the daemon: the bridge it is in; 0 for none. */
  readonly bridge?: number
}

export const driverLost: LegEnd = { by: 'system', reason: 'driver-lost', sipCode: 0, cause: 41, text: 'The SIP engine was lost' }

export class SipLeg implements Leg, PatchableAudio, FaxLeg, PbxLeg {
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly number: number
  isKept = false
  readonly trunkId: string
  readonly extension: string
  onEvent: (event: LegEvent) => void = () => undefined
  readonly #port: LegPort
  /** Plays that name a clip and have not ended yet: play number -> clip key. */
  readonly #clipPlays = new Map<number, string>()
  #fax: SipFax | null = null
  #faxTone: ((tone: 'cng' | 'ced') => void) | null = null
  #transferAsked: ((request: TransferRequest) => void) | null = null
  #transferTold: ((sipCode: number, final: boolean) => void) | null = null
  #bridge: JoinedBridge | null = null
  readonly #forks = new Forks(
    (wanted) => this.#order('fork', { ...wanted }),
    (playId, samples) => this.#play(playId, { kind: 'samples', samples }, {}),
  )
  readonly #records: LegRecords
  /** Key of the clip that goes round. */
  #loop: string | null = null
  #over = false
  /** The bridge in which it was found; 0: none. */
  readonly #found: number

  constructor(port: LegPort, origin: LegOrigin) {
    this.#port = port
    this.#records = new LegRecords((t, members) => this.#order(t, members), port.spool)
    this.#found = origin.bridge ?? 0
    this.id = origin.id
    this.number = origin.number
    this.direction = origin.direction
    this.trunkId = origin.trunkId
    this.extension = origin.extension
  }

  get audio(): LegAudio {
    return this
  }

  get isTerminal(): boolean {
    return this.#over
  }

  /** Notifies the engine that this call is taken: it refuses an inbound call that nobody takes. */
  take(): void {
    this.#order('take', {})
  }

  progress(sipCode: 180 | 183): void {
    this.#order('progress', { code: sipCode })
  }

  answer(): void {
    this.#order('answer', {})
  }

  reject(sipCode: number, reason?: string): void {
    this.#order('reject', reason === undefined ? { code: sipCode } : { code: sipCode, reason })
  }

  hangup(cause?: number): void {
    this.#order('hangup', cause === undefined ? {} : { cause })
  }

  play(playId: number, source: PlaySource): void {
    this.#play(playId, source, {})
  }

  playOver(playId: number, source: Exclude<PlaySource, { kind: 'silence' }>): void {
    this.#play(playId, source, { over: true })
  }

  #play(playId: number, source: PlaySource, more: { over?: true }): void {
    if (this.#over) return
    const clip = source.kind === 'clip' ? this.#port.clips.acquire(source.clip) : 0
    if (source.kind === 'clip') this.#clipPlays.set(playId, source.clip.key)
    for (const frame of playFrames(this.number, playId, source, clip, more)) this.#port.send(frame)
  }

  clear(): void {
    this.#order('clear', {})
  }

  loop(clip: Clip, offsetMs = 0): void {
    if (this.#over) return
    const number = this.#port.clips.acquire(clip)
    this.#order('loop', { clip: number, offsetMs: Math.round(offsetMs) })
    this.#releaseLoop()
    this.#loop = clip.key
  }

  stopLoop(): void {
    this.#order('loopStop', {})
    this.#releaseLoop()
  }

  hold(on: boolean): void {
    this.#order('hold', { on })
  }

  sendDigits(digits: string): void {
    this.#order('digits', { digits })
  }

  record(recordId: number, options: RecordOptions): void {
    if (!this.#over) this.#records.record(recordId, options)
  }

  recordBoth(recordId: number, options: RecordOptions, done: (recorded: BothRecorded) => void): void {
    if (this.#over) return queueMicrotask(() => this.#guard(() => done(nothingRecorded)))
    this.#records.recordBoth(recordId, options, done)
  }

  onRecorded(recordId: number, done: (recorded: BothRecorded) => void): void {
    this.#records.onRecorded(recordId, done)
  }

  stopRecord(recordId: number, trimMs?: number): void {
    this.#records.stop(recordId, trimMs)
  }

  listen(on: boolean): void {
    this.#order('listen', { on })
  }

  tap(on: boolean): void {
    this.#order('tap', { on })
  }

  fork(wanted: Fork): void {
    this.#forks.want(wanted)
  }

  patch(partner: PatchPartner): boolean {
    if (this.#over) return false
    this.unbridge()
    this.#forks.patch(partner)
    return true
  }

  bridge(other: Leg): boolean {
    if (this.#over) return false
    if (!(other instanceof SipLeg)) return other.audio?.bridge(this) === true
    if (other.isTerminal) return false
    // Two who were found talking stay in their bridge.
    const stays = this.#bridge === null && other.#bridge === null && this.#found === other.#found && this.#found !== 0
    const bridge = stays ? this.#port.bridge(this.#found) : this.#port.bridge()
    return bridge.join(this) && bridge.join(other)
  }

  unbridge(): void {
    this.#forks.unpatch()
    this.#bridge?.leave(this)
  }

  /** It is in this bridge now, and in no other; null: in none. */
  enter(bridge: JoinedBridge | null): void {
    if (bridge !== null) this.#forks.unpatch()
    if (this.#bridge !== bridge) this.#bridge?.forget(this)
    this.#bridge = bridge
  }

  keep(tag: string): void {
    this.isKept = tag !== ''
    this.#order('keep', { tag })
  }

  connected({ number, name }: { readonly number: string; readonly name: string }): void {
    this.#order('connected', { number, name })
  }

  watchCodes(codes: readonly string[], onCode: (code: string) => void): void {
    this.#bridge?.join(this, { codes, onCode })
  }

  onTransfer(asked: ((request: TransferRequest) => void) | null): void {
    this.#transferAsked = asked
    this.#order('transfers', { on: asked !== null })
  }

  transfer(to: string | Leg, told: (sipCode: number, final: boolean) => void): void {
    this.#transferTold = told
    if (typeof to === 'string') this.#order('refer', { to })
    else if (to instanceof SipLeg && !to.isTerminal) this.#order('refer', { to: '', replaces: to.number })
    else queueMicrotask(() => this.#guard(() => told(400, true)))
  }

  sendFax(request: FaxSendRequest, handlers: FaxHandlers): FaxSession {
    const { spool } = this.#port
    const { file, standardFile } = request
    const members = () => sendOrder({ ...request, file: spool.toRead(file), standardFile: spool.toRead(standardFile) })
    return this.#startFax('faxSend', members, handlers, () => [file, standardFile].forEach((one) => spool.read(one)))
  }

  receiveFax(request: FaxReceiveRequest, handlers: FaxHandlers): FaxSession {
    const { spool } = this.#port
    const members = () => receiveOrder({ ...request, file: spool.toReceive(request.file) })
    return this.#startFax('faxReceive', members, handlers, () => spool.received(request.file))
  }

  listenForTones(heard: ((tone: 'cng' | 'ced') => void) | null): void {
    this.#faxTone = heard
    this.#order('tones', { on: heard !== null })
  }

  #startFax(t: 'faxSend' | 'faxReceive', members: () => Record<string, unknown>, handlers: FaxHandlers, closed: () => void): FaxSession {
    const takes = !this.#over && this.#fax?.isTerminal !== false
    const fax = new SipFax(handlers, () => this.#order('faxStop', {}), takes ? closed : undefined)
    // Nobody would have its pages.
    this.keep('')
    // The owner has its session in hand before it is notified of the end.
    if (this.#over) queueMicrotask(() => this.#guard(() => fax.lost('The call has ended')))
    else if (!takes) queueMicrotask(() => this.#guard(() => fax.refuse()))
    else {
      this.#fax = fax
      this.#order(t, members())
    }
    return fax
  }

  /** A message of the engine about this leg. */
  receive(message: Message): void {
    if (this.#over) return
    switch (message.t) {
      case 'ringing':
        this.#emit({ type: 'ringing', sipCode: whole(message['code']), earlyMedia: message['early'] === true })
        break
      case 'heard':
        this.#emit({ type: 'heard' })
        break
      case 'answered':
        this.#emit({ type: 'answered', codec: text(message['codec']), secure: message['secure'] === true })
        break
      case 'digit': {
        const digit = text(message['digit'])
        // A flash of the hook is no key: it is for the line behind which somebody may be transferred.
        if (digit === '!') return this.#guard(() => this.#forks.pressed(digit))
        const method = text(message['method']) as DigitMethod
        this.#emit({ type: 'digit', digit, method, durationMs: whole(message['durationMs']) })
        this.#guard(() => this.#bridge?.pressed(this, digit, method === 'inband'))
        this.#guard(() => this.#forks.pressed(digit))
        break
      }
      case 'played': {
        const playId = whole(message['play'])
        if (!this.#forks.played(playId)) break
        this.#releaseClip(playId)
        this.#emit({ type: 'played', playId, completed: message['completed'] === true, playedMs: whole(message['playedMs']) })
        break
      }
      case 'recorded': {
        let event: LegEvent | null = null
        this.#guard(() => (event = this.#records.recorded(message)))
        if (event !== null) this.#emit(event)
        break
      }
      case 'voice':
        this.#emit({ type: 'voice', active: message['active'] === true })
        break
      case 'held':
      case 'resumed':
        this.#emit({ type: message.t })
        break
      case 'refer':
        this.#referred(message)
        break
      case 'referred':
        this.#guard(() => this.#transferTold?.(whole(message['code']), message['final'] === true))
        break
      case 'tone':
        this.#guard(() => this.#faxTone?.(message['tone'] === 'ced' ? 'ced' : 'cng'))
        break
      case 'fax':
      case 'faxFrame':
      case 'faxEnded':
        this.#guard(() => this.#fax?.receive(message))
        break
      case 'ended':
        this.end(readEnd(message))
        break
    }
  }

  /** The engine has declined what has no number. */
  #referred(message: Message): void {
    const refer = whole(message['refer'])
    const to = text(message['to'])
    if (refer === 0) return this.#emit({ type: 'transfer-requested', to })
    const progress = (sipCode: number): void => this.#order('referProgress', { refer, code: sipCode })
    const replaced = whole(message['replaces'])
    const replaces = replaced === 0 ? null : this.#port.leg(replaced)
    if (this.#transferAsked === null || (replaced !== 0 && replaces === null)) return progress(603)
    const asked = this.#transferAsked
    this.#guard(() => asked({ to, replaces, referredBy: text(message['referredBy']), progress }))
  }

  receiveAudio(timestampMs: number, samples: Int16Array): void {
    if (!this.#over) this.#emit({ type: 'audio', samples, timestampMs })
  }

  receiveFork(timestampMs: number, said: boolean, samples: Int16Array): void {
    if (this.#over) return
    let told = true
    this.#guard(() => (told = this.#forks.heard(said, samples)))
    if (told) this.#emit({ type: 'fork', said, wide: samples.length > 160, samples, timestampMs })
  }

  /** The last event, once whatever happens. */
  end(end: LegEnd): void {
    if (this.#over) return
    this.#forks.unpatch()
    this.#over = true
    for (const playId of this.#clipPlays.keys()) this.#releaseClip(playId)
    this.#releaseLoop()
    this.enter(null)
    // Of an engine that died.
    for (const done of this.#records.lost()) this.#guard(() => done(nothingRecorded))
    this.#guard(() => this.#fax?.lost(end.text === '' ? 'The call has ended' : end.text))
    this.#port.ended(this)
    this.#emit({ type: 'ended', end })
  }

  /** A fault in one call's owner must not reach the socket, and with it every other call. */
  #emit(event: LegEvent): void {
    this.#guard(() => this.onEvent(event))
  }

  #guard(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.#port.fault(this, error)
    }
  }

  #releaseClip(playId: number): void {
    const key = this.#clipPlays.get(playId)
    if (key === undefined) return
    this.#clipPlays.delete(playId)
    this.#port.clips.release(key)
  }

  #releaseLoop(): void {
    if (this.#loop !== null) this.#port.clips.release(this.#loop)
    this.#loop = null
  }

  #order(t: string, members: Record<string, unknown>): void {
    if (!this.#over) this.#port.send(encodeMessage({ t, leg: this.number, ...members }))
  }
}
