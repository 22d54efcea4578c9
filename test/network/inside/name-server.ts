/** A name server for addresses alone: what it does not know has none. It can fall silent, as one that is lost. */
import { createSocket, type Socket } from 'node:dgram'

export class AddressServer {
  readonly names = new Map<string, string>()
  silent = false
  /** Questions that came. */
  asked = 0
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (question, from) => {
      this.asked++
      if (!this.silent) socket.send(this.#answer(question), from.port, from.address)
    })
  }

  static async open(address: string, port = 53): Promise<AddressServer> {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, address, resolve))
    return new AddressServer(socket)
  }

  #answer(question: Buffer): Buffer {
    const labels: string[] = []
    let at = 12
    for (let size = question[at] ?? 0; size > 0; size = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + size))
      at += size + 1
    }
    const wanted = question.readUInt16BE(at + 1)
    const ip = wanted === 1 ? this.names.get(labels.join('.').toLowerCase()) : undefined
    const head = Buffer.from(question.subarray(0, at + 5))
    head.writeUInt16BE(0x8580, 2)
    head.writeUInt16BE(ip === undefined ? 0 : 1, 6)
    head.writeUInt32BE(0, 8)
    if (ip === undefined) return head
    return Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split('.').map(Number)])])
  }

  close(): void {
    this.#socket.close()
  }
}
