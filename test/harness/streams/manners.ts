/** How the servers of the tests behave: well (echo, tone, recorder) and badly (stalls, crashes, floods, garbage). */
import { asObject, frameBytes, quiet, toBox, type Frame } from './frames.ts'
import type { Manner, StreamSession } from './server.ts'
import { tonePiece } from './tones.ts'

const payloadOf = (frame: Frame): Buffer => Buffer.from(String(asObject(frame['media'])?.['payload'] ?? ''), 'base64')
const isMedia = (frame: Frame): boolean => frame['event'] === 'media' && asObject(frame['media'])?.['track'] === 'inbound'

/** Takes everything, says nothing. */
export const recorder = (): Manner => () => undefined

/** Says what it hears. */
export const echo = (): Manner => (session) =>
  session.onFrame(({ frame }) => {
    if (isMedia(frame)) session.media(payloadOf(frame))
  })

export interface ToneOptions {
  readonly seconds: number
  /** Sizes of the pieces in bytes, in turns; the default has none that is a whole number of frames. */
  readonly pieces?: readonly number[]
  /** How far ahead of the frames that arrive, in seconds; everything at once when it is more than `seconds`. */
  readonly aheadSeconds?: number
  /** Closes when the last mark came back. */
  readonly close?: boolean
}

/** Each second of the tone ends with a mark of its number, and the whole with `end`. */
export const tone = ({ seconds, pieces = [1, 159, 161, 333, 1000, 8001], aheadSeconds = 2, close = false }: ToneOptions): Manner => {
  const whole = seconds * 8000
  return (session) => {
    let sent = 0
    let nth = 0
    let heard = 0
    const feed = (): void => {
      while (sent < whole && sent < heard * frameBytes + aheadSeconds * 8000) {
        const size = Math.min(pieces[nth++ % pieces.length]!, whole - sent, 8000 - (sent % 8000))
        session.media(tonePiece(sent, size))
        sent += size
        if (sent % 8000 === 0) session.mark(sent === whole ? 'end' : String(sent / 8000))
      }
    }
    session.onFrame(({ frame }) => {
      if (isMedia(frame)) heard += 1
      if (frame['event'] === 'start' || isMedia(frame)) feed()
      if (close && frame['event'] === 'mark' && asObject(frame['mark'])?.['name'] === 'end') session.close(1000)
    })
  }
}

/** A WAV file as it is, header and all, where audio without one belongs: the tone of a second behind 44 bytes. */
export const withHeader = (): Manner => (session) => {
  let began = false
  session.onFrame(({ frame }) => {
    if (began || !isMedia(frame)) return
    began = true
    const header = Buffer.alloc(44)
    header.write('RIFF', 0)
    header.writeUInt32LE(36 + 8000, 4)
    header.write('WAVEfmt ', 8)
    header.writeUInt32LE(16, 16)
    // 7: mu-law (RFC 2361), one channel, 8000 samples and as many bytes a second, 8 bits each.
    for (const [value, at] of [
      [7, 20],
      [1, 22],
      [1, 32],
      [8, 34],
    ] as const)
      header.writeUInt16LE(value, at)
    for (const at of [24, 28]) header.writeUInt32LE(8000, at)
    header.write('data', 36)
    header.writeUInt32LE(8000, 40)
    session.media(Buffer.concat([header, tonePiece(0, 8000)]))
    session.mark('end')
  })
}

/** Reads nothing for a while once audio flows: the box has to keep what it has, or drop it. */
export const deaf =
  (ms: number, then: Manner = recorder()): Manner =>
  (session) => {
    then(session)
    let began = false
    session.onFrame(({ frame }) => {
      if (began || !isMedia(frame)) return
      began = true
      session.socket.pause()
      const timer = setTimeout(() => session.socket.resume(), ms)
      session.onClose(() => clearTimeout(timer))
    })
  }

/** Says nothing for a while, then all at once what it heard meanwhile, and echoes from then on. */
export const mute =
  (ms: number): Manner =>
  (session) => {
    const kept: Buffer[] = []
    let first = 0
    session.onFrame(({ at, frame }) => {
      if (!isMedia(frame)) return
      first ||= at
      kept.push(payloadOf(frame))
      if (at - first < ms) return
      for (const audio of kept.splice(0)) session.media(audio)
    })
  }

/** When a server dies: while nothing, something or everything has been said. */
export const moments = ['upgraded', 'connected', 'start', 'media', 'half-a-frame', 'queued', 'marked', 'cleared', 'stop'] as const
export type Moment = (typeof moments)[number]

/** A WebSocket frame whose header promises more than ever follows (RFC 6455, 5.2: text, 1000 bytes, not masked). */
const halfFrame = Buffer.concat([Buffer.from([0x81, 126, 0x03, 0xe8]), Buffer.from('{"event":"media","media":{"payl')])

/** What is said before the end; the end comes two frames later, when the box has surely read it. */
const lastWords: Readonly<Partial<Record<Moment, (session: StreamSession) => void>>> = {
  'half-a-frame': (session) => session.wire.write(halfFrame),
  queued: (session) => session.media(tonePiece(0, 16_000)),
  marked: (session) => {
    session.media(tonePiece(0, 16_000))
    session.mark('never')
  },
  cleared: (session) => {
    session.media(tonePiece(0, 16_000))
    session.clear()
  },
}

/** `reset` as a process that is killed with data unread, `end` as one that just ends. */
export const crashAt =
  (moment: Moment, how: 'reset' | 'end' = 'reset'): Manner =>
  (session) => {
    const speak = lastWords[moment]
    let heard = 0
    if (moment === 'upgraded') return void setImmediate(() => session.crash(how))
    session.onFrame(({ frame }) => {
      if (speak === undefined && frame['event'] === moment) return session.crash(how)
      if (speak === undefined || !isMedia(frame)) return
      heard += 1
      if (heard === 1) speak(session)
      if (heard === 3) session.crash(how)
    })
  }

export const mostFrameBytes = 1 << 20

/** A media frame of exactly so many bytes on the wire, and the audio in it. */
export function frameOfSize(streamSid: string, size: number): { readonly text: string; readonly audio: Buffer } {
  const room = size - toBox.media(streamSid, Buffer.alloc(0)).length
  const audio = Buffer.from(tonePiece(0, Math.floor(room / 4) * 3))
  const text = toBox.media(streamSid, audio)
  // Blanks between the members are JSON as well.
  return { text: text.slice(0, 1) + ' '.repeat(size - text.length) + text.slice(1), audio }
}

/** Frames of the largest size that is taken, and then one that is larger by a byte. */
export const huge =
  ({ frames = 3, beyond = true } = {}): Manner =>
  (session) => {
    let began = false
    session.onFrame(({ frame }) => {
      if (began || !isMedia(frame)) return
      began = true
      for (let n = 0; n < frames; n += 1) session.raw(frameOfSize(session.streamSid, mostFrameBytes).text)
      if (beyond) session.raw(frameOfSize(session.streamSid, mostFrameBytes + 1).text)
    })
  }

const numbers = (seed: number): (() => number) => {
  let state = seed >>> 0 || 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** What has to be ignored, each by itself. `{sid}` stands for the id of the stream. */
export const rubbish: readonly (string | Buffer)[] = [
  '',
  'hello',
  '{',
  '[]',
  'null',
  '42',
  '{}',
  '{"event":null}',
  '{"event":"media"}',
  '{"event":"media","media":null}',
  '{"event":"media","media":{}}',
  '{"event":"media","media":{"payload":null}}',
  '{"event":"media","media":{"payload":17}}',
  '{"event":"media","media":{"payload":""}}',
  '{"event":"media","media":{"payload":"%%%%"}}',
  '{"event":"mark"}',
  '{"event":"mark","mark":{}}',
  '{"event":"mark","mark":{"name":7}}',
  `{"event":"mark","mark":{"name":"${'x'.repeat(257)}"}}`,
  '{"event":"start","start":{}}',
  '{"event":"stop"}',
  '{"event":"connected"}',
  '{"event":"no such event","streamSid":"{sid}"}',
  '{"event":"__proto__","__proto__":{"event":"clear"}}',
  '{"event":"clear","event":"nothing"}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '"\\ud800"',
  Buffer.from([0, 1, 2, 3, 255]),
  Buffer.alloc(0),
  Buffer.alloc(3200, 0x7e),
]

/** All the rubbish and `more` random pieces, then the marks `still here`: a stream that lives sends it back. */
export const garbage =
  ({ seed = 1, more = 300 } = {}): Manner =>
  (session) => {
    const random = numbers(seed)
    let began = false
    session.onFrame(({ frame }) => {
      if (began || !isMedia(frame)) return
      began = true
      for (const one of rubbish) session.raw(typeof one === 'string' ? one.replaceAll('{sid}', session.streamSid) : one)
      for (let n = 0; n < more; n += 1) session.raw(damaged(session.streamSid, random))
      session.clear()
      session.mark('still here')
    })
  }

/** A good frame with characters changed, cut or doubled; always one that no reader takes for JSON, so that nothing is played. */
function damaged(streamSid: string, random: () => number): string | Buffer {
  const text = toBox.media(streamSid, Buffer.alloc(320, quiet))
  const at = Math.floor(random() * text.length)
  const kind = Math.floor(random() * 4)
  if (kind === 0) return `${text.slice(0, at)}\u0000${text.slice(at)}`
  if (kind === 1) return text.slice(0, at)
  if (kind === 2) return text.slice(0, at) + text.slice(0, at + 1) + text
  return Buffer.from(Array.from({ length: at }, () => Math.floor(random() * 256)))
}

/** Marks without end, with and without audio between them, `most` altogether. */
export const endlessMarks =
  ({ most = 20_000, audioEvery = 0, name = (n: number) => `m${n}` } = {}): Manner =>
  (session) => {
    let began = false
    session.onFrame(({ frame }) => {
      if (began || !isMedia(frame)) return
      began = true
      for (let n = 0; n < most; n += 1) {
        if (audioEvery > 0 && n % audioEvery === 0) session.media(tonePiece(n * frameBytes, frameBytes))
        session.mark(name(n))
      }
    })
  }
