/** Whether an address and port of this machine can be listened on. */
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** '' when it can be had just now, otherwise the system's code, such as EADDRINUSE. */
export function bindFault(protocol: 'tcp' | 'udp', host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const faulty = (error: NodeJS.ErrnoException): string => error.code ?? error.message
    if (protocol === 'tcp') {
      const server = createServer()
      server.once('error', (error) => resolve(faulty(error)))
      server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('')))
    } else {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
      socket.once('error', (error) => socket.close(() => resolve(faulty(error))))
      socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve('')))
    }
  })
}
