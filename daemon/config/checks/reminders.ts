/** What a schema cannot say of reminders: hours in their order, a trunk and a destination that exist. */
import { canSendOn } from '../../routing/destinations.ts'
import type { Config } from '../../schema/config.ts'
import { timeOfDay } from '../../schema/config/reminders.ts'
import { parseDestination } from '../../schema/destination.ts'
import { checkDestination, unknownName } from '../routing.ts'
import type { MeaningContext, SectionCheck } from './context.ts'
import { callLines } from '../../schema/call-lines.ts'

const earliest = '08:00'
const latest = '21:00'

function checkReminders(config: Config, context: MeaningContext): void {
  const { trunk, reception, preset, attempts, sms } = config.reminders
  const path = ['reminders']
  checkWindow(config, context)
  const trunks = callLines(config).map(({ id }) => id)
  if (trunk !== undefined && !trunks.includes(trunk)) context.fault([...path, 'trunk'], unknownName('trunk', trunk, trunks))
  if (reception !== undefined) {
    checkDestination([...path, 'reception'], reception, config, context)
    if (parseDestination(reception) !== undefined && !canSendOn(reception)) {
      context.warning([...path, 'reception'], 'this version can connect only to an extension: key 0 is not offered')
    }
  }
  if (preset === 'us-health-exempt' && attempts > 3) {
    context.warning([...path, 'attempts'], 'with the preset us-health-exempt a number is called once a day and three times a week')
  }
  if (sms && config.sms.trunks.length === 0) context.warning([...path, 'sms'], 'no trunk carries texts: write one in sms.trunks')
}

function checkWindow(config: Config, context: MeaningContext): void {
  const { window } = config.reminders
  const path = ['reminders', 'window']
  // A time of another form has its fault already, and says nothing of its order.
  if (!timeOfDay.test(window.from) || !timeOfDay.test(window.to)) return
  // Texts of the same length compare as times do.
  const from = window.from < earliest ? earliest : window.from
  const to = window.to > latest ? latest : window.to
  if (window.from >= window.to) context.fault([...path, 'to'], `the window ends at ${window.to}, before it begins at ${window.from}`)
  else if (from >= to) context.fault(path, `calls are permitted only between ${earliest} and ${latest}: no time is left`)
  else {
    if (from !== window.from) context.warning([...path, 'from'], `calls are permitted only from ${earliest}: calls begin then`)
    if (to !== window.to) context.warning([...path, 'to'], `calls are permitted only until ${latest}: calls end then`)
  }
}

export const checks: readonly SectionCheck[] = [
  [['reminders', 'trunks', 'lines', 'extensions', 'voice', 'hours', 'menus', 'sms'], checkReminders],
]
