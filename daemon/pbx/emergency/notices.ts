/** Who is notified at once of a call for help (47 CFR 9.16(b)(2)): phones that are rung, and people by every way that the box has. */
import type { Log } from '../../base/log.ts'
import { addressees, type NoticeWays } from '../../base/notice-ways.ts'
import type { Config } from '../../schema/config.ts'
import { words, type Wording } from '../../words/words.ts'
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
  readonly notices: Pick<NoticeWays, 'get'>
  readonly config: Pick<Config, 'emergency' | 'site'>
  readonly callOut: Pick<CallOut, 'ring'>
  readonly log: Log
}

export class EmergencyNotices {
  readonly #options: NoticeOptions

  constructor(options: NoticeOptions) {
    this.#options = options
  }

  /** Notifies everybody at the same time; resolves when each has been notified or could not be. Failures are in the log. */
  async tell(call: EmergencyCall): Promise<void> {
    const { config, log } = this.#options
    const { extensions, ...others } = config.emergency.notify
    const ways = [
      ...addressees(others).map(({ way, to }) => ({ to, told: this.#write(call, way, to) })),
      ...extensions.filter((extension) => extension !== call.extension).map((to) => ({ to, told: this.#ring(call, to) })),
    ]
    for (const { to, told } of ways)
      told.catch((error: unknown) => log.error({ err: error, callId: call.callId, to }, 'a notice of an emergency call could not be sent'))
    await Promise.allSettled(ways.map(({ told }) => told))
  }

  async #write(call: EmergencyCall, way: string, to: string): Promise<void> {
    const { notices, config } = this.#options
    const wording = words(config.site.language)
    const { subject, title, extension } = wording.emergency
    const all = lines(call, config.site, wording)
    await notices.get(way).tell({
      to,
      subject: subject(call.number, extension(call.extension, call.name)),
      text: `${all.join('\n')}\n`,
      brief: `${title}. ${all.join('. ')}`,
      about: `emergency:${call.callId}`,
    })
  }

  #ring(call: EmergencyCall, extension: string): Promise<void> {
    const { config } = this.#options
    const where = call.location === '' ? config.site.name : call.location
    const { language, emergency } = words(config.site.language)
    const text = emergency.said([...call.number].join(' '), emergency.extension(call.extension, call.name), where)
    const shown = emergency.shown(call.name === '' ? call.extension : call.name)
    return this.#options.callOut.ring(extension, { from: call.extension, shown, said: { text, language } })
  }
}

function lines(call: EmergencyCall, { name, timeZone }: Config['site'], { language, emergency }: Wording): string[] {
  // No narrow space, which would make a text one of 70 characters a part.
  const when = new Date(call.at).toLocaleString(language, { timeZone, dateStyle: 'medium', timeStyle: 'long' }).replaceAll(/\s/g, ' ')
  return [
    ...(name === '' ? [] : [name]),
    emergency.from(emergency.extension(call.extension, call.name)),
    emergency.dialled(call.number),
    emergency.where(call.location === '' ? emergency.noPlace : call.location),
    emergency.when(when),
    emergency.call(call.callId),
  ]
}
