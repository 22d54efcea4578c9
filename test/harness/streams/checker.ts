/**
 * Judges one stream frame by frame against the published format: members and their types, order, counters, forms of ids, payloads of exactly 20 ms.
 * It takes what the box sends and, for marks, what the server sends; every fault is kept in words with the number of its frame.
 */
import { asObject, frameBytes, frameMs, ids, type Frame, type Track } from './frames.ts'

export interface CheckerOptions {
  /** Frames beyond Twilio's that the stream asked for. */
  readonly extensions?: readonly ('vad' | 'queue')[]
  /** The server was slow on purpose: audio may be left out, and its numbers show where. */
  readonly lossy?: boolean
  /** What `start` must carry; not judged when absent. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly tracks?: readonly Track[]
}

type Shape = 'string' | 'object' | readonly unknown[]

const digits = /^[0-9*#A-D]$/
const counter = /^(0|[1-9]\d*)$/
const formats = [
  { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
  { encoding: 'audio/x-l16', sampleRate: 16000, channels: 1 },
] as const

export class StreamChecker {
  readonly faults: string[] = []
  readonly #options: CheckerOptions
  #frames = 0
  #sequence = 0
  #connected = false
  #stopped = false
  #start: Frame | undefined
  #tracks: readonly string[] = []
  #bytes = frameBytes
  readonly #chunks = new Map<string, number>()
  readonly #marks: string[] = []
  #told = false

  constructor(options: CheckerOptions = {}) {
    this.#options = options
  }

  /** Of `start`, once it came; '' before. */
  get streamSid(): string {
    return String(this.#start?.['streamSid'] ?? '')
  }

  get callSid(): string {
    return String(this.#start?.['callSid'] ?? '')
  }

  get stopped(): boolean {
    return this.#stopped
  }

  /** Marks that were asked for and have not come back. */
  get pendingMarks(): readonly string[] {
    return this.#marks
  }

  #fault(text: string): void {
    this.faults.push(`frame ${this.#frames}: ${text}`)
  }

  /** A message of the box. `binary`: its kind on the socket. */
  fromBox(data: string | Uint8Array, binary = false): Frame | undefined {
    this.#frames += 1
    if (binary) return void this.#fault('is binary')
    let frame: Frame | undefined
    try {
      frame = asObject(JSON.parse(typeof data === 'string' ? data : Buffer.from(data).toString('utf8')))
    } catch {
      return void this.#fault('is no JSON')
    }
    if (frame === undefined) return void this.#fault('is no object')
    this.#judge(frame)
    return frame
  }

  /** A message of the server: marks are remembered, since they have to come back in their order. */
  fromServer(text: string): void {
    const frame = parsed(text)
    const name = asObject(frame?.['mark'])?.['name']
    if (frame?.['event'] === 'mark' && typeof name === 'string') this.#marks.push(name)
  }

  /** The socket is closed; `byServer`: the server closed it, or broke it, first. */
  closed(code: number, byServer: boolean): void {
    if (this.#told) return
    this.#told = true
    if (byServer) return
    // Where something went wrong the code says so (1009: a frame that is too large, 1013: it takes nothing).
    if (!this.#stopped && code === 1000) this.#fault(`the box closed with ${code} and without stop`)
    if (this.#stopped && code !== 1000) this.#fault(`the box closed with ${code} after stop`)
  }

  #judge(frame: Frame): void {
    const event = frame['event']
    if (this.#stopped) return this.#fault(`${String(event)} after stop`)
    if (event === 'connected') return this.#judgeConnected(frame)
    if (!this.#connected) this.#fault(`${String(event)} before connected`)
    if (event === 'start') return this.#judgeStart(frame)
    if (this.#start === undefined) this.#fault(`${String(event)} before start`)
    if (frame['streamSid'] !== this.#start?.['streamSid']) this.#fault(`streamSid is ${JSON.stringify(frame['streamSid'])}`)
    if (event === 'media') return this.#judgeMedia(frame)
    if (event === 'mark') return this.#judgeMark(frame)
    if (event === 'dtmf') return this.#judgeKey(frame)
    if (event === 'stop') return this.#judgeStop(frame)
    if (event === 'speech' || event === 'queue') return this.#judgeExtension(frame, event)
    this.#fault(`event is ${JSON.stringify(event)}`)
  }

  /** Exactly these members: Twilio's clients are written against nothing else. */
  #members(where: string, value: unknown, shapes: Readonly<Record<string, Shape>>): Frame {
    const found = asObject(value)
    if (found === undefined) {
      this.#fault(`${where} is ${JSON.stringify(value)}`)
      return {}
    }
    for (const name of Object.keys(found)) if (!Object.hasOwn(shapes, name)) this.#fault(`${where}.${name} is not published`)
    for (const [name, shape] of Object.entries(shapes)) {
      const it = found[name]
      const fits =
        typeof shape === 'string' ? (shape === 'object' ? asObject(it) !== undefined : typeof it === 'string') : shape.includes(it)
      if (!fits) this.#fault(`${where}.${name} is ${JSON.stringify(it)}`)
    }
    return found
  }

  #count(frame: Frame): void {
    const text = frame['sequenceNumber']
    const number = typeof text === 'string' && counter.test(text) ? Number(text) : NaN
    const good = this.#options.lossy ? number > this.#sequence : number === this.#sequence + 1
    if (!good) this.#fault(`sequenceNumber is ${JSON.stringify(text)} after ${this.#sequence}`)
    this.#sequence = Number.isNaN(number) ? this.#sequence + 1 : number
  }

  #judgeConnected(frame: Frame): void {
    if (this.#connected) this.#fault('connected again')
    if (this.#frames !== 1) this.#fault('connected is not the first frame')
    this.#connected = true
    this.#members('connected', frame, { event: ['connected'], protocol: ['Call'], version: ['1.0.0'] })
  }

  #judgeStart(frame: Frame): void {
    if (this.#start !== undefined) return this.#fault('start again')
    if (this.#frames !== 2) this.#fault('start is not the second frame')
    this.#count(frame)
    this.#members('frame', frame, { event: ['start'], sequenceNumber: 'string', start: 'object', streamSid: 'string' })
    const start = this.#members('start', frame['start'], {
      accountSid: 'string',
      streamSid: 'string',
      callSid: 'string',
      // Its value is judged below.
      tracks: [asObject(frame['start'])?.['tracks']],
      mediaFormat: 'object',
      customParameters: 'object',
    })
    this.#start = start
    if (frame['streamSid'] !== start['streamSid']) this.#fault('streamSid of frame and start differ')
    for (const [name, form] of [
      ['accountSid', ids.account],
      ['callSid', ids.call],
      ['streamSid', ids.stream],
    ] as const)
      if (!form.test(String(start[name]))) this.#fault(`start.${name} is ${JSON.stringify(start[name])}`)
    this.#judgeTracks(start['tracks'])
    this.#judgeFormat(start['mediaFormat'])
    const given = asObject(start['customParameters']) ?? {}
    for (const [name, value] of Object.entries(given)) if (typeof value !== 'string') this.#fault(`parameter ${name} is no string`)
    const wanted = this.#options.parameters
    if (wanted !== undefined && JSON.stringify(sorted(given)) !== JSON.stringify(sorted(wanted)))
      this.#fault(`customParameters are ${JSON.stringify(given)}`)
  }

  #judgeTracks(value: unknown): void {
    const text = JSON.stringify(value)
    if (!['["inbound"]', '["outbound"]', '["inbound","outbound"]'].includes(text)) return this.#fault(`start.tracks is ${text}`)
    this.#tracks = value as string[]
    if (this.#options.tracks !== undefined && text !== JSON.stringify(this.#options.tracks)) this.#fault(`start.tracks is ${text}`)
  }

  #judgeFormat(value: unknown): void {
    const encoding = asObject(value)?.['encoding']
    const format = formats.find((one) => one.encoding === encoding) ?? formats[0]
    this.#bytes = format === formats[0] ? frameBytes : (format.sampleRate * 2 * frameMs) / 1000
    this.#members('mediaFormat', value, {
      encoding: [format.encoding],
      sampleRate: [format.sampleRate],
      channels: [format.channels],
    })
  }

  #judgeMedia(frame: Frame): void {
    this.#count(frame)
    this.#members('frame', frame, { event: ['media'], sequenceNumber: 'string', media: 'object', streamSid: 'string' })
    const media = this.#members('media', frame['media'], {
      track: this.#tracks,
      chunk: 'string',
      timestamp: 'string',
      payload: 'string',
    })
    const track = String(media['track'])
    const before = this.#chunks.get(track) ?? 0
    const chunk = counter.test(String(media['chunk'])) ? Number(media['chunk']) : NaN
    if (!(this.#options.lossy ? chunk > before : chunk === before + 1))
      this.#fault(`chunk is ${JSON.stringify(media['chunk'])} after ${before} of ${track}`)
    if (media['timestamp'] !== String((chunk - 1) * frameMs))
      this.#fault(`timestamp of chunk ${chunk} is ${JSON.stringify(media['timestamp'])}`)
    this.#chunks.set(track, Number.isNaN(chunk) ? before + 1 : chunk)
    const payload = String(media['payload'])
    const bytes = Buffer.from(payload, 'base64')
    if (bytes.toString('base64') !== payload) this.#fault('payload is no base64 with its padding')
    if (bytes.length !== this.#bytes) this.#fault(`payload has ${bytes.length} bytes`)
  }

  #judgeMark(frame: Frame): void {
    this.#count(frame)
    this.#members('frame', frame, { event: ['mark'], sequenceNumber: 'string', mark: 'object', streamSid: 'string' })
    const { name } = this.#members('mark', frame['mark'], { name: 'string' })
    const due = this.#marks.shift()
    if (name !== due) this.#fault(`mark ${JSON.stringify(name)} where ${JSON.stringify(due ?? null)} was due`)
  }

  #judgeKey(frame: Frame): void {
    this.#count(frame)
    this.#members('frame', frame, { event: ['dtmf'], sequenceNumber: 'string', dtmf: 'object', streamSid: 'string' })
    const key = this.#members('dtmf', frame['dtmf'], { track: ['inbound_track'], digit: 'string' })
    if (!digits.test(String(key['digit']))) this.#fault(`digit is ${JSON.stringify(key['digit'])}`)
  }

  #judgeStop(frame: Frame): void {
    this.#count(frame)
    this.#stopped = true
    this.#members('frame', frame, { event: ['stop'], sequenceNumber: 'string', stop: 'object', streamSid: 'string' })
    this.#members('stop', frame['stop'], { accountSid: [this.#start?.['accountSid']], callSid: [this.#start?.['callSid']] })
  }

  /** They are not counted, so that a server that knows Twilio's frames alone sees no gap. */
  #judgeExtension(frame: Frame, event: 'speech' | 'queue'): void {
    if (!(this.#options.extensions ?? []).includes(event === 'speech' ? 'vad' : 'queue')) this.#fault(`${event} was not asked for`)
    this.#members('frame', frame, { event: [event], streamSid: 'string', [event]: 'object' })
    const [number, states] = event === 'speech' ? ['timestamp', ['started', 'stopped']] : ['ms', ['xoff', 'xon', 'drained']]
    const it = this.#members(event, frame[event], { state: states as string[], [number as string]: 'string' })
    if (!counter.test(String(it[number as string]))) this.#fault(`${event}.${String(number)} is ${JSON.stringify(it[number as string])}`)
  }
}

function parsed(text: string): Frame | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

const sorted = (value: object): [string, unknown][] => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
