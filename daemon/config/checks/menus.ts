/** What a schema cannot say of menus: keys that there are, destinations that exist. */
import type { Config } from '../../schema/config.ts'
import { duplicates, type MeaningContext } from '../meaning.ts'
import { checkDestination } from '../routing.ts'

export function checkMenus(config: Config, context: MeaningContext): void {
  duplicates(['menus'], 'id', config.menus, context)
  config.menus.forEach(({ keys, dialExtensions, onNothing }, index) => {
    const path = ['menus', index]
    for (const [key, destination] of Object.entries(keys)) {
      if (!/^[0-9*#]$/.test(key)) context.fault([...path, 'keys', key], `"${key}" is not a key; write 0 to 9, "*" or "#"`)
      checkDestination([...path, 'keys', key], destination, config, context)
    }
    if (Object.keys(keys).length === 0 && !dialExtensions)
      context.fault([...path, 'keys'], 'nothing can be chosen; write keys, or dialExtensions: true')
    if (onNothing !== undefined) checkDestination([...path, 'onNothing'], onNothing, config, context)
  })
}
