/**
 * A stand-in for pbx-engine: speaks the protocol on descriptor 3 and follows the orders of the test over a unix socket (argument 1, JSON
 * lines). It greets, answers pings and `configure` on its own; everything it receives goes to the test. Orders of the test: a message to
 * send, or `{"do": "exit"|"heir"|"mute"|"raw"|"print", ...}`. Argument 2: the protocol version.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { encodeMessage, FrameDecoder, frameKind, parseMessage, protocolVersion, type Message } from '../../drivers/sip/frames.ts'

const daemon = new Socket({ fd: 3, readable: true, writable: true })
const test = connect(process.argv[2]!)
let mute = false

const send = (message: Message): void => void daemon.write(encodeMessage(message))
const tell = (message: object): void => void test.write(`${JSON.stringify(message)}\n`)

const decoder = new FrameDecoder((kind, payload) => {
  if (kind === frameKind.clip) {
    const pcm = payload.subarray(4)
    tell({ t: '#clip', clip: payload.readUInt32LE(0), samples: pcm.length / 2, first: pcm.length > 1 ? pcm.readInt16LE(0) : 0 })
    return
  }
  const message = parseMessage(payload)
  if (message.t === 'hello') {
    send({
      t: 'hello',
      version: Number(process.argv[3] ?? protocolVersion),
      engine: '0.0.1',
      pjsip: '2.17',
      pid: process.pid,
      realtime: false,
      realtimeReason: 'stand-in',
    })
  } else if (message.t === 'configure') {
    send({ t: 'configured', udp: '127.0.0.1:5060', tcp: null, tls: null, errors: [] })
  } else if (message.t === 'ping') {
    if (!mute) send({ t: 'pong', n: message['n'], tickLatenessMaxMs: 0, legs: 0 })
    return
  }
  tell(message)
})
daemon.on('data', (chunk) => decoder.push(chunk))
daemon.on('end', () => process.exit(0))
daemon.on('error', () => process.exit(1))
createInterface({ input: test }).on('line', (line) => {
  const order = JSON.parse(line)
  if (order.do === 'exit') process.exit(order.status)
  // What it would have written last is written by another process, which outlives it, once the file `go` is there.
  else if (order.do === 'heir') {
    writeFileSync(order.words, encodeMessage(order.message))
    const script = `while [ ! -e ${order.go} ]; do sleep 0.01; done; cat ${order.words} >&3; : >${order.done}`
    spawn('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'ignore', 3], detached: true }).once('spawn', () => process.exit(0))
  } else if (order.do === 'mute') mute = true
  else if (order.do === 'raw') daemon.write(Buffer.from(order.hex, 'hex'))
  else if (order.do === 'print') console.log(order.text)
  else send(order)
})
test.on('error', () => process.exit(1))
