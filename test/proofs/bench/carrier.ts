/** An SMPP service that takes every text at once, for load. Argument: every how many texts one comes in; 0 for never. Prints its port. */
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'

interface Pdu {
  readonly source_addr?: string
  readonly destination_addr?: string
  response(fields?: object): Pdu
}

interface Session {
  on(event: string, listener: (pdu: Pdu) => void): void
  send(pdu: Pdu): void
  deliver_sm(fields: object): void
  close(): void
}

const smpp = createRequire(import.meta.url)('smpp') as {
  createServer(options: object, listener: (session: Session) => void): Server
}
const every = Number(process.argv[2] ?? 0)
let texts = 0

const server = smpp.createServer({}, (session) => {
  session.on('error', () => undefined)
  session.on('bind_transceiver', (pdu) => session.send(pdu.response({ system_id: 'carrier' })))
  session.on('enquire_link', (pdu) => session.send(pdu.response()))
  session.on('unbind', (pdu) => {
    session.send(pdu.response())
    session.close()
  })
  session.on('submit_sm', (pdu) => {
    session.send(pdu.response({ message_id: String(++texts) }))
    if (every === 0 || texts % every !== 0) return
    const words = ['Can I come at ten?', 'STOP', 'START', 'HELP', 'Thank you.']
    const text = Buffer.from(words[(texts / every) % words.length]!)
    session.deliver_sm({
      source_addr_ton: 1,
      source_addr: '15551230009',
      destination_addr: '15550002000',
      data_coding: 1,
      short_message: text,
    })
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
