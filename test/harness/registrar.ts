/** A provider that takes the registration of clinic with one password, and nothing else (RFC 3261 section 22.4, MD5 without qop). */
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { freePort } from './daemon.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

export async function registrar(password: string) {
  const socket = createSocket('udp4')
  const port = await freePort()
  let registered = 0
  socket.on('message', (data, peer) => {
    const text = data.toString()
    const header = (name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1]?.trim() ?? ''
    const [method] = text.split(' ')
    if (method === undefined || method.startsWith('SIP/') || method === 'ACK') return
    const part = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(header('Authorization'))?.[1] ?? ''
    const expected = md5(`${md5(`clinic:here:${password}`)}:nonce:${md5(`REGISTER:${part('uri')}`)}`)
    const good = method === 'OPTIONS' || part('response') === expected
    const asked = header('Authorization') !== ''
    const code = good ? '200 OK' : asked ? '403 Forbidden' : '401 Unauthorized'
    if (good && method === 'REGISTER') registered++
    const lines = [
      `SIP/2.0 ${code}`,
      ...text.split('\r\n').filter((line) => /^via:/i.test(line)),
      `From: ${header('From')}`,
      `To: ${header('To')};tag=r`,
      `Call-ID: ${header('Call-ID')}`,
      `CSeq: ${header('CSeq')}`,
      ...(good && method === 'REGISTER' ? [`Contact: ${header('Contact')};expires=600`] : []),
      ...(code.startsWith('401') ? ['WWW-Authenticate: Digest realm="here", nonce="nonce", algorithm=MD5'] : []),
      'Content-Length: 0',
    ]
    socket.send(`${lines.join('\r\n')}\r\n\r\n`, peer.port, peer.address)
  })
  await new Promise<void>((done) => socket.bind(port, '127.0.0.1', done))
  return { port, close: () => socket.close(), count: () => registered }
}
