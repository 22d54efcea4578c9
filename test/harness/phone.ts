/**
 * The voice of a scripted phone: it owns the RTP socket whose port the SIP side names in its SDP, sends G.711 (mu-law by default) every 20
 * ms from the first packet it receives on, and keeps what arrived, with times. Keys go out as RFC 4733 events (three end packets, one
 * timestamp) or as tones.
 */
import { createSocket, type Socket } from 'node:dgram'
import { alawToLinear, concat, findClip, keyTone, linearToAlaw, linearToUlaw, rms, speech, ulawToLinear, type Heard } from './audio.ts'
import type { Ear } from './ears.ts'
import { found, Waiting } from './waiting.ts'

export interface Packet {
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  readonly sequence: number
  readonly timestamp: number
  readonly payloadType: number
  readonly payload: Buffer
}

const frame = 160
/** In the order of their codes; the last is a flash of the hook. */
const keyCodes = '0123456789*#ABCD!'
const loud = 250

export class RtpPhone implements Ear {
  readonly port: number
  readonly packets: Packet[] = []
  readonly #socket: Socket
  readonly #address: string
  #target: { port: number; address: string } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #queue: Int16Array[] = []
  #events: { code: number; frames: number; sent: number; ends: number; timestamp: number; done: () => void }[] = []
  #sequence = Math.floor(Math.random() * 30000)
  #timestamp = Math.floor(Math.random() * 0x7fffffff)
  readonly #ssrc = Math.floor(Math.random() * 0x7fffffff)
  #nextAt = 0
  readonly #waiting = new Waiting()
  #onSent: (() => void) | undefined
  #closed = false
  muted = false
  /** What it speaks: payload type 0, mu-law, or 8, A-law. */
  law: 0 | 8 = 0
  /** What its signalling says of the call, for a test that waits for audio in vain. */
  signalling: () => string = () => ''
  /** Payload type of keys as RFC 4733 events: what the other side's SDP names (RFC 3264, 6.1). */
  keyType: () => number = () => 101

  private constructor(socket: Socket, address: string) {
    this.#socket = socket
    this.#address = address
    this.port = socket.address().port
    socket.on('message', (data, from) => {
      if (data.length < 12 || data[0] === undefined || data[0] >> 6 !== 2) return
      if (data[1] !== undefined && data[1] >= 192 && data[1] <= 223) return
      const header = 12 + (data[0] & 15) * 4
      this.packets.push({
        at: performance.now(),
        sequence: data.readUInt16BE(2),
        timestamp: data.readUInt32BE(4),
        payloadType: (data[1] ?? 0) & 127,
        payload: data.subarray(header),
      })
      this.sendTo(from.port, from.address)
      this.#waiting.wake()
    })
  }

  static async open(address = '127.0.0.1'): Promise<RtpPhone> {
    for (;;) {
      const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 })
      await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(0, address, resolve))
      if (socket.address().port % 2 === 0) return new RtpPhone(socket, address)
      socket.close()
    }
  }

  get address(): string {
    return this.#address
  }

  /** Milliseconds of `performance.now()` at which audio first arrived; 0 before. */
  get firstPacketAt(): number {
    return this.packets[0]?.at ?? 0
  }

  /** Begins to send; by itself it does so where the first packet came from. */
  sendTo(port: number, address: string): void {
    if (this.#target) return
    this.#target = { port, address }
    this.#nextAt = performance.now()
    this.#tick()
  }

  #tick(): void {
    if (!this.#target) return
    const now = performance.now()
    if (now - this.#nextAt > 200) this.#nextAt = now
    while (this.#nextAt <= now) {
      if (!this.muted) this.#sendFrame()
      this.#timestamp = (this.#timestamp + frame) >>> 0
      this.#nextAt += 20
    }
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, this.#nextAt - performance.now()))
  }

  #send(payloadType: number, timestamp: number, payload: Uint8Array, marker = false): void {
    const packet = Buffer.alloc(12 + payload.length)
    packet[0] = 0x80
    packet[1] = payloadType | (marker ? 0x80 : 0)
    this.#sequence = (this.#sequence + 1) & 0xffff
    packet.writeUInt16BE(this.#sequence, 2)
    packet.writeUInt32BE(timestamp >>> 0, 4)
    packet.writeUInt32BE(this.#ssrc, 8)
    packet.set(payload, 12)
    if (this.#target) this.#socket.send(packet, this.#target.port, this.#target.address)
  }

  #sendFrame(): void {
    const event = this.#events[0]
    if (event) {
      if (event.sent === 0) event.timestamp = this.#timestamp
      event.sent++
      const ending = event.sent >= event.frames
      const duration = Math.min(event.sent, event.frames) * frame
      const payload = Buffer.from([event.code, (ending ? 0x80 : 0) | 10, duration >> 8, duration & 255])
      this.#send(this.keyType(), event.timestamp, payload, event.sent === 1)
      if (ending) event.ends++
      this.#onSent?.()
      if (event.ends === 3) {
        this.#events.shift()
        event.done()
      }
      return
    }
    const head = this.#queue[0]
    const samples = head?.subarray(0, frame) ?? new Int16Array(frame)
    if (head) {
      if (head.length > frame) this.#queue[0] = head.subarray(frame)
      else this.#queue.shift()
    }
    const coded = this.law === 8 ? linearToAlaw : linearToUlaw
    const bytes = new Uint8Array(frame).fill(coded(0))
    samples.forEach((s, i) => (bytes[i] = coded(s)))
    this.#send(this.law, this.#timestamp, bytes)
  }

  /** Speaks these samples after those already queued. */
  say(samples: Int16Array): void {
    this.#queue.push(samples)
  }

  /** Leaves out what is queued and not said. */
  hush(): void {
    this.#queue = []
  }

  /** Presses keys one after another as RFC 4733 events; resolves when the last end packet was sent. */
  async press(keys: string, ms = 80, gapMs = 60): Promise<void> {
    for (const key of keys) {
      await new Promise<void>((done) =>
        this.#events.push({ code: keyCodes.indexOf(key), frames: Math.ceil(ms / 20), sent: 0, ends: 0, timestamp: 0, done }),
      )
      await new Promise((done) => setTimeout(done, gapMs))
    }
  }

  /** Presses one key; answers when its first packet and its first end packet were sent. */
  async pressTimed(key: string, ms: number): Promise<{ began: number; ended: number }> {
    let began = 0
    let ended = 0
    await new Promise<void>((done) => {
      const event = { code: keyCodes.indexOf(key), frames: Math.ceil(ms / 20), sent: 0, ends: 0, timestamp: 0, done }
      this.#onSent = () => {
        if (event.sent === 1) began = performance.now()
        if (event.ends === 1) ended = performance.now()
      }
      this.#events.push(event)
    })
    this.#onSent = undefined
    return { began, ended }
  }

  /** Presses keys as tones in the voice path. */
  pressInBand(keys: string, ms = 100, gapMs = 100): void {
    for (const key of keys) this.#queue.push(keyTone(key, ms), new Int16Array(gapMs * 8))
  }

  /**
   * Waits for the packet that makes `when` true; rejects with `what` when it takes longer than `ms`. To look for words takes a while.
   */
  async until(what: string, when: () => boolean, ms = 20_000): Promise<void> {
    await this.#waiting.until(when, ms, (within) => `phone: ${what}: ${within} (${this.packets.length} packets) ${this.signalling()}`)
  }

  /** Waits until sound (louder than comfort noise) arrives after the time `since`; answers the time of its packet. */
  async sound(since = 0, ms = 20_000): Promise<number> {
    let at = 0
    let seen = 0
    await this.until(
      'sound',
      () => {
        for (; seen < this.packets.length && at === 0; seen++) {
          const p = this.packets[seen]
          if (p && p.at >= since && rms(decode(p)) > loud) at = p.at
        }
        return at > 0
      },
      ms,
    )
    return at
  }

  /** Waits until nothing but quiet arrived for `quietMs`; answers the time of the last loud packet. */
  async quiet(quietMs = 300, ms = 20000): Promise<number> {
    await this.until(`quiet of ${quietMs} ms`, () => performance.now() - this.lastSound() > quietMs && this.packets.length > 0, ms)
    return this.lastSound()
  }

  /** Time of the last packet louder than comfort noise; 0 when none was. */
  lastSound(): number {
    return this.lastSoundBefore(Infinity)
  }

  lastSoundBefore(time: number): number {
    for (let i = this.packets.length - 1; i >= 0; i--) {
      const p = this.packets[i]
      if (p && p.at < time && rms(decode(p)) > loud) return p.at
    }
    return 0
  }

  lately(ms: number): Int16Array {
    const pieces: Int16Array[] = []
    let left = ms * 8
    for (let i = this.packets.length - 1; i >= 0 && left > 0; i--) {
      const piece = decode(this.packets[i]!)
      pieces.unshift(piece.subarray(Math.max(0, piece.length - left)))
      left -= piece.length
    }
    return concat(...pieces)
  }

  get heardMs(): number {
    let ms = 0
    for (const { payload, payloadType } of this.packets) if (laws[payloadType] !== undefined) ms += payload.length / 8
    return ms
  }

  /** Resolves when all that it was given to say is said. */
  async said(): Promise<void> {
    await found('all is said', () => this.#queue.length === 0)
  }

  /** Everything received as one stretch of PCM, placed by RTP timestamp (lost packets are silence). */
  heard(): Int16Array {
    const audio = this.packets.filter((p) => p.payloadType === 0 || p.payloadType === 8)
    const first = audio[0]
    if (!first) return new Int16Array(0)
    const end = Math.max(...audio.map((p) => ((p.timestamp - first.timestamp) | 0) + p.payload.length))
    const all = new Int16Array(Math.max(0, Math.min(end, 8000 * 900)))
    for (const p of audio) {
      const at = (p.timestamp - first.timestamp) | 0
      if (at >= 0 && at + p.payload.length <= all.length) all.set(decode(p), at)
    }
    return all
  }

  /** Looks for a spoken text in what was received. */
  heardText(text: string, fromMs = 0): Heard {
    return findClip(this.heard(), speech(text), fromMs)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#target = undefined
    this.#socket.removeAllListeners('message')
    this.#socket.close()
  }
}

const laws: Readonly<Record<number, Int16Array>> = {
  0: Int16Array.from({ length: 256 }, (_, byte) => ulawToLinear(byte)),
  8: Int16Array.from({ length: 256 }, (_, byte) => alawToLinear(byte)),
}

function decode({ payload, payloadType }: Packet): Int16Array {
  const law = laws[payloadType]
  if (law === undefined) return new Int16Array(0)
  const samples = new Int16Array(payload.length)
  for (let i = 0; i < payload.length; i++) samples[i] = law[payload[i]!]!
  return samples
}
