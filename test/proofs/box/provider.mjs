// A provider and a caller in one, for the proofs of this folder: takes pbxd's registration and calls and answers its OPTIONS at
// 127.0.0.1:5999, and calls it through the same trunk, so that a conversation goes through pbxd from here to here. Both ends send 50
// packets a second.
//   node provider.mjs REPORT SILENT      REPORT: JSON, written once a second; while the file SILENT is there, OPTIONS are not answered
import { createSocket } from 'node:dgram'
import { existsSync, renameSync, writeFileSync } from 'node:fs'

const [report, silent] = process.argv.slice(2)
const sip = createSocket('udp4')
const told = { talking: false, byes: 0, options: 0, calls: 0, registrations: 0, answered: 0, received: 0, longestGapMs: 0 }
const header = (text, name) => new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1].trim() ?? ''
const headers = (text, name) => text.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
const sdp = (port) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\na=sendrecv\r\n`

/** One end's audio: to where its description says, as loud as the number. */
class Audio {
  #socket = createSocket('udp4')
  #last = 0
  constructor(port, counts) {
    this.port = port
    this.counts = counts
    this.#socket.bind(port, '127.0.0.1')
    this.#socket.on('message', () => {
      const now = performance.now()
      if (this.counts && this.#last > 0) told.longestGapMs = Math.max(told.longestGapMs, Math.round(now - this.#last))
      if (this.counts) told.received++
      this.#last = now
    })
    const packet = Buffer.alloc(172, 0x7f)
    packet.writeUInt16BE(0x8000, 0)
    packet.writeUInt32BE(port, 8)
    let n = 0
    setInterval(() => {
      if (!this.to) return
      packet.writeUInt16BE(++n & 0xffff, 2)
      packet.writeUInt32BE((n * 160) >>> 0, 4)
      this.#socket.send(packet, this.to, '127.0.0.1')
    }, 20)
  }
  follow(text) {
    const port = Number(/^m=audio (\d+)/m.exec(text)?.[1] ?? 0)
    if (port > 0) this.to = port
  }
  rest() {
    this.to = undefined
    this.#last = 0
  }
}
const caller = new Audio(5990, false)
const called = new Audio(5992, true)
let from = 0

function answer(text, code, port, body = '', more = []) {
  const to = header(text, 'To')
  const lines = [
    `SIP/2.0 ${code}`,
    ...headers(text, 'Via'),
    `From: ${header(text, 'From')}`,
    `To: ${to.includes('tag=') ? to : `${to};tag=there`}`,
    `Call-ID: ${header(text, 'Call-ID')}`,
    `CSeq: ${header(text, 'CSeq')}`,
    ...(more.length > 0 ? more : ['Contact: <sip:provider@127.0.0.1:5999>']),
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  sip.send(`${lines.join('\r\n')}\r\n\r\n${body}`, port, '127.0.0.1')
}

function send(method, { id, cseq, to, uri, body = '' }) {
  const lines = [
    `${method} ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:5999;rport;branch=z9hG4bK${id}${cseq}${method}`,
    'Max-Forwards: 70',
    'From: <sip:+15551230009@127.0.0.1:5999>;tag=here',
    `To: ${to}`,
    `Call-ID: ${id}`,
    `CSeq: ${cseq} ${method}`,
    'Contact: <sip:provider@127.0.0.1:5999>',
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  sip.send(`${lines.join('\r\n')}\r\n\r\n${body}`, 5060, '127.0.0.1')
}

const uri = 'sip:+15550001000@127.0.0.1:5060'
let asked
let inCall = false
let calledId = ''
function call() {
  const id = `call${++from}at${Date.now()}`
  asked = { id, cseq: 1, to: `<${uri}>`, uri, body: sdp(5990) }
  send('INVITE', asked)
}

sip.on('message', (data, peer) => {
  const text = data.toString()
  const first = text.slice(0, text.indexOf('\r\n'))
  if (first.startsWith('SIP/2.0')) {
    if (!header(text, 'CSeq').includes('INVITE') || header(text, 'Call-ID') !== asked?.id) return
    const code = Number(first.split(' ')[1])
    if (code < 200) return
    send('ACK', { ...asked, to: header(text, 'To'), uri: code < 300 ? /<(.*?)>/.exec(header(text, 'Contact'))[1] : uri, body: '' })
    if (code >= 300) return
    told.answered++
    inCall = true
    caller.follow(text)
    return
  }
  const [method] = first.split(' ')
  if (method === 'OPTIONS') {
    if (existsSync(silent)) return
    told.options++
    return answer(text, '200 OK', peer.port)
  }
  if (method === 'REGISTER') {
    told.registrations++
    return answer(text, '200 OK', peer.port, '', [`Contact: ${header(text, 'Contact')};expires=600`])
  }
  if (method === 'INVITE') {
    const again = header(text, 'To').includes('tag=')
    if (text.includes('m=audio')) (header(text, 'Call-ID') === asked?.id ? caller : called).follow(text)
    if (!again) {
      told.calls++
      calledId = header(text, 'Call-ID')
    }
    told.talking = true
    return answer(text, '200 OK', peer.port, sdp(header(text, 'Call-ID') === asked?.id ? 5990 : 5992))
  }
  if (method === 'ACK') return
  // An earlier call, such as one that was left to a mailbox, is nobody's conversation.
  if (method === 'BYE' && [asked?.id, calledId].includes(header(text, 'Call-ID'))) {
    told.byes++
    told.talking = false
    inCall = false
    caller.rest()
    called.rest()
  }
  answer(text, '200 OK', peer.port)
})
sip.bind(5999, '127.0.0.1', call)
// A phone that does not answer, or hung up, is called again.
setInterval(() => inCall || call(), 3000)
setInterval(() => {
  // Never seen half written.
  writeFileSync(`${report}.new`, `${JSON.stringify(told)}\n`)
  renameSync(`${report}.new`, report)
}, 500)
process.on('SIGUSR1', () => Object.assign(told, { byes: 0, longestGapMs: 0, received: 0 }))
