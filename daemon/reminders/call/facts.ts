/** What one call says, made of the request and the configuration. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { canSendOn } from '../../routing/destinations.ts'
import type { Config } from '../../schema/config.ts'
import type { ReminderCallRequest } from '../caller.ts'
import { firstName } from '../../base/person-name.ts'
import { words } from '../../words/words.ts'
import type { LocalTime } from '../../words/form.ts'
import type { ScriptFacts } from './script.ts'

/** The person who picks up hears no more than this of any text of the reminder. */
const longestPart = 100

/** @param ownNumber E.164 or as configured; '' where the site has none. Throws RangeError for a time zone that does not exist. */
export function scriptFacts(config: Config, request: ReminderCallRequest, ownNumber: string): ScriptFacts {
  const { site, reminders } = config
  const { reminderCall: phrases, language } = words(request.language, site.language)
  const exempt = reminders.preset === 'us-health-exempt'
  const national = nationalForm(ownNumber, site.country)
  const number = national === '' ? '' : phrases.number(national)
  const detail = (text: string) => (reminders.speakDetails ? plain(text) : '')
  return {
    phrases,
    language,
    opening: phrases.opening({
      name: plain(firstName(request.customerName)),
      clinic: plain(site.name),
      number: exempt ? number : '',
      when: phrases.when(localTime(request.appointmentAt, request.timeZone || site.timeZone)),
      service: detail(request.serviceName),
      staff: detail(request.staffName),
    }),
    message: phrases.message(plain(site.name), number, exempt),
    reception: receptionOf(config),
  }
}

/** The destination of key 0; null where none is configured, or none that a call can be taken to. */
export function receptionOf({ reminders }: Config): string | null {
  const { reception } = reminders
  return reception !== undefined && canSendOn(reception) ? reception : null
}

/** One line without markup: a name is not a place for either. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}<>&]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longestPart)
}

function nationalForm(number: string, country: string): string {
  const parsed = parsePhoneNumberFromString(number)
  if (parsed === undefined) return number
  // 555-0123 and the like belong to no country: the code decides.
  const home = parsed.country === country || (parsed.country === undefined && country === 'US' && parsed.countryCallingCode === '1')
  return home ? parsed.formatNational() : parsed.formatInternational()
}

/** Throws RangeError where `zone` is not a time zone. */
export function localTime(at: number, zone: string): LocalTime {
  const date = new Date(at)
  const form = { hour: 'numeric', minute: 'numeric', hourCycle: 'h23', timeZone: zone } as const
  const parts = new Intl.DateTimeFormat('en-US', form).formatToParts(date)
  const read = (type: 'hour' | 'minute') => Number(parts.find((part) => part.type === type)?.value)
  return { at: date, zone, hour: read('hour'), minute: read('minute') }
}
