/** Programs that were written for Twilio, unmodified, at the other end of a stream: what each does, and whether it was content. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePort, root } from '../../harness/daemon.ts'
import { endWithUs } from '../../harness/processes.ts'
import { eventually } from '../../harness/scene.ts'
import { dialogue } from '../../harness/streams/dialogue.ts'
import { asObject, frameBytes, quiet } from '../../harness/streams/frames.ts'
import { StreamServer } from '../../harness/streams/server.ts'
import { tonePiece } from '../../harness/streams/tones.ts'
import { RealtimeModel, type ModelOptions } from './model.ts'
import { noPackages, noSamples, packageFile, sampleFile } from './packages.ts'
import type { Caller, Side } from './sides.ts'

export interface PeerCase {
  readonly name: string
  /** Why it cannot run here; false when it can. */
  whyNot(): string | false
  /** Answers what was seen. Throws when it was not as it should be. */
  run(side: Side): Promise<string>
}

function check(what: string, good: boolean): void {
  if (!good) throw new Error(what)
}

/** A sample of Twilio's: a program that listens on 8080, made to listen elsewhere by a preloaded file. */
class Sample {
  readonly url: string
  output = ''
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `ws://127.0.0.1:${port}/`
    for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => (this.output += text))
  }

  static async start(name: string, side: Side): Promise<Sample> {
    const port = side.port || (await freePort())
    const file = sampleFile(name)
    const words = ['--require', join(import.meta.dirname, 'listen-elsewhere.cjs'), file]
    const child = spawn(process.execPath, words, {
      cwd: dirname(file),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LISTEN_PORT: String(port) },
    })
    endWithUs(child)
    const sample = new Sample(child, port)
    await sample.says('Server listening')
    return sample
  }

  async says(what: string, times = 1, ms = 30_000): Promise<void> {
    const count = () => this.output.split(what).length - 1
    await eventually(`${times} times "${what}"`, () => count() >= times || this.#child.exitCode !== null, ms)
    check(`it ended or did not say "${what}":\n${this.output.slice(-1000)}`, count() >= times)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

const blockBytes = 50 * frameBytes

/** Repeats each second of the caller, five times, and closes with the last of it unplayed. */
const connectBasic: PeerCase = {
  name: "Twilio's media-streams, node/connect-basic",
  whyNot: noSamples,
  async run(side) {
    const sample = await Sample.start('connect-basic', side)
    try {
      const says = tonePiece(0, 8 * blockBytes)
      const caller = await side.call(sample.url, says)
      await sample.says('Server: Repeated 5 times')
      const loud = () => caller.heard().filter((byte) => (byte & 0x7f) !== (quiet & 0x7f)).length
      // 997 periods of a second cross zero 1994 times and more; what is silence by its value belongs to the tone there.
      await eventually('five seconds are heard, the last one after the close', () => loud() >= 5 * blockBytes * 0.98, 10_000)
      const heard = caller.heard()
      const whole = [0, 1, 2, 3, 4].filter((n) => heard.includes(Buffer.from(says.subarray(n * blockBytes, (n + 1) * blockBytes)))).length
      if (side.name === 'stand-in') check(`${whole} of 5 seconds are whole`, whole === 5)
      const marks = [...sample.output.matchAll(/name: 'Repeat message (\d)'/g)].length
      check(`it took ${marks - 5} marks`, marks - 5 >= 3)
      check('it took something for binary', !sample.output.includes('binary message'))
      await caller.hangUp()
      return `five seconds repeated, ${whole} of them to the byte, ${marks - 5} marks back before it closed, the rest heard after it`
    } finally {
      await sample.close()
    }
  },
}

/** Listens and counts. */
const basic: PeerCase = {
  name: "Twilio's media-streams, node/basic",
  whyNot: noSamples,
  async run(side) {
    const sample = await Sample.start('basic', side)
    try {
      const caller = await side.call(sample.url, tonePiece(0, 8000))
      await sample.says('Media event received')
      await eventually('two seconds', () => caller.heard().length >= 16_000, 10_000)
      await caller.hangUp()
      await sample.says('Received a total of')
      const total = Number(/Received a total of \[(\d+)\]/.exec(sample.output)?.[1])
      check(`it was told no stop:\n${sample.output.slice(-500)}`, sample.output.includes('Stop event received'))
      check(`it took ${total} messages of two seconds`, total >= 90 && total <= 160)
      return `start, ${total} messages, stop`
    } finally {
      await sample.close()
    }
  },
}

interface Transport {
  connect(options: object): Promise<void>
  on(event: string, listener: (event: any) => void): void
}

async function withTransport(options: ModelOptions, side: Side, judge: (seen: Met) => Promise<string>): Promise<string> {
  const { TwilioRealtimeTransportLayer } = (await import(pathToFileURL(packageFile('@openai/agents-extensions/dist/index.mjs')).href)) as {
    TwilioRealtimeTransportLayer: new (options: object) => Transport
  }
  const model = await RealtimeModel.open(options)
  const errors: string[] = []
  const server = await StreamServer.open(
    (session) => {
      const transport = new TwilioRealtimeTransportLayer({ twilioWebSocket: session.socket })
      transport.on('error', (event) => errors.push(JSON.stringify(event, Object.getOwnPropertyNames(event)).slice(0, 300)))
      void transport.connect({ apiKey: 'none', url: model.url }).catch((error: unknown) => errors.push(String(error)))
    },
    { port: side.port },
  )
  try {
    const caller = await side.call(server.url, tonePiece(0, 80_000))
    const session = await server.session()
    const seen = await judge({ model, session, caller })
    await caller.hangUp()
    await session.over()
    const faults = [...errors, ...server.allFaults()]
    check(faults.slice(0, 5).join('\n'), faults.length === 0)
    return seen
  } finally {
    await server.close()
    await model.close()
  }
}

interface Met {
  readonly model: RealtimeModel
  readonly session: Awaited<ReturnType<StreamServer['session']>>
  readonly caller: Awaited<ReturnType<Side['call']>>
}

const version = (): string => {
  const file = packageFile('@openai/agents-extensions/package.json')
  return (createRequire(import.meta.url)(file) as { version: string }).version
}

/** An answer that is heard to its end: a mark after each piece, and one more at the end. */
const answered: PeerCase = {
  name: '@openai/agents-extensions, an answer',
  whyNot: noPackages,
  run: (side) =>
    withTransport({ afterMs: 500, answerMs: 2000 }, side, async ({ model, session }) => {
      await session.until('all marks', () => session.marks().length >= 41)
      const names = session.marks()
      check(`the last mark is ${names.at(-1)}`, names.length === 41 && names.at(-1)!.startsWith('done:'))
      const media = session.frames('media')
      const times = session.frames('mark').map(({ at }) => at)
      const lasted = times.at(-1)! - times[0]!
      // From the end of the first piece of 50 ms to that of the last; a busy machine may read the first mark late.
      check(`the marks came within ${lasted.toFixed()} ms, not 1950`, Math.abs(lasted - 1950) < 800)
      const padded = model.heardBytes - media.length * frameBytes
      check(`${padded} bytes were put into gaps of the caller's audio`, padded <= 0)
      return `${version()}: 41 marks over ${lasted.toFixed()} ms, no gap padded`
    }),
}

/** An answer that is cut by the caller's voice: clear, all pending marks at once, and the model learns how much was heard. */
const interrupted: PeerCase = {
  name: '@openai/agents-extensions, an interruption',
  whyNot: noPackages,
  run: (side) =>
    withTransport({ afterMs: 500, answerMs: 5000, interruptedAfterMs: 1850 }, side, async ({ model, session }) => {
      await session.until('all marks', () => session.marks().length >= 101, 30_000)
      check('more marks than were asked for', session.marks().length === 101)
      await eventually('the model is told', () => model.of('conversation.item.truncate').length > 0)
      const [truncate] = model.of('conversation.item.truncate')
      const ms = Number(truncate?.['audio_end_ms'])
      check(`it takes ${ms} ms for heard, not 1850`, Math.abs(ms - 1850) <= 400)
      const before = session.frames('mark').length
      check('a mark came twice', before === 101 && new Set(session.marks()).size === 101)
      return `${version()}: 101 marks, cleared, truncated at ${ms} ms of 1850`
    }),
}

/** Python is not needed: what pipecat sends and waits for is written down, with its hang-up by REST at the end. */
const pipecat: PeerCase = {
  name: "pipecat's serializer, as a written dialogue",
  whyNot: () => false,
  async run(side) {
    const caller = Promise.withResolvers<Caller>()
    let rest = ''
    const { manner, done } = dialogue(readFileSync(join(root, 'test/streams/dialogues/pipecat.txt'), 'utf8'), {
      'press 5': async () => (await caller.promise).press('5'),
      'hang up': async (told) => {
        const own = await caller.promise
        if (own.hangUpByRest === undefined) await own.hangUp()
        else rest = await own.hangUpByRest(told)
      },
    })
    const server = await StreamServer.open(manner, { port: side.port })
    try {
      caller.resolve(await side.call(server.url, tonePiece(0, 8000)))
      await done
      const session = await server.session()
      await session.over()
      const [first, second] = session.arrived.map(({ frame }) => asObject(frame['start']))
      check('its kind cannot be told by the first two messages', first === undefined && 'streamSid' in second! && 'callSid' in second)
      check(server.allFaults().slice(0, 5).join('\n'), server.allFaults().length === 0)
      check(`the hang-up was answered ${rest}`, rest === '' || rest === '200 404 20404')
      return `told by the second message, cleared, key, ${rest === '' ? 'hung up' : `hung up by REST (${rest})`}`
    } finally {
      await server.close()
    }
  },
}

export const peerCases: readonly PeerCase[] = [connectBasic, basic, answered, interrupted, pipecat]
