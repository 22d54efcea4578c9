/** A mail server that takes everything. Prints its port. */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData: (stream, _, done) => stream.on('end', () => done()).resume(),
})
server.on('error', () => undefined)
server.listen(0, '127.0.0.1', () => console.log((server.server.address() as AddressInfo).port))
