/** Servers that behave badly, one after the other, in real calls with one box: each call ends as it should, and the box stays as small as it was. */
import { ulawToLinear } from '../../harness/audio.ts'
import { freePort } from '../../harness/daemon.ts'
import { residentKb } from '../../harness/processes.ts'
import { Scene, eventually, pause } from '../../harness/scene.ts'
import type { Phone } from '../../harness/sipp.ts'
import * as manners from '../../harness/streams/manners.ts'
import { StreamServer, type Manner, type StreamServerOptions, type StreamSession } from '../../harness/streams/server.ts'
import { judgeTone, tonePiece } from '../../harness/streams/tones.ts'
import { mulawOf, reaching, streamDocument } from './sides.ts'

export interface HostileOptions {
  /** Length of the tone that is compared with its samples. */
  readonly minutes: number
  /** Only cases whose name has this in it. */
  readonly only?: string | undefined
}

interface Play {
  readonly session: StreamSession
  readonly phone: Phone
  readonly scene: Scene
}

interface Case {
  readonly name: string
  readonly manner: Manner
  readonly options?: StreamServerOptions
  readonly parameters?: object
  /** Answers what was seen. Throws when it was not as it should be. */
  play(play: Play): Promise<string>
}

export interface HostileOutcome {
  readonly name: string
  readonly good: boolean
  readonly seen: string
  /** Resident memory of the daemon over what it had before the first case, at its most, MB. */
  readonly grownMb: number
}

/** What the box may hold for all streams together, and as much again for the garbage of the collector. */
const mostGrownMb = 128

function check(what: string, good: boolean): void {
  if (!good) throw new Error(what)
}

const callIsOver = (phone: Phone): boolean => phone.sip.messages().includes('BYE sip:')

async function toneCase(play: Play, seconds: number): Promise<string> {
  await play.session.until('the last mark', () => play.session.marks().includes('end'), seconds * 1000 + 30_000)
  const at = play.session.frames('mark').map((one) => one.at)
  const drift = at.at(-1)! - at[0]! - (seconds - 1) * 1000
  const verdict = judgeTone(mulawOf(play.phone.rtp))
  check(`${verdict.wrong} samples are wrong, the first is ${verdict.firstWrong}`, verdict.wrong === 0)
  check(`${verdict.length} samples of ${seconds * 8000}`, Math.abs(verdict.length - seconds * 8000) <= 1)
  check(`the last mark is off by ${drift.toFixed()} ms`, Math.abs(drift) <= 100)
  return `${verdict.length} samples, none wrong; the last mark off by ${drift.toFixed()} ms`
}

/** The stream goes on: a mark that is asked for now comes back. */
async function lives({ session }: Play): Promise<void> {
  session.mark('alive')
  await session.until('a mark after it', () => session.marks().includes('alive'), 10_000)
}

/** Nobody is kept in silence for ever: the call goes where the endpoint says, or ends. */
async function leaves({ session, phone }: Play): Promise<string> {
  const { at } = await session.over(60_000)
  await eventually('sound of the fallback, or the end', async () => callIsOver(phone) || phone.rtp.lastSound() > at + 100, 30_000)
  return callIsOver(phone) ? 'the call is over' : 'the caller is led on'
}

function cases({ minutes }: HostileOptions): Case[] {
  const seconds = minutes * 60
  return [
    { name: `a tone of ${minutes} min in pieces of odd sizes`, manner: manners.tone({ seconds }), play: (play) => toneCase(play, seconds) },
    {
      name: 'a header before the audio',
      manner: manners.withHeader(),
      async play({ session, phone }) {
        await session.until('the mark', () => session.marks().includes('end'))
        const verdict = judgeTone(mulawOf(phone.rtp))
        check(`${verdict.wrong} of ${verdict.length} samples are wrong`, verdict.wrong === 0 && verdict.length >= 7999)
        return 'the tone alone is heard'
      },
    },
    {
      name: 'reads nothing for 8 s',
      manner: manners.deaf(8000),
      options: { lossy: true },
      async play(play) {
        await pause(9000)
        await lives(play)
        const chunks = play.session.frames('media').map(({ frame }) => Number((frame['media'] as { chunk: string }).chunk))
        return `${chunks.at(-1)! - chunks.length} of ${chunks.at(-1)} frames were left out, the others are at their time`
      },
    },
    {
      name: 'never reads again',
      manner: manners.deaf(120_000),
      options: { lossy: true },
      play: async (play) => {
        const over = eventually('the end of the call', async () => callIsOver(play.phone) || play.phone.rtp.lastSound() > 0, 60_000)
        await over
        return callIsOver(play.phone) ? 'the call is over' : 'the caller is led on'
      },
    },
    { name: 'answers no ping', manner: manners.recorder(), options: { pongs: false }, play: leaves },
    {
      name: 'says nothing for 10 s, then all at once',
      manner: manners.mute(10_000),
      async play({ session, phone }) {
        phone.rtp.say(Int16Array.from(tonePiece(0, 8000), ulawToLinear))
        await session.until('ten seconds', () => session.frames('media').length > 560, 20_000)
        await eventually('the late second', async () => phone.rtp.lastSound() > 0, 10_000)
        return 'it is heard late, and whole calls go on'
      },
    },
    {
      name: 'frames of 1 MiB, and one that is larger',
      manner: manners.huge(),
      async play({ session, phone }) {
        await eventually('audio of them', async () => phone.rtp.lastSound() > 0, 20_000)
        await pause(1000)
        return session.closed === undefined ? 'the larger one is ignored' : `closed with ${session.closed.code} after the larger one`
      },
    },
    {
      name: 'garbage of every kind',
      manner: manners.garbage({ seed: 17, more: 2000 }),
      async play({ session, phone }) {
        await session.until('the mark', () => session.marks().includes('still here'))
        check('something of it was played', phone.rtp.lastSound() === 0)
        return 'ignored, the stream goes on'
      },
    },
    {
      name: '20,000 marks at once',
      manner: manners.endlessMarks({ most: 20_000 }),
      async play(play) {
        await play.session.until('5,000 of them', () => play.session.marks().length >= 5000, 30_000)
        check('the call is over', !callIsOver(play.phone))
        return `${play.session.marks().length} came back, in order`
      },
    },
    ...manners.moments
      .filter((moment) => moment !== 'stop')
      .flatMap((moment) =>
        (['reset', 'end'] as const).map((how): Case => ({
          name: `crash by ${how} at ${moment}`,
          manner: manners.crashAt(moment, how),
          play: leaves,
        })),
      ),
    {
      name: 'crash while the caller hangs up',
      manner: manners.crashAt('stop'),
      async play({ session, phone }) {
        await session.frame('media', 25)
        await phone.hangup()
        await session.over()
        return 'the call is over'
      },
    },
  ]
}

export async function hostile(options: HostileOptions, tell: (outcome: HostileOutcome) => void): Promise<HostileOutcome[]> {
  const port = await freePort()
  const scene = await Scene.open({ settings: reaching(port) })
  const outcomes: HostileOutcome[] = []
  try {
    const before = residentKb(scene.daemon.pid)
    for (const one of cases(options).filter(({ name }) => options.only === undefined || name.includes(options.only))) {
      let most = before
      const watch = setInterval(() => (most = Math.max(most, residentKb(scene.daemon.pid))), 100)
      const result = await play(scene, one, port).then(
        (seen) => ({ good: true, seen }),
        (error: unknown) => ({ good: false, seen: error instanceof Error ? error.message : String(error) }),
      )
      clearInterval(watch)
      const grownMb = (most - before) / 1024
      const small = grownMb <= mostGrownMb
      const outcome = { name: one.name, grownMb, good: result.good && small, seen: small ? result.seen : `${result.seen}; too large` }
      outcomes.push(outcome)
      tell(outcome)
    }
  } finally {
    await scene.close()
  }
  return outcomes
}

async function play(scene: Scene, one: Case, port: number): Promise<string> {
  const server = await StreamServer.open(one.manner, { ...one.options, port })
  scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? streamDocument(`${server.url}/media`, one.parameters) : [])
  try {
    const phone = await scene.call()
    const session = await server.session()
    const seen = await one.play({ session, phone, scene })
    const faults = server.allFaults()
    check(faults.slice(0, 3).join('; '), faults.length === 0)
    return seen
  } finally {
    await scene.sweep()
    await server.close()
  }
}
