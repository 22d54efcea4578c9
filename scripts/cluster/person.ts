/** Somebody outside the fleet of scripts/cluster/try, at the provider: `person.ts call` calls the house, `person.ts text WORDS` sends it a text. */
import { createSocket } from 'node:dgram'
import { randomBytes } from 'node:crypto'
import { edge, provider } from './fleet.ts'

const house = '+15550001000'
const port = 5060
const patienceMs = 5000
const socket = createSocket('udp4')
const token = (): string => randomBytes(8).toString('hex')
const [callId, tag] = [token(), token()]
const [what = '', words = ''] = process.argv.slice(2)

function send(
  method: string,
  cseq: number,
  { to = `<sip:${house}@${edge}>`, uri = `sip:${house}@${edge}`, headers = [] as string[], type = '', body = '' } = {},
): void {
  const head = [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${provider}:${port};rport;branch=z9hG4bK${token()}`,
    `From: <sip:+15551230001@${provider}>;tag=${tag}`,
    `To: ${to}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq} ${method}`,
    'Max-Forwards: 70',
    ...headers,
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.send(`${head.join('\r\n')}\r\n\r\n${body}`, port, edge)
}

const headerOf = (text: string, name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1]?.trim() ?? ''

/** The first final answer to that request. */
function answered(cseq: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1000} s`)), patienceMs)
    socket.on('message', (data) => {
      const text = data.toString('latin1')
      if (!/^SIP\/2\.0 [2-6]/.test(text) || headerOf(text, 'CSeq') !== cseq || headerOf(text, 'Call-ID') !== callId) return
      clearTimeout(timer)
      resolve(text)
    })
  })
}

async function call(): Promise<string> {
  const body = `v=0\r\no=- 1 1 IN IP4 ${provider}\r\ns=-\r\nc=IN IP4 ${provider}\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n`
  const headers = [`Contact: <sip:person@${provider}:${port}>`]
  send('INVITE', 1, { headers, type: 'application/sdp', body })
  const answer = await answered('1 INVITE')
  const status = /^SIP\/2\.0 (.*)/.exec(answer)?.[1]?.trim() ?? ''
  const inside = {
    to: headerOf(answer, 'To'),
    uri: /<([^>]+)>/.exec(headerOf(answer, 'Contact'))?.[1] ?? `sip:${house}@${edge}`,
    headers: [...answer.matchAll(/^Record-Route: *(.*)$/gim)].map(([, route = '']) => `Route: ${route.trim()}`).toReversed(),
  }
  send('ACK', 1, inside)
  if (!status.startsWith('200')) return `refused: ${status}`
  send('BYE', 2, inside)
  await answered('2 BYE')
  return `answered; the sound is at ${/^c=IN IP4 (\S+)/m.exec(answer)?.[1] ?? '?'}`
}

async function text(): Promise<string> {
  send('MESSAGE', 1, { type: 'text/plain', body: words === '' ? 'Hello' : words })
  return /^SIP\/2\.0 (.*)/.exec(await answered('1 MESSAGE'))?.[1]?.trim() ?? ''
}

socket.bind(port, provider, () => {
  void (what === 'text' ? text() : call())
    .catch((error: Error) => error.message)
    .then((said) => {
      console.log(said)
      socket.close()
    })
})
