/**
 * kill -9 of either daemon or either engine while a fax is anywhere between its acceptance and its callback. Afterwards what
 * was killed comes back, and the fax must end: sent, told once, every page in the inbox of the receiver, none of them twice
 * that `possibleDuplicatePages` does not name.
 */
import { appendFileSync } from 'node:fs'
import { cpuMs } from '../../test/harness/processes.ts'
import { CallbackDesk, drawn, isOver, Pair, pause, slips, until, type Document, type FaxView } from './boxes.ts'
import { judgeInbox, missing, moments, summary, victims, type Moment, type Round, type Victim } from './kill-judge.ts'

export interface KillOptions {
  readonly rounds: number
  readonly pairs: number
  /** No round begins after it, ms since the epoch. */
  readonly until: number
  readonly onRound: (round: Round) => void
}

interface Sent {
  readonly round: Round
  readonly document: Document
  readonly to: string
}

/** How long a fax may take from the blow to its end, and then to be whole on the other side. */
const endMs = 240_000
const arriveMs = 100_000

export async function kill(options: KillOptions): Promise<Round[]> {
  const documents: Document[] = []
  for (const [seed, pages] of [1, 2, 3, 1, 2, 3].entries()) documents.push(await drawn(await slips(pages, seed + 1)))
  const desk = await CallbackDesk.open()
  const done: Round[] = []
  let next = 0
  /** A short run begins anywhere. */
  const first = Math.floor(Math.random() * moments.length)
  const work = async (index: number): Promise<void> => {
    const pair = await Pair.open({ t38: index % 2 === 0 })
    try {
      const sent: Sent[] = []
      while (next < options.rounds && Date.now() < options.until) {
        const number = next++
        const one = new Strike(pair, desk, {
          round: number + 1,
          transport: index % 2 === 0 ? 't38' : 'sip-audio',
          // Every moment meets every victim.
          victim: victims[number % victims.length]!,
          moment: moments[(first + Math.floor(number / victims.length)) % moments.length]!,
          document: documents[(number * 7 + Math.floor(number / 44)) % documents.length]!,
        })
        sent.push(await one.run())
        done.push(one.round)
        options.onRound(one.round)
        if (pair.sender.exit !== undefined || pair.receiver.exit !== undefined) break
      }
      // What a receiver of a broken call still held has come by now.
      await pause(5000)
      for (const { round, document, to } of sent) {
        const before = round.faults.length
        await judgeInbox(pair, round, document, to)
        if (round.faults.length > before) options.onRound(round)
      }
    } finally {
      await pair.close()
    }
  }
  try {
    await Promise.all(Array.from({ length: options.pairs }, (_, index) => pause(index * 1500).then(() => work(index))))
  } finally {
    desk.close()
  }
  return done
}

/** One fax and one or two blows. */
class Strike {
  readonly round: Round
  readonly #pair: Pair
  readonly #desk: CallbackDesk
  readonly #document: Document
  readonly #to: string

  constructor(
    pair: Pair,
    desk: CallbackDesk,
    { document, ...about }: { round: number; transport: string; victim: Victim; moment: Moment; document: Document },
  ) {
    this.#pair = pair
    this.#desk = desk
    this.#document = document
    this.#to = `+1555123${String(about.round).padStart(4, '0')}`
    const pages = document.fine.length
    const nothing = {
      struck: '',
      again: false,
      status: '',
      attempts: 0,
      named: [],
      repeated: [],
      items: 0,
      redelivered: 0,
      seconds: 0,
      faults: [],
    }
    this.round = { ...about, ...nothing, pages }
  }

  async run(): Promise<Sent> {
    const began = Date.now()
    const { round } = this
    try {
      await this.#play()
    } catch (error) {
      round.faults.push(error instanceof Error ? error.message : String(error))
    }
    await this.#raise().catch((error: unknown) => round.faults.push(`does not start again: ${String(error)}`))
    round.seconds = Math.round((Date.now() - began) / 1000)
    return { round, document: this.#document, to: this.#to }
  }

  async #play(): Promise<void> {
    const { round } = this
    const faxId = await this.#post()
    const atCallback = Promise.withResolvers<void>()
    const afterwards = Promise.withResolvers<void>()
    if (round.moment === 'callback') {
      this.#desk.hold.set(faxId, () => {
        atCallback.resolve()
        return Promise.race([afterwards.promise, pause(8000)])
      })
    }
    if (round.moment !== 'posting') {
      if (round.moment === 'callback') await Promise.race([atCallback.promise, this.#failsToCall(faxId)])
      else await this.#waitFor(faxId)
      round.struck = describe(await this.#pair.show(faxId))
      await this.#blow()
      afterwards.resolve()
    }
    if (Math.random() < 0.25) {
      // A second one while the first is being mended.
      round.again = true
      await this.#raise()
      await pause(Math.random() * 15_000)
      await this.#blow()
    }
    await pause(Math.random() * 2000)
    await this.#raise()
    const fax = await this.#end(faxId)
    Object.assign(round, { status: fax.status, attempts: fax.attempts, named: fax.possibleDuplicatePages })
    if (fax.status !== 'sent')
      round.faults.push(`${faxId} ended as ${fax.status}: ${fax.reason} ${fax.message} ${JSON.stringify(fax.calls)}`)
    await this.#callback(faxId, fax)
    await until(
      async () => ((await missing(this.#pair, this.#document, this.#to)).length === 0 ? true : undefined),
      'every page',
      fax.status === 'sent' ? arriveMs : 1,
      1000,
    ).catch(() => undefined)
    await judgeInbox(this.#pair, round, this.#document, this.#to)
  }

  /** 202, whatever happens to the first request; a request whose answer was lost is made again with the same key. */
  async #post(): Promise<string> {
    const { round } = this
    const body = { to: this.#to, pdfBase64: this.#document.pdf.toString('base64'), statusCallbackUrl: this.#desk.url }
    const ask = async () => {
      for (;;) {
        const answer = await this.#pair.sender.api('POST', '/api/fax', body, { 'idempotency-key': `round-${round.round}` })
        // Too busy just now: the application comes again.
        if (answer.status !== 503) return answer
        await pause(3000)
      }
    }
    if (round.moment === 'posting') {
      const asked = ask().catch(() => null)
      await pause(Math.random() * 60)
      await this.#blow()
      const answer = await asked
      round.struck = answer === null ? 'no answer yet' : `answered ${answer.status}`
      await this.#raise()
      const repeated = await ask()
      if (repeated.status !== 202) throw new Error(`the repeated request: ${repeated.status} ${JSON.stringify(repeated.body)}`)
      if (answer?.status === 202 && answer.body.faxId !== repeated.body.faxId) throw new Error('two faxes from one key')
      return repeated.body.faxId as string
    }
    const answer = await ask()
    if (answer.status !== 202) throw new Error(`POST /api/fax: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.faxId as string
  }

  /** Until the fax is where the blow is aimed at. */
  async #waitFor(faxId: string): Promise<void> {
    const { moment, pages } = this.round
    const seen = (is: (fax: FaxView) => boolean) =>
      until(
        async () => {
          const fax = await this.#pair.show(faxId)
          return isOver(fax) || is(fax) ? fax : undefined
        },
        moment,
        endMs,
        60,
      )
    switch (moment) {
      case 'queued':
        return pause(Math.random() * 30)
      case 'processing':
        await seen((fax) => fax.status !== 'queued')
        return pause(Math.random() * 700)
      case 'dialing':
        await seen((fax) => fax.status === 'dialing')
        return pause(Math.random() * 800)
      case 'negotiating':
        await seen((fax) => fax.status === 'sending')
        return pause(Math.random() * 5000)
      case 'page': {
        const page = 1 + Math.floor(Math.random() * pages)
        await seen((fax) => fax.progress?.phase === 'page' && fax.progress.page >= page)
        return pause(Math.random() * 4000)
      }
      case 'confirmed': {
        const page = 1 + Math.floor(Math.random() * pages)
        await seen((fax) => fax.pagesSent >= page)
        return pause(Math.random() * 300)
      }
      case 'retrying':
        // The engine of the other side goes first, in the middle of the call.
        await seen((fax) => fax.status === 'sending')
        await pause(Math.random() * 6000)
        endEngine(this.#pair.receiver)
        await seen((fax) => fax.status === 'retrying')
        return pause(Math.random() * 1000)
      case 'sent':
        await seen((fax) => fax.status === 'sent')
        return
      default:
        await pause(Math.random() * (18_000 + pages * 4500))
    }
  }

  /** A fax that has to be tried again before its callback comes. */
  async #failsToCall(faxId: string): Promise<void> {
    await this.#end(faxId)
    await pause(10_000)
  }

  async #blow(): Promise<void> {
    const { sender, receiver } = this.#pair
    switch (this.round.victim) {
      case 'sender':
        return sender.kill()
      case 'receiver':
        return receiver.kill()
      case "sender's engine":
        return endEngine(sender)
      case "receiver's engine":
        return endEngine(receiver)
    }
  }

  async #raise(): Promise<void> {
    await Promise.all(
      [this.#pair.sender, this.#pair.receiver].map((daemon) =>
        daemon.exit === undefined ? undefined : daemon.start(false).then(() => daemon.ready(60_000)),
      ),
    )
  }

  /** Nobody waits the minutes between two calls: each is made due as a technician would. */
  async #end(faxId: string): Promise<FaxView> {
    let last: FaxView | undefined
    return until(
      async () => {
        last = await this.#pair.show(faxId)
        if (last.status === 'retrying') await this.#pair.hurry(faxId).catch(() => undefined)
        return isOver(last) ? last : undefined
      },
      'the end of the fax',
      endMs,
      700,
    ).catch(() => {
      throw new Error(`the fax did not end: ${JSON.stringify(last)}`)
    })
  }

  async #callback(faxId: string, fax: FaxView): Promise<void> {
    const { round } = this
    const events = () => this.#desk.events.get(faxId) ?? []
    await until(async () => (events().length > 0 ? true : undefined), 'the callback', 30_000).catch(() => round.faults.push('no callback'))
    await pause(1500)
    const ids = new Set(events().map((event) => event.eventId))
    round.redelivered = events().length - ids.size
    if (ids.size > 1) round.faults.push(`${ids.size} callbacks of different ids`)
    const [event] = events()
    if (event !== undefined && event.event !== (fax.status === 'sent' ? 'fax.sent' : 'fax.failed'))
      round.faults.push(`the callback says ${event.event}`)
    if (event !== undefined && String(event.possibleDuplicatePages) !== String(fax.possibleDuplicatePages))
      round.faults.push('the callback names other pages')
  }
}

function describe(fax: FaxView): string {
  const live = fax.status === 'sending' && fax.progress !== null ? `, ${fax.progress.phase}, page ${fax.progress.page}` : ''
  return `${fax.status}${live}`
}

function endEngine(daemon: Pair['sender']): void {
  for (const pid of daemon.enginePids()) if (cpuMs(pid) >= 0) process.kill(pid, 'SIGKILL')
}

/** The command: tells each round as it ends; gives the exit status. */
export async function kills(values: { rounds: string; pairs: string; minutes: string; out?: string | undefined }): Promise<number> {
  const began = Date.now()
  const rounds = await kill({
    rounds: Number(values.rounds),
    pairs: Number(values.pairs),
    until: began + Number(values.minutes) * 60_000,
    onRound: (one) => {
      if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(one)}\n`)
      const { round, transport, victim, moment, struck, pages, status, attempts, seconds, faults } = one
      console.log(
        `${String(round).padStart(4)} ${transport} ${victim} at ${moment} (${struck}): ${status}, ${pages} pages, ${attempts} calls, ${seconds} s`,
      )
      for (const fault of faults) console.log(`     FAULT ${fault}`)
    },
  })
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`\n${rounds.length} rounds, ${values.pairs} pairs of daemons, ${seconds} s\n\n${summary(rounds)}`)
  const bad = rounds.filter((one) => one.faults.length > 0)
  const text =
    bad.length === 0 ? 'nothing lost, nothing twice that was not named' : `faults in rounds ${bad.map((one) => one.round).join(' ')}`
  console.log(text)
  return bad.length === 0 ? 0 : 1
}
