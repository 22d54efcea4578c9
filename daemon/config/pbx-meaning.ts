/** The telephone system of the house: phones and groups that must exist, and where calls go on to. */
import { memberOf } from '../schema/config-pbx-groups.ts'
import type { Config } from '../schema/config.ts'
import { duplicates, type MeaningContext } from './meaning.ts'
import { checkDestination, unknownName } from './routing.ts'
import type { Path } from './source.ts'

export function checkPbx(config: Config, context: MeaningContext): void {
  const onwards = (path: Path, text: string | undefined, itself: string): void => {
    if (text === undefined) return
    checkDestination(path, text, config, context)
    if (text === itself) context.fault(path, `calls would go from ${text} to ${text} for ever; write another destination`)
  }
  onwards(['site', 'fallbackDestination'], config.site.fallbackDestination, '')
  config.extensions.forEach((extension, index) => {
    for (const key of ['onBusy', 'onNoAnswer', 'onUnreachable'] as const)
      onwards(['extensions', index, key], extension[key], extension.number)
  })
  checkGroups(config, context, onwards)
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
      const { extension } = memberOf(member)
      const here = [...path, 'members', at]
      if (!known.includes(extension)) context.fault(here, unknownName('extension', extension, known))
      if (seen.has(extension)) context.fault(here, `"${extension}" is there twice`)
      seen.add(extension)
    })
    onwards([...path, 'onNoAnswer'], onNoAnswer, `group:${id}`)
  })
}
