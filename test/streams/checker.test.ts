/** The checker of streams is itself tried: good dialogues have no fault, and each of many broken ones has one. */
import fc from 'fast-check'
import t from 'tap'
import { StreamChecker, type CheckerOptions } from '../harness/streams/checker.ts'
import { mediaFrame, quiet, toBox, type Frame } from '../harness/streams/frames.ts'

const accountSid = `AC${'a'.repeat(32)}`
const callSid = `CA${'0123456789abcdef'.repeat(2)}`
const streamSid = `MZ${'f'.repeat(32)}`
const silence = Buffer.alloc(160, quiet)

type Step = { readonly box: Frame } | { readonly server: string }

const connected = { event: 'connected', protocol: 'Call', version: '1.0.0' }
const start = {
  event: 'start',
  sequenceNumber: '1',
  start: {
    accountSid,
    streamSid,
    callSid,
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
    customParameters: { patient: 'A-5' },
  },
  streamSid,
}
const media = (sequence: number, n: number): Frame => JSON.parse(mediaFrame(streamSid, sequence, n, silence)) as Frame
const mark = (sequence: number, name: string): Frame => ({ event: 'mark', sequenceNumber: String(sequence), streamSid, mark: { name } })
const key = (sequence: number, digit: string): Frame => ({
  event: 'dtmf',
  streamSid,
  sequenceNumber: String(sequence),
  dtmf: { track: 'inbound_track', digit },
})
const stop = (sequence: number): Frame => ({ event: 'stop', sequenceNumber: String(sequence), stop: { accountSid, callSid }, streamSid })

const good: readonly Step[] = [
  { box: connected },
  { box: start },
  { box: media(2, 0) },
  { server: toBox.mark(streamSid, 'one') },
  { server: toBox.mark(streamSid, 'two') },
  { server: toBox.media(streamSid, silence) },
  { server: toBox.clear(streamSid) },
  { box: mark(3, 'one') },
  { box: mark(4, 'two') },
  { box: media(5, 1) },
  { box: key(6, '#') },
  { box: media(7, 2) },
  { box: stop(8) },
]

function faultsOf(steps: readonly Step[], options: CheckerOptions = {}, close: [number, boolean] | undefined = [1000, false]): string[] {
  const checker = new StreamChecker(options)
  for (const step of steps) {
    if ('box' in step) checker.fromBox(JSON.stringify(step.box))
    else checker.fromServer(step.server)
  }
  if (close !== undefined) checker.closed(...close)
  return checker.faults
}

t.test('a good dialogue has no fault', async (t) => {
  t.same(faultsOf(good), [])
  t.same(faultsOf(good, { parameters: { patient: 'A-5' }, tracks: ['inbound'] }), [])
  const both = structuredClone(good) as { box: any }[]
  both[1]!.box.start.tracks = ['inbound', 'outbound']
  const outbound = { ...media(6, 0), media: { ...(media(6, 0)['media'] as object), track: 'outbound' } }
  t.same(
    faultsOf([...both.slice(0, 10), { box: outbound }, { box: stop(7) }], { tracks: ['inbound', 'outbound'] }),
    [],
    'each track has chunks of its own',
  )
})

t.test('dialogues of any length have none, and each frame left out, repeated or exchanged with its neighbour is seen', async (t) => {
  const kinds = fc.array(fc.constantFrom('media', 'mark', 'key'), { minLength: 2, maxLength: 40 })
  fc.assert(
    fc.property(kinds, fc.nat(), fc.constantFrom('out', 'twice', 'exchanged'), (list, where, how) => {
      let sequence = 1
      let chunk = 0
      const boxes = list.map((kind, n) => {
        sequence += 1
        if (kind === 'media') return media(sequence, chunk++)
        return kind === 'mark' ? mark(sequence, `m${n}`) : key(sequence, '5')
      })
      const asked = list.flatMap((kind, n) => (kind === 'mark' ? [{ server: toBox.mark(streamSid, `m${n}`) }] : []))
      const whole = [connected, start, ...boxes, stop(sequence + 1)]
      const judge = (frames: readonly Frame[]): string[] => faultsOf([...asked, ...frames.map((box) => ({ box }))])
      t.same(judge(whole), [])
      const at = where % (whole.length - 1)
      const broken = [...whole]
      if (how === 'out') broken.splice(at, 1)
      if (how === 'twice') broken.splice(at, 0, broken[at]!)
      if (how === 'exchanged') broken.splice(at, 2, broken[at + 1]!, broken[at]!)
      return judge(broken).length > 0
    }),
    { numRuns: 300 },
  )
})

/** Every place in a frame that holds a value. */
function placesOf(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...path, Array.isArray(value) ? Number(name) : name]))]
}

function changed(frame: Frame, path: readonly (string | number)[], change: (parent: any, name: string | number) => void): Frame {
  const copy = structuredClone(frame)
  let parent: any = copy
  for (const name of path.slice(0, -1)) parent = parent[name]
  change(parent, path.at(-1)!)
  return copy
}

/** Parameters are the application's own; an application that names none takes all. */
const free = (path: readonly (string | number)[]): boolean => path[1] === 'customParameters' && path.length > 2

t.test('every member that is absent, of another type, or too many is seen', async (t) => {
  let tried = 0
  for (const [at, step] of good.entries()) {
    if (!('box' in step)) continue
    for (const path of placesOf(step.box).filter((one) => one.length > 0 && !free(one))) {
      const broken = {
        absent: changed(step.box, path, (parent, name) => (Array.isArray(parent) ? parent.splice(Number(name), 1) : delete parent[name])),
        null: changed(step.box, path, (parent, name) => (parent[name] = null)),
        'a number for a string': changed(step.box, path, (parent, name) => (parent[name] = typeof parent[name] === 'string' ? 1 : '1')),
        'another member': changed(step.box, path, (parent) => (Array.isArray(parent) ? parent.push('x') : (parent['more'] = 1))),
      }
      for (const [how, box] of Object.entries(broken)) {
        tried += 1
        t.not(faultsOf(good.with(at, { box })).length, 0, `${how}: ${path.join('.')} of ${String(step.box['event'])}`)
      }
    }
  }
  t.ok(tried > 250, `${tried} dialogues`)
})

t.test('what else is against the format is told in words', async (t) => {
  const swap = (at: number, box: Frame) => good.with(at, { box })
  const payload = (bytes: Buffer | string) => {
    const text = typeof bytes === 'string' ? bytes : bytes.toString('base64')
    return swap(2, { ...media(2, 0), media: { ...(media(2, 0)['media'] as object), payload: text } })
  }
  const said = (steps: readonly Step[], pattern: RegExp, options: CheckerOptions = {}) =>
    t.match(faultsOf(steps, options).join('\n'), pattern, `${pattern}`)
  said(payload(Buffer.alloc(159)), /payload has 159 bytes/)
  said(payload(Buffer.alloc(161)), /payload has 161 bytes/)
  said(payload(silence.toString('base64').replace(/=+$/, '')), /no base64 with its padding/)
  said(payload(silence.toString('base64url')), /no base64|bytes/)
  said(swap(2, { ...media(2, 0), media: { ...(media(2, 0)['media'] as object), timestamp: '5' } }), /timestamp of chunk 1 is "5"/)
  said(swap(2, { ...media(2, 0), sequenceNumber: '02' }), /sequenceNumber is "02"/)
  said(swap(1, { ...start, streamSid: 'MZ1' }), /streamSid of frame and start differ/)
  said(swap(1, { ...start, start: { ...start.start, callSid: callSid.toUpperCase() } }), /start.callSid is/)
  said(swap(1, { ...start, start: { ...start.start, customParameters: { n: 1 } } }), /parameter n is no string/)
  said(good, /customParameters are/, { parameters: { patient: 'B-6' } })
  said(good, /start.tracks is/, { tracks: ['inbound', 'outbound'] })
  said(good.with(10, { box: key(6, 'E') }), /digit is "E"/)
  said([...good.slice(0, 7), { box: mark(3, 'two') }], /mark "two" where "one" was due/)
  said([...good, { box: media(9, 3) }], /media after stop/)
  said(good.slice(0, 6), /the box closed with 1000 and without stop/)
  t.same(faultsOf(good.slice(0, 6), {}, [1000, true]), [], 'a server may end it at any time')
  t.match(faultsOf(good, {}, [1006, false]).join(), /closed with 1006 after stop/)
  const checker = new StreamChecker()
  checker.fromBox('{')
  checker.fromBox('[]')
  checker.fromBox(Buffer.from(JSON.stringify(connected)), true)
  t.match(checker.faults, [/no JSON/, /no object/, /binary/])
})

t.test('extensions are for those who asked for them, and are not counted', async (t) => {
  const speech = { event: 'speech', streamSid, speech: { state: 'started', timestamp: '40' } }
  const queue = { event: 'queue', streamSid, queue: { ms: '0', state: 'drained' } }
  const steps = [...good.slice(0, 3), { box: speech }, { box: queue }, ...good.slice(3)]
  t.same(faultsOf(steps, { extensions: ['vad', 'queue'] }), [])
  t.match(faultsOf(steps, { extensions: ['vad'] }), ['frame 5: queue was not asked for'])
  t.match(faultsOf(good.toSpliced(3, 0, { box: { ...queue, queue: { ms: 0, state: 'full' } } }), { extensions: ['queue'] }), [
    /queue.state is "full"/,
    /queue.ms is 0/,
  ])
})

t.test('a server that was too slow may miss audio, and what it gets stays at its time', async (t) => {
  const steps: Step[] = [{ box: connected }, { box: start }, { box: media(2, 0) }, { box: media(60, 58) }, { box: stop(61) }]
  t.same(faultsOf(steps, { lossy: true }), [])
  t.match(faultsOf(steps), [/sequenceNumber is "60" after 2/, /chunk is "59" after 1/])
  t.match(
    faultsOf(steps.with(3, { box: { ...media(60, 58), media: { ...(media(60, 58)['media'] as object), timestamp: '20' } } }), {
      lossy: true,
    }),
    [/timestamp of chunk 59 is "20"/],
  )
})
