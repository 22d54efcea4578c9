/**
 * kill -9 of either daemon, either engine, or on serial lines either pbx-fax, while a fax is anywhere between its acceptance and its
 * callback. Afterwards what was killed comes back, and the fax must end: sent, reported once, every page in the inbox of the receiver, none
 * of them twice that `possibleDuplicatePages` does not name.
 */
import { build } from '../../modem/rig.ts'
import { CallbackDesk, drawn, isTerminal, lineNumber, Pair, pause, slips, until, type Document, type FaxView } from './boxes.ts'
import { endEngine, endFaxProgram, strike } from './kill-blows.ts'
import { callMoments, judgeInbox, lineVictims, missing, moments, victims, type Moment, type Round, type Victim } from './kill-judge.ts'

export interface KillOptions {
  readonly rounds: number
  readonly pairs: number
  /** `lines`: soft modems. */
  readonly over: 'sip' | 'lines'
  /** No round begins after it, ms since the epoch. */
  readonly until: number
  readonly onRound: (round: Round) => void
}

interface Sent {
  readonly round: Round
  readonly document: Document
  readonly to: string
}

/** The soft modems, and the line between them, run so many times faster than time. */
const lineSpeed = 4

/** How long a fax may take from the blow to its end, and then to be whole on the other side. */
const endMs = 240_000
const arriveMs = 100_000

export async function kill(options: KillOptions): Promise<Round[]> {
  const documents: Document[] = []
  for (const [seed, pages] of [1, 2, 3, 1, 2, 3].entries()) documents.push(await drawn(await slips(pages, seed + 1)))
  if (options.over === 'lines') await build()
  /** On lines all faxes come to one number, and their pages distinguish them. */
  const siblings: Document[] = []
  const ofItsOwn = async (number: number): Promise<Document> => {
    const document = await drawn(await slips(1 + (number % 3), 100 + number))
    document.siblings = siblings
    siblings.push(document)
    return document
  }
  const desk = await CallbackDesk.open()
  const done: Round[] = []
  let next = 0
  /** A short run begins anywhere. */
  const first = Math.floor(Math.random() * moments.length)
  const work = async (index: number): Promise<void> => {
    const pair = options.over === 'lines' ? await Pair.overModems(lineSpeed) : await Pair.open({ t38: index % 2 === 0 })
    try {
      const sent: Sent[] = []
      while (next < options.rounds && Date.now() < options.until) {
        const number = next++
        const whom = options.over === 'lines' ? lineVictims : victims
        // Every moment meets every victim.
        const victim = whom[number % whom.length]!
        const when: readonly Moment[] = victim.endsWith('pbx-fax') ? callMoments : moments
        const one = new Strike(pair, desk, {
          round: number + 1,
          transport: options.over === 'lines' ? 'modem' : index % 2 === 0 ? 't38' : 'sip-audio',
          victim,
          moment: when[(first + Math.floor(number / whom.length)) % when.length]!,
          document:
            options.over === 'lines' ? await ofItsOwn(number) : documents[(number * 7 + Math.floor(number / 44)) % documents.length]!,
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
    this.#to = about.transport === 'modem' ? lineNumber : `+1555123${String(about.round).padStart(4, '0')}`
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
      // A second one while the first is being repaired.
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
    const { moment, pages, transport } = this.round
    /** Somewhere in that time of the call. */
    const within = (ms: number): Promise<void> => pause((Math.random() * ms) / (transport === 'modem' ? lineSpeed : 1))
    const seen = (is: (fax: FaxView) => boolean) =>
      until(
        async () => {
          const fax = await this.#pair.show(faxId)
          if (fax.status === 'retrying' && !is(fax)) await this.#pair.hurry(faxId).catch(() => undefined)
          return isTerminal(fax) || is(fax) ? fax : undefined
        },
        moment,
        endMs,
        transport === 'modem' ? 20 : 60,
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
        return within(5000)
      case 'page': {
        const page = 1 + Math.floor(Math.random() * pages)
        await seen((fax) => fax.progress?.phase === 'page' && fax.progress.page >= page)
        return within(4000)
      }
      case 'confirmed': {
        const page = 1 + Math.floor(Math.random() * pages)
        await seen((fax) => fax.pagesSent >= page)
        return within(300)
      }
      case 'retrying':
        // The engine of the other side goes first, in the middle of the call.
        await seen((fax) => fax.status === 'sending')
        await within(6000)
        if (transport === 'modem') await endFaxProgram(this.#pair.receiver)
        else endEngine(this.#pair.receiver)
        await seen((fax) => fax.status === 'retrying')
        return pause(Math.random() * 1000)
      case 'sent':
        await seen((fax) => fax.status === 'sent')
        return
      default:
        await within(18_000 + pages * 4500)
    }
  }

  /** A fax that has to be tried again before its callback comes. */
  async #failsToCall(faxId: string): Promise<void> {
    await this.#end(faxId)
    await pause(10_000)
  }

  #blow(): Promise<void> {
    return strike(this.#pair, this.round.victim)
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
        return isTerminal(last) ? last : undefined
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
