/**
 * A gateway with voice activity detection between two ends of a trunk: SIP passes through it with the ports of the audio replaced, and
 * RTP loses every packet in which nothing is to be heard. Timestamps go on meanwhile, sequence numbers do not (RFC 3551 section 4.1).
 */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setPriority } from 'node:os'

const host = '127.0.0.1'
const comfortNoise = 13 // RFC 3389
/** Of G.711, by payload type: codes of samples of at most 8 of 32,768. */
const quiet: Readonly<Record<number, ReadonlySet<number>>> = { 0: new Set([0xff, 0x7f, 0xfe, 0x7e]), 8: new Set([0xd5, 0x55]) }

async function udp(): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  socket.bind(0, host)
  await once(socket, 'listening')
  return { socket, port: socket.address().port }
}

/** One direction of the audio. */
class Speech {
  #sequence = Math.floor(Math.random() * 65536)
  #silentPackets = 0
  readonly #comfort: boolean

  constructor(comfort: boolean) {
    this.#comfort = comfort
  }

  /** What is sent in place of this packet; dropped packets are counted in `gateway`. */
  pass(packet: Buffer, gateway: SilentGateway): Buffer | undefined {
    if (packet.length <= 12) return undefined
    const silent = quiet[packet[1]! & 0x7f]
    if (silent !== undefined && packet.subarray(12).every((code) => silent.has(code))) {
      gateway.dropped += 1
      // One at the beginning of a silence, and another every 200 ms.
      return this.#comfort && this.#silentPackets++ % 10 === 0 ? this.#numbered(packet, comfortNoise, Buffer.of(64)) : this.#quiet()
    }
    gateway.passed += 1
    const first = this.#silentPackets > 0
    this.#silentPackets = 0
    return this.#numbered(packet, (packet[1]! & 0x7f) | (first ? 0x80 : 0), packet.subarray(12))
  }

  #quiet(): undefined {
    this.#silentPackets += 1
  }

  #numbered(packet: Buffer, type: number, payload: Buffer): Buffer {
    const out = Buffer.concat([packet.subarray(0, 12), payload])
    out[1] = type
    out.writeUInt16BE((this.#sequence = (this.#sequence + 1) & 0xffff), 2)
    return out
  }
}

interface Side {
  readonly socket: Socket
  readonly port: number
  /** Where this end listens for audio. */
  audio: number
}

export class SilentGateway {
  /** RTP packets of both directions. */
  passed = 0
  dropped = 0
  readonly #comfort: boolean
  readonly #ends: { readonly socket: Socket; readonly port: number }[] = []
  readonly #targets: [number, number] = [0, 0]
  readonly #calls = new Map<string, Promise<readonly [Side, Side]>>()

  private constructor(comfort: boolean) {
    this.#comfort = comfort
  }

  /** `comfort`: comfort noise packets in a silence. */
  static async open(comfort = false): Promise<SilentGateway> {
    const gateway = new SilentGateway(comfort)
    gateway.#ends.push(await udp(), await udp())
    for (const from of [0, 1] as const) {
      gateway.#ends[from]!.socket.on('message', (data) => {
        gateway.#forward(data.toString('latin1'), from).catch(() => undefined) // closed meanwhile
      })
    }
    return gateway
  }

  /** Where the first end finds the second, and the other way round. */
  get ports(): [number, number] {
    return [this.#ends[0]!.port, this.#ends[1]!.port]
  }

  /** Where the two ends listen for SIP. */
  between(first: number, second: number): void {
    this.#targets[0] = first
    this.#targets[1] = second
  }

  async #forward(message: string, from: 0 | 1): Promise<void> {
    const to = from === 0 ? 1 : 0
    this.#ends[to]!.socket.send(Buffer.from(await this.#described(message, from), 'latin1'), this.#targets[to], host)
  }

  /** The message with the audio port of a description replaced by ours. */
  async #described(message: string, from: 0 | 1): Promise<string> {
    const split = message.indexOf('\r\n\r\n') + 4
    const body = message.slice(split)
    const audio = Number(/^m=audio (\d+)/m.exec(body)?.[1] ?? 0)
    const call = /^(?:call-id|i)\s*:\s*(\S+)/im.exec(message)?.[1] ?? ''
    if (audio === 0) return message
    let sides = this.#calls.get(call)
    if (sides === undefined) this.#calls.set(call, (sides = this.#audio()))
    const both = await sides
    both[from].audio = audio
    // The other end gets the port at which we take its audio.
    const told = body.replace(/^m=audio \d+/m, `m=audio ${both[from === 0 ? 1 : 0].port}`)
    return message.slice(0, split).replace(/^(content-length|l)\s*:.*$/im, `Content-Length: ${told.length}`) + told
  }

  /** Side n takes the audio of end n. */
  async #audio(): Promise<readonly [Side, Side]> {
    const sides: readonly [Side, Side] = [
      { ...(await udp()), audio: 0 },
      { ...(await udp()), audio: 0 },
    ]
    for (const from of [0, 1] as const) {
      const other = sides[from === 0 ? 1 : 0]
      const speech = new Speech(this.#comfort)
      sides[from].socket.on('message', (packet) => {
        const out = other.audio === 0 ? undefined : speech.pass(packet, this)
        if (out !== undefined) other.socket.send(out, other.audio, host)
      })
    }
    return sides
  }
}

/** Run by silent-relay.ts, which sends where the two ends are and asks what was sent. */
export type Order = { readonly between: readonly [number, number] } | 'count'
export type Report = { readonly ports: [number, number] } | { readonly passed: number; readonly dropped: number }

if (process.send !== undefined) {
  try {
    setPriority(-15)
  } catch {
    // Not root: on a busy machine its packets are late then.
  }
  const gateway = await SilentGateway.open(process.argv[2] === 'comfort')
  const report = (what: Report): void => void process.send?.(what)
  process.on('message', (order: Order) => {
    if (order === 'count') report({ passed: gateway.passed, dropped: gateway.dropped })
    else gateway.between(...order.between)
  })
  process.on('disconnect', () => process.exit())
  report({ ports: gateway.ports })
}
