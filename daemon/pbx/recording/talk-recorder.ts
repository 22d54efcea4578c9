/**
 * Records talks: those that the configuration wants, and those of which somebody asks for it by a key. A recording has two channels and
 * belongs to one leg: that of the party outside, where there is one. It goes with it from hold to hold and from one conversation to the
 * next.
 */
import { basename } from 'node:path'
import type { Leg } from '../../../drivers/line.ts'
import { pbxLeg, type BothRecorded, type PbxLeg, type StandingLeg } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import type { FarLeg, Party } from '../../calls/far-leg.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../schema/config.ts'
import { noTranscript } from '../../voice/transcripts.ts'
import type { Recordings } from '../../voice/recordings.ts'
import { partyOf } from '../talk/party.ts'
import { RecordingNotices, type NoticesOptions } from './notice.ts'
import type { CallRow } from '../../store/tables.ts'
import type { RecordPolicy } from '../../schema/config/pbx-recording.ts'

/** Which talks the configuration has recorded. Pure. */
export interface RecordedSide {
  readonly party: Pick<Party, 'extension' | 'trunkId'>
  /** Of the leg: `outbound` where the box has called it. */
  readonly direction: Leg['direction']
}

type RecordConfig = Pick<Config, 'extensions' | 'trunks' | 'queues'>

/** Whose policy wants it, such as `extension 101`; null: nobody's. */
export function recordedFor(
  { extensions, trunks, queues }: RecordConfig,
  row: Pick<CallRow, 'direction' | 'steps' | 'record'>,
  sides: readonly RecordedSide[],
): string | null {
  if (row.record === true) return 'the requester of the call'
  for (const { party, direction } of sides) {
    const extension = extensions.find(({ number }) => number === party.extension)
    // A phone that calls the box makes a call out.
    if (wants(extension?.record, direction === 'inbound' ? 'outbound' : 'inbound')) return `extension ${party.extension}`
    const trunk = trunks.find(({ id }) => id === party.trunkId)
    if (wants(trunk?.record, direction)) return `trunk ${party.trunkId}`
  }
  const waits = queues.find(({ id }) => row.steps?.some(({ to, endedAt }) => endedAt === null && to === `queue:${id}`) === true)
  return waits !== undefined && wants(waits.record, row.direction) ? `queue ${waits.id}` : null
}

function wants(policy: RecordPolicy | undefined, direction: Leg['direction']): boolean {
  return policy === 'all' || policy === direction
}

export type RecordingDeed = 'recording.begin' | 'recording.end'

export interface TalkRecorderOptions extends Omit<NoticesOptions, 'notice' | 'language'> {
  readonly config: Pick<Config, 'site' | 'extensions' | 'trunks' | 'queues' | 'featureCodes'>
  readonly log: Log
  readonly recordings: Pick<Recordings, 'begin' | 'isBegun' | 'publish' | 'discard' | 'settled'>
  /** Calls for help are not recorded here, and wait for no announcement. */
  readonly isHelp: (number: string) => boolean
  /** For the audit trail. `extension`: whose phone it was; '' where the configuration says so. */
  readonly noted: (deed: RecordingDeed, recordingId: string, extension: string) => Promise<void>
}

/** The code that joins two parties reports their conversation here. */
export interface TalkWatch {
  /** These two hear each other. Returns what is to be called when they do not any more; `over`: nobody of them talks on. */
  talk(call: Call, far: FarLeg): (over: boolean) => void
  /** A conversation that has outlived the last run, before it is reported here: its recording goes on. */
  resume(call: Call, standing: StandingLeg): void
  /** The call goes to a machine: what is recorded of it ends. */
  stop(call: Call): void
}

interface Running {
  readonly call: Call
  readonly leg: TalkingLeg
  /** Numbers the recording on its leg. */
  readonly number: number
  /** '' until it is known on the disk. */
  id: string
  ending: boolean
}

type TalkingLeg = Leg & PbxLeg

const longestMs = 24 * 3_600_000
/** Numbers that no call gives to its own recordings. */
const firstNumber = 0x4000_0000

export class TalkRecorder implements TalkWatch {
  readonly #options: TalkRecorderOptions
  readonly #notices: RecordingNotices
  readonly #running = new Map<Leg, Running>()
  /** The talk that a leg was last in. */
  readonly #talks = new WeakMap<Leg, Pair>()
  #numbers = firstNumber

  constructor(options: TalkRecorderOptions) {
    this.#options = options
    const { speaker, clock } = options
    const { recordingNotice, language } = options.config.site
    this.#notices = new RecordingNotices({ speaker, clock, notice: recordingNotice, language })
  }

  /** Has its phrases spoken ahead where they will be needed. */
  async warm(): Promise<void> {
    const { extensions, trunks, queues, featureCodes } = this.#options.config
    if (featureCodes.record !== false || [...extensions, ...trunks, ...queues].some(({ record }) => record !== 'off'))
      await this.#notices.warm()
  }

  talk(call: Call, far: FarLeg): (over: boolean) => void {
    const { config } = this.#options
    const [own, other] = [pbxLeg(call.leg), pbxLeg(far.leg)]
    if (own === null || other === null || this.#isHelp(call, far)) return () => undefined
    const sides = [
      // Click-to-dial is a call out, though the box rings the phone.
      { leg: own, party: call.party, direction: call.row.agentFirst === true ? 'inbound' : own.direction },
      { leg: other, party: partyOf(far, config), direction: other.direction },
    ] as const
    const talk: Pair = { legs: sides.map(({ leg }) => leg), stopBeeps: () => undefined }
    for (const leg of talk.legs) this.#talks.set(leg, talk)
    const running = this.#of(talk.legs)
    const wanted = running === null ? recordedFor(config, call.row, sides) : null
    if (running !== null || wanted !== null) this.#tell(talk, this.#notices.before(talk.legs))
    const recorded = (sides.find(({ party }) => party.trunkId !== '') ?? sides[0]).leg
    if (wanted !== null) void this.#begin(call, recorded, wanted, '')
    const code = config.featureCodes.record
    for (const { leg, party } of sides)
      if (code !== false && party.extension !== '')
        leg.watchCodes([code], () => this.#press(talk, { call, recorded, by: leg, extension: party.extension }))
    return (over) => {
      talk.stopBeeps()
      // One of them may be in another talk by now.
      for (const leg of talk.legs.filter((candidate) => this.#talks.get(candidate) === talk)) {
        leg.watchCodes([], () => undefined)
        if (over) this.#end(leg)
      }
    }
  }

  resume(call: Call, { leg, records }: StandingLeg): void {
    this.#notices.wereTold([leg])
    for (const { recordId, file } of records) {
      const id = basename(file, '.wav')
      this.#numbers = Math.max(this.#numbers, recordId + 1)
      if (!this.#options.recordings.isBegun(id)) continue
      const running: Running = { call, leg, number: recordId, id, ending: false }
      this.#running.set(leg, running)
      leg.onRecorded(recordId, (recorded) => this.#ended(running, recorded))
    }
  }

  stop(call: Call): void {
    for (const { leg, call: of } of [...this.#running.values()]) if (of === call) this.#end(leg)
  }

  #isHelp(call: Call, far: FarLeg): boolean {
    const { isHelp } = this.#options
    return isHelp(call.row.to) || isHelp(far.row.to)
  }

  #of(legs: readonly TalkingLeg[]): Running | null {
    return legs.map((leg) => this.#running.get(leg)).find((running) => running?.ending === false) ?? null
  }

  #tell(talk: Pair, said: Promise<void>): void {
    talk.stopBeeps()
    talk.stopBeeps = this.#notices.beeps(talk.legs)
    said.catch((error: unknown) => this.#options.log.error({ err: error }, 'the announcement of a recording could not be played'))
  }

  #press(talk: Pair, press: Press): void {
    this.#pressed(talk, press).catch((error: unknown) =>
      this.#options.log.error({ err: error, callId: press.call.id }, 'the key of recordings could not be followed to its end'),
    )
  }

  async #pressed(talk: Pair, { call, recorded, by, extension }: Press): Promise<void> {
    const { site } = this.#options.config
    const running = this.#of(talk.legs)
    if (running !== null) {
      talk.stopBeeps()
      this.#end(running.leg)
      call.note('leg', `${extension} ends the recording`)
      await this.#options.noted('recording.end', running.id, extension)
      return this.#notices.over([by], 'ended')
    }
    if (!(await this.#begin(call, recorded, `key of ${extension}`, extension))) return this.#notices.over([by], 'failed')
    const hearers = site.recordingNotice === 'announcement' ? talk.legs : [by]
    this.#tell(talk, this.#notices.during(hearers, 'begun'))
  }

  /** Whether it is recorded now. */
  async #begin(call: Call, leg: TalkingLeg, wanted: string, extension: string): Promise<boolean> {
    const { recordings, noted, log } = this.#options
    const running: Running = { call, leg, number: this.#numbers++, id: '', ending: false }
    this.#running.set(leg, running)
    try {
      const order = { callId: call.id, url: '', secret: '', transcript: null, sensitive: false }
      const { id, file } = await recordings.begin(order)
      // No talk is recorded of which the trail knows nothing.
      const trail = await noted('recording.begin', id, extension).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      if (trail !== null || running.ending || call.isTerminal) {
        recordings.discard(id)
        if (trail !== null) throw trail.error
        this.#forget(running)
        return false
      }
      running.id = id
      call.note('leg', `recorded (${wanted}): ${id}`)
      call.row.recordings.push(id)
      call.legChanged()
      leg.recordBoth(running.number, { file, maxMs: longestMs }, (recorded) => this.#ended(running, recorded))
      return true
    } catch (error) {
      this.#forget(running)
      log.error({ err: error, callId: call.id }, 'a talk is not recorded')
      call.note('warning', 'this talk could not be recorded')
      return false
    }
  }

  #end(leg: Leg): void {
    const running = this.#running.get(leg)
    if (running === undefined || running.ending) return
    running.ending = true
    if (running.id !== '') running.leg.audio?.stopRecord(running.number)
  }

  #forget(running: Running): void {
    if (this.#running.get(running.leg) === running) this.#running.delete(running.leg)
  }

  #ended(running: Running, recorded: BothRecorded): void {
    this.#forget(running)
    const { call, id } = running
    const { log } = this.#options
    const kept = this.#keep(running, recorded)
    call.holdEnd(kept)
    kept.catch((error: unknown) =>
      log.error({ err: error, callId: call.id, recordingId: id }, 'a recording of a talk is kept at the next start'),
    )
  }

  async #keep({ call, id }: Running, { durationMs, reason }: BothRecorded): Promise<void> {
    const recordings = this.#options.recordings
    if (reason === 'failed') call.note('warning', `the recording ${id} failed`)
    if ((await recordings.publish(id, call.id, durationMs, noTranscript)) !== 'none') return recordings.settled(id)
    call.row.recordings = call.row.recordings.filter((other) => other !== id)
    call.legChanged()
  }
}

/** Somebody pressed the key of recordings. */
interface Press {
  readonly call: Call
  /** The leg that a recording is to belong to. */
  readonly recorded: TalkingLeg
  readonly by: TalkingLeg
  readonly extension: string
}

/** Two who hear each other. */
interface Pair {
  readonly legs: readonly TalkingLeg[]
  stopBeeps: () => void
}
