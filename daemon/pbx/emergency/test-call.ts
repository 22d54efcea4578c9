/** A call to the provider's test number, which reads back the number and the location that the centre would see. */
import { internalPrefix, newCallRow } from '../../calls/new-call.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Trunks } from '../../routing/trunks.ts'
import type { Config } from '../../schema/config.ts'
import type { EmergencyTestView } from '../../schema/extensions.ts'
import type { CallEvent } from '../../schema/events.ts'
import type { InternalApplication } from '../../voice/internal.ts'
import { placeOf } from './place.ts'
import { callLines } from '../../schema/call-lines.ts'

export interface EmergencyTestOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'add' | 'dial' | 'drive'>
  readonly trunks: Pick<Trunks, 'claimForHelp' | 'isFull'>
  readonly clock: Clock
  readonly applications: Pick<ApplicationRunner, 'answered'>
}

type Heard = Pick<EmergencyTestView, 'recordingId' | 'transcript'>

const applicationName = 'emergency-test'
const ringSeconds = 30
const longestSeconds = 120

export class EmergencyTest implements InternalApplication {
  readonly name = applicationName
  readonly destinations: readonly string[] = []
  readonly #options: EmergencyTestOptions
  readonly #heard = new Map<string, Heard>()

  constructor(options: EmergencyTestOptions) {
    this.#options = options
  }

  /**
   * Resolves when the call has ended. Throws ApiError `no_line` where the trunk cannot be dialled: no call gives up its channel for a test.
   */
  async place(trunkId: string): Promise<EmergencyTestView> {
    const { config, calls, trunks, clock, applications } = this.#options
    const trunk = callLines(config).find(({ id }) => id === trunkId)
    const answer = trunks.isFull(trunkId) ? null : trunks.claimForHelp(trunkId)
    if (trunk === undefined || answer === null || answer.claim === null)
      throw new ApiError('no_line', answer === null ? `All channels of ${trunkId} are in use.` : `${trunkId} cannot be used now.`)
    const place = placeOf(config, '')
    const row = newCallRow(clock.now(), 'outbound')
    Object.assign(row, {
      to: config.emergency.testNumber,
      from: place.callerId === '' ? (trunk.numbers[0] ?? '') : place.callerId,
      callerName: config.site.name,
      trunkId,
      endpointId: internalPrefix + applicationName,
      timeoutSeconds: ringSeconds,
      maxSeconds: longestSeconds,
    } satisfies Partial<typeof row>)
    const call = calls.add(row)
    call.note('state', `test of emergency calls through ${trunkId}`)
    const { to, from, callerName, timeoutSeconds } = row
    calls.dial(call, answer.claim.dial({ to, from, callerName, timeoutSeconds, headers: place.headers }, call.over))
    calls.drive(call, () => applications.answered(call))
    await call.settled
    const heard = this.#heard.get(row.callId) ?? { recordingId: null, transcript: null }
    this.#heard.delete(row.callId)
    const answered = row.answeredAt !== null
    return { callId: row.callId, trunkId, number: to, callerId: from, location: place.text, answered, sipCode: row.sipCode, ...heard }
  }

  async respond(event: CallEvent): Promise<readonly unknown[]> {
    if (event.event === 'call.answered')
      return [{ record: { maxSeconds: 90, playBeep: false, finishOnKey: '', silenceTimeout: 10, initialTimeout: 20, transcribe: true } }]
    if (event.event === 'record.completed' && event.recordingId !== '')
      this.#heard.set(event.callId, { recordingId: event.recordingId, transcript: event.transcript ?? null })
    return []
  }
}
