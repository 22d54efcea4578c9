/** Who is told at once of a call for help (47 CFR 9.16(b)(2)): phones that are rung, and people by every way that the box has. */
import type { Log } from '../../base/log.ts'
import { addressees, type NoticeWays } from '../../base/notice-ways.ts'
import type { Config } from '../../schema/config.ts'
import type { CallOut } from './call-out.ts'

/** Somebody calls for help. */
export interface EmergencyCall {
  readonly callId: string
  readonly number: string
  readonly extension: string
  /** Name of the extension, '' for none. */
  readonly name: string
  /** Where the phone is; '' where nobody wrote it down. */
  readonly location: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface NoticeOptions {
  readonly notices: NoticeWays
  readonly config: Pick<Config, 'emergency' | 'site'>
  readonly callOut: Pick<CallOut, 'ring'>
  readonly log: Log
}

/** Who calls, for a person: `extension 102, Waiting room`. */
export function callerOf({ extension, name }: Pick<EmergencyCall, 'extension' | 'name'>): string {
  return name === '' ? `extension ${extension}` : `extension ${extension}, ${name}`
}

export class EmergencyNotices {
  readonly #options: NoticeOptions

  constructor(options: NoticeOptions) {
    this.#options = options
  }

  /** Tells everybody at the same time; resolves when each has been told or could not be. What could not be said is in the log. */
  async tell(call: EmergencyCall): Promise<void> {
    const { config, log } = this.#options
    const { extensions, ...others } = config.emergency.notify
    const ways = [
      ...addressees(others).map(({ way, to }) => ({ to, told: this.#write(call, way, to) })),
      ...extensions.filter((extension) => extension !== call.extension).map((to) => ({ to, told: this.#ring(call, to) })),
    ]
    for (const { to, told } of ways)
      told.catch((error: unknown) => log.error({ err: error, callId: call.callId, to }, 'a notice of an emergency call could not be given'))
    await Promise.allSettled(ways.map(({ told }) => told))
  }

  async #write(call: EmergencyCall, way: string, to: string): Promise<void> {
    const { notices, config } = this.#options
    const all = lines(call, config.site)
    await notices[way]!.tell({
      to,
      subject: `EMERGENCY CALL to ${call.number} from ${callerOf(call)}`,
      text: `${all.join('\n')}\n`,
      brief: `EMERGENCY CALL. ${all.join('. ')}`,
      about: `emergency:${call.callId}`,
    })
  }

  #ring(call: EmergencyCall, extension: string): Promise<void> {
    const { config } = this.#options
    const where = call.location === '' ? config.site.name : call.location
    const said = `Emergency call to ${[...call.number].join(' ')} from ${callerOf(call)}, ${where}.`
    const shown = `EMERGENCY ${call.name === '' ? call.extension : call.name}`
    return this.#options.callOut.ring(extension, { from: call.extension, shown, said: { text: said, language: config.site.language } })
  }
}

function lines(call: EmergencyCall, { name, timeZone }: Config['site']): string[] {
  const when = new Date(call.at).toLocaleString('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'long' })
  return [
    ...(name === '' ? [] : [name]),
    `From: ${callerOf(call)}`,
    `Dialled: ${call.number}`,
    `Where: ${call.location === '' ? 'not configured' : call.location}`,
    `When: ${when}`,
    `Call: ${call.callId}`,
  ]
}
