/** What a schema cannot say of alarms: addresses that can be reached, hours that can be read. */
import { addressees } from '../../base/notice-ways.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { alarmWays } from '../../schema/alarm-ways.ts'
import type { Config } from '../../schema/config.ts'
import { checkOpenTimes } from './hours.ts'
import { duplicates, type MeaningContext } from '../meaning.ts'
import { checkNotify } from './notify.ts'

export function checkAlarms(config: Config, context: MeaningContext): void {
  duplicates(['alarms'], 'id', config.alarms, context)
  config.alarms.forEach(({ notify, hours }, index) => {
    const path = ['alarms', index]
    const { call, webhook, ...written } = notify
    checkNotify([...path, 'notify'], written, config, context)
    if (hours !== undefined) checkOpenTimes([...path, 'hours'], hours, context)
    if (addressees(notify).length === 0)
      context.warning([...path, 'notify'], `this rule tells nobody; write ${alarmWays.slice(0, -1).join(', ')} or ${alarmWays.at(-1)}`)
    call.forEach((number, at) => checkCalled([...path, 'notify', 'call', at], number, config, context))
    webhook.forEach((text, at) => checkWebhook([...path, 'notify', 'webhook', at], text, config, context))
  })
}

function checkCalled(
  path: (string | number)[],
  number: string,
  { site, extensions, trunks }: Config,
  { fault, warning }: MeaningContext,
): void {
  const { kind } = normaliseNumber(number, site.country, new Set(extensions.map((extension) => extension.number)))
  if (kind === 'invalid') fault(path, `"${number}" is not a telephone number; write it as +15550001000`)
  else if (kind === 'emergency') fault(path, `${number} is an emergency number: no program may call it`)
  else if (kind !== 'extension' && trunks.length === 0) warning(path, `${number} cannot be called without a trunk`)
}

function checkWebhook(path: (string | number)[], text: string, { callbacks }: Config, { fault, warning }: MeaningContext): void {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return fault(path, `"${text}" is not a URL; write for example https://monitor.example.com/pbx`)
  if (url.username !== '' || url.password !== '') return fault(path, 'the URL must not contain a user name or password')
  if (!callbacks.allowLoopback && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
    warning(path, 'requests to this machine itself are refused; write callbacks: { allowLoopback: true } to permit them')
}
