/**
 * A voice agent on one page: hears a caller through the frames of `stream`, understands and speaks with the recogniser and the voice that
 * every box has, stops speaking when it is spoken to, and hangs up after "goodbye". Nothing leaves the machine. With `npm start` running:
 * scripts/run scripts/examples/voice-agent.ts, then call 700. A model of your own goes into `reply`.
 */
import { genuine, serve, stream, type Pages, type StreamFrame, type StreamServerFrame } from 'pbxd'
import { WebSocketServer, type WebSocket } from 'ws'
import { createFlite } from '../../drivers/speech-embedded/engines.ts'
import { createWebrtcDetectors } from '../../drivers/speech-grammar/detector.ts'
import { createGrammarRecogniser } from '../../drivers/speech-grammar/recogniser.ts'
const { PORT = '3000', SECRET = 'whsec_example_0123456789' } = process.env
const [recogniser, detectors, voice] = [await createGrammarRecogniser(), await createWebrtcDetectors(), createFlite()]
const language = 'en-US'

const answers: Readonly<Record<string, string>> = {
  'opening hours': 'We are open from nine to five.',
  appointment: 'Please call again tomorrow to make an appointment.',
  goodbye: 'Thank you for your call, goodbye.',
}
const reply = (heard: string): string => answers[heard] ?? 'You may ask for our opening hours or for an appointment, or say goodbye.'

/** Mu-law, ITU-T G.711: what a byte sounds like, and the byte for a sample. */
const samples = Int16Array.from({ length: 256 }, (_, byte) => {
  const loud = (((~byte & 0x0f) << 3) + 0x84) << ((~byte & 0x70) >> 4)
  return byte & 0x80 ? loud - 0x84 : 0x84 - loud
})
const byteOf = (sample: number): number => {
  const value = Math.min(Math.abs(sample), 32_635) + 0x84
  const exponent = 24 - Math.clz32(value)
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((value >> (exponent + 3)) & 0x0f)) & 0xff
}

/** One call: 20 ms at a time until the caller is silent for half a second, then one utterance is understood and answered. */
async function converse(socket: WebSocket): Promise<void> {
  const detector = await detectors.take()
  let [streamSid, speaking, last, quietMs, spoken] = ['', 0, '', 0, [] as number[]]
  const send = (frame: StreamServerFrame): void => socket.send(JSON.stringify({ ...frame, streamSid }))
  const say = async (text: string): Promise<void> => {
    last = text
    const audio = await voice.synthesise({ text, language, voice: '', rate: 1 })
    speaking += 1
    send({ event: 'media', media: { payload: Buffer.from(Uint8Array.from(audio, byteOf)).toString('base64') } })
    send({ event: 'mark', mark: { name: text } })
  }
  const listen = (frame: Int16Array): void => {
    const voiced = detector.push(frame)
    quietMs = voiced ? 0 : quietMs + 20
    // A little of what was before the voice was noticed belongs to it.
    spoken = voiced || spoken.length > 4000 ? [...spoken, ...frame] : [...spoken, ...frame].slice(-1600)
    if (voiced && speaking > 0 && spoken.length > 4000) send({ event: 'clear' })
    if (spoken.length <= 4000 || quietMs < 500) return
    const utterance = Int16Array.from(spoken.splice(0))
    const wanted = { language, hints: Object.keys(answers), digits: null }
    void recogniser.recognise(utterance, wanted).then(({ text }) => say(reply(text)))
  }
  socket.on('close', () => detectors.give(detector)).on('error', () => undefined)
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data as Buffer)) as StreamFrame
    if (frame.event === 'start') streamSid = frame.start.streamSid
    if (frame.event === 'start') void say('Hello, how can I help you?')
    if (frame.event === 'media') listen(Int16Array.from(Buffer.from(frame.media.payload, 'base64'), (byte) => samples[byte]!))
    if (frame.event !== 'mark') return
    speaking -= 1
    if (last === answers['goodbye'] && frame.mark.name === last) socket.close(1000)
  })
}

const pages: Pages = {
  '/voice': { 'call.inbound.pre_route': () => stream('/media'), 'stream.completed': () => [] },
}
const server = serve(pages, { secret: SECRET, port: Number(PORT) })
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
server.on('upgrade', (request, socket, head) => {
  if (!genuine(SECRET, request.headers, '')) return socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
  sockets.handleUpgrade(request, socket, head, (stream) => void converse(stream))
})
