/** Bytes to a port of this machine, and all that comes back until it is closed. */
import { connect } from 'node:net'

export function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1').on('data', (data: string) => (text += data))
    socket.once('error', reject)
    socket.once('close', () => resolve(text))
  })
}
