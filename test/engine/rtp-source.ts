/** Somebody who sends datagrams that the test writes: the far end of a call, or a stranger. */
import { createSocket, type Socket } from 'node:dgram'
import { randomInt } from 'node:crypto'
import { linearToUlaw, tone } from '../harness/audio.ts'

const sound = Buffer.from(Uint8Array.from(tone(300, 20), linearToUlaw))
const keyCodes = '0123456789*#ABCD'

export class RtpSource {
  readonly address: string
  readonly socket: Socket
  ssrc = randomInt(0x7fffffff)
  sequence = randomInt(0x7fff)
  timestamp = randomInt(0x7fffffff)
  /** Datagrams that came in, with RTCP and whatever else. */
  received = 0
  #timer: NodeJS.Timeout | undefined

  private constructor(socket: Socket, address: string) {
    this.socket = socket
    this.address = address
    socket.on('message', () => (this.received += 1))
  }

  static async open(address = '127.0.0.1', port = 0): Promise<RtpSource> {
    for (;;) {
      const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
      await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, address, resolve))
      if (port !== 0 || socket.address().port % 2 === 0) return new RtpSource(socket, address)
      socket.close()
    }
  }

  get port(): number {
    return this.socket.address().port
  }

  raw(bytes: Buffer, port: number): void {
    this.socket.send(bytes, port, '127.0.0.1')
  }

  packet(type: number, payload: Buffer, marker = false): Buffer {
    const head = Buffer.alloc(12)
    head[0] = 0x80
    head[1] = type | (marker ? 0x80 : 0)
    this.sequence = (this.sequence + 1) & 0xffff
    head.writeUInt16BE(this.sequence, 2)
    head.writeUInt32BE(this.timestamp >>> 0, 4)
    head.writeUInt32BE(this.ssrc, 8)
    return Buffer.concat([head, payload])
  }

  /** 20 ms of 300 Hz. */
  frame(): Buffer {
    this.timestamp += 160
    return this.packet(0, sound)
  }

  /** A whole key as RFC 4733 sends it. */
  key(key: string): Buffer[] {
    this.timestamp += 1600
    const code = keyCodes.indexOf(key)
    const event = (duration: number, end: boolean): Buffer =>
      this.packet(101, Buffer.from([code, (end ? 0x80 : 0) | 10, duration >> 8, duration & 255]))
    return [...[160, 320, 480].map((duration) => event(duration, false)), ...[640, 640, 640].map((duration) => event(duration, true))]
  }

  /** Speaks to a port, a frame each 20 ms, until silence(). */
  speak(port: number): this {
    this.silence()
    this.#timer = setInterval(() => this.raw(this.frame(), port), 20)
    return this
  }

  silence(): void {
    clearInterval(this.#timer)
  }

  close(): void {
    this.silence()
    this.socket.close()
  }
}
