/** The telephone system of the house: phones and groups that must exist, and where calls go on to. */
import { normaliseNumber } from '../../numbers/numbers.ts'
import { createReach } from '../../numbers/reach.ts'
import { memberOf } from '../../schema/config/pbx-groups.ts'
import type { Config } from '../../schema/config.ts'
import { duplicates, type MeaningContext, type SectionCheck } from './context.ts'
import { checkDestination, unknownName } from '../routing.ts'
import type { Path } from '../source.ts'
import { callLines } from '../../schema/call-lines.ts'
import { featureNames } from '../../schema/config/pbx-codes.ts'

/** What a schema cannot say of menus: keys that there are, destinations that exist. */
function checkMenus(config: Config, context: MeaningContext): void {
  duplicates(['menus'], 'id', config.menus, context)
  config.menus.forEach(({ keys, dialExtensions, onNothing }, index) => {
    const path = ['menus', index]
    for (const [key, destination] of Object.entries(keys)) {
      if (!/^[0-9*#]$/.test(key)) context.fault([...path, 'keys', key], `"${key}" is not a key; write 0 to 9, "*" or "#"`)
      checkDestination([...path, 'keys', key], destination, config, context)
    }
    if (Object.keys(keys).length === 0 && !dialExtensions)
      context.fault([...path, 'keys'], 'the menu has no choices; write keys, or dialExtensions: true')
    if (onNothing !== undefined) checkDestination([...path, 'onNothing'], onNothing, config, context)
  })
}

/** Feature codes: no two are dialled alike. */
function checkCodes({ featureCodes }: Config, { fault }: MeaningContext): void {
  for (const [index, name] of featureNames.entries()) {
    const code = featureCodes[name]
    const other = featureNames.slice(0, index).find((before) => featureCodes[before] === code)
    if (code !== false && other !== undefined)
      fault(['featureCodes', name], `"${code}" is already the code of ${other}; write another one, or false`)
  }
}

function checkPbx(config: Config, context: MeaningContext): void {
  const onwards = (path: Path, text: string | undefined, itself: string): void => {
    if (text === undefined) return
    checkDestination(path, text, config, context)
    if (text === itself) context.fault(path, `calls would go from ${text} to ${text} endlessly; write another destination`)
  }
  onwards(['site', 'fallbackDestination'], config.site.fallbackDestination, '')
  config.extensions.forEach((extension, index) => {
    for (const key of ['onBusy', 'onNoAnswer', 'onUnreachable'] as const)
      onwards(['extensions', index, key], extension[key], extension.number)
  })
  checkGroups(config, context, onwards)
  checkQueues(config, context, onwards)
}

function checkGroups(
  config: Config,
  context: MeaningContext,
  onwards: (path: Path, text: string | undefined, itself: string) => void,
): void {
  const known = config.extensions.map(({ number }) => number)
  duplicates(['ringGroups'], 'id', config.ringGroups, context)
  config.ringGroups.forEach(({ id, members, onNoAnswer }, index) => {
    const path = ['ringGroups', index]
    const seen = new Set<string>()
    // Left out, which is a fault of its own.
    if (!Array.isArray(members)) return
    members.forEach((member, at) => {
      const { number, outside } = memberOf(member)
      const here = [...path, 'members', at]
      if (outside) checkOutsideMember(config, context, here, number)
      else if (!known.includes(number)) context.fault(here, unknownName('extension', number, known))
      if (seen.has(number)) context.fault(here, `"${number}" is given twice`)
      seen.add(number)
    })
    onwards([...path, 'onNoAnswer'], onNoAnswer, `group:${id}`)
  })
}

/** Refused here rather than at the first call. */
function checkOutsideMember(config: Config, { fault, warning }: MeaningContext, path: Path, number: string): void {
  const { kind, dial } = normaliseNumber(number, config.site.country)
  if (kind === 'invalid') fault(path, `"${number}" is not a telephone number; write it as +15550001000`)
  else if (callLines(config).length === 0) warning(path, 'it is never rung: there is no trunk')
  else {
    const { allowed, reason } = createReach(config).mayDial(dial, 'call')
    if (!allowed) fault(path, reason)
  }
}

function checkQueues(
  config: Config,
  context: MeaningContext,
  onwards: (path: Path, text: string | undefined, itself: string) => void,
): void {
  const known = config.extensions.map(({ number }) => number)
  duplicates(['queues'], 'id', config.queues, context)
  config.queues.forEach((queue, index) => {
    const path = ['queues', index]
    // Left out, which is a fault of its own.
    if (!Array.isArray(queue.members)) return
    queue.members.forEach((member, at) => {
      if (!known.includes(member)) context.fault([...path, 'members', at], unknownName('extension', member, known))
      if (queue.members.indexOf(member) < at) context.fault([...path, 'members', at], `"${member}" is given twice`)
    })
    for (const key of ['onEmpty', 'onTimeout', 'onFull'] as const) onwards([...path, key], queue[key], `queue:${queue.id}`)
    const leave = queue.leave?.destination === 'callback' ? undefined : queue.leave?.destination
    onwards([...path, 'leave', 'destination'], leave, `queue:${queue.id}`)
  })
}

export const checks: readonly SectionCheck[] = [
  [['menus', 'hours', 'extensions', 'voice'], checkMenus],
  [['site', 'extensions', 'ringGroups', 'queues', 'voice', 'lines', 'trunks'], checkPbx],
  [['featureCodes'], checkCodes],
]
