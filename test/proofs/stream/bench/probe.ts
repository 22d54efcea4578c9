/**
 * A telephone that measures: it sends silence with a pulse of 40 ms twice a second, and takes the time from the packet in which a pulse begins to
 * the packet in which it comes back. One clock, that of this process.
 */
import { createSocket, type Socket } from 'node:dgram'

const frameMs = 20
const frameBytes = 160
/** In frames. */
const period = 25
const silence = Buffer.alloc(frameBytes, 0xff)
const pulse = Buffer.from(Array.from({ length: frameBytes }, (_, n) => (n % 8 < 4 ? 0x90 : 0x10)))
const isLoud = (payload: Buffer): boolean => payload.some((byte) => (~byte & 0x7f) > 0x20)

export class Probe {
  readonly port: number
  /** Milliseconds, one for each pulse that came back. */
  readonly times: number[] = []
  /** When the last packet with sound arrived; 0 before. */
  lastLoudAt = 0
  readonly #socket: Socket
  readonly #send: boolean
  readonly #lateMs: number
  #target: { port: number; address: string } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #nextAt = 0
  #frames = 0
  #sentAt = 0
  #quietPackets = 0
  packets = 0

  private constructor(socket: Socket, pulses: boolean, lateMs: number) {
    this.#socket = socket
    this.#send = pulses
    this.#lateMs = lateMs
    this.port = socket.address().port
    socket.on('message', (data, from) => this.#take(data, from))
  }

  /**
   * `pulses`: sends them; otherwise it only listens, and says silence. `lateMs`: its packets leave so long after those that it gets, which
   * is no telephone's choice.
   */
  static async open(address = '127.0.0.1', { pulses = true, lateMs = 0 } = {}): Promise<Probe> {
    for (;;) {
      const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
      await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(0, address, resolve))
      if (socket.address().port % 2 === 0) return new Probe(socket, pulses, lateMs)
      socket.close()
    }
  }

  /** Begins to send; by itself it does so to where the first packet came from. */
  sendTo(port: number, address: string): void {
    if (this.#target !== undefined) return
    this.#target = { port, address }
    this.#nextAt = performance.now() + this.#lateMs
    this.#turn()
  }

  #take(data: Buffer, from: { port: number; address: string }): void {
    const now = performance.now()
    if (data.length < 12 + 1 || data[0]! >> 6 !== 2 || (data[1]! & 0x7f) !== 0) return
    this.packets += 1
    this.sendTo(from.port, from.address)
    if (!isLoud(data.subarray(12))) {
      this.#quietPackets += 1
      return
    }
    this.lastLoudAt = now
    if (this.#quietPackets >= 5 && this.#sentAt > 0) this.times.push(now - this.#sentAt)
    this.#quietPackets = 0
  }

  #turn(): void {
    const now = performance.now()
    if (now - this.#nextAt > 200) this.#nextAt = now
    for (; this.#nextAt <= now; this.#nextAt += frameMs) this.#frame()
    this.#timer = setTimeout(() => this.#turn(), Math.max(1, this.#nextAt - performance.now()))
  }

  #frame(): void {
    const n = this.#frames++
    const place = n % period
    const loud = this.#send && (place === 10 || place === 11)
    const packet = Buffer.alloc(12 + frameBytes)
    packet[0] = 0x80
    packet.writeUInt16BE(n & 0xffff, 2)
    packet.writeUInt32BE((n * frameBytes) >>> 0, 4)
    packet.writeUInt32BE(0x70_72_6f_62, 8)
    packet.set(loud ? pulse : silence, 12)
    this.#socket.send(packet, this.#target!.port, this.#target!.address)
    if (loud && place === 10) this.#sentAt = performance.now()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#socket.close()
  }
}
