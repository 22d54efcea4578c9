/** The console: the pages of the box for people. Where it is off, `/` is a plain page that says how the box is. */
import { join } from 'node:path'
import type { Core } from '../core.ts'
import { frontPageRoutes } from '../http/front-page-routes.ts'
import type { Part } from '../part.ts'
import { readBuilt } from './built.ts'
import { consoleRoutes } from './routes.ts'
import type { Site } from './site.ts'

export interface ConsolePartOptions {
  /** Whether somebody can sign in. */
  readonly anybody: () => boolean
}

export function consolePart(
  { config, root, health, log }: Pick<Core, 'config' | 'root' | 'health' | 'log'>,
  { anybody }: ConsolePartOptions,
): Part {
  const folder = join(root, '.cache', 'console')
  const built = config.console === 'off' ? undefined : readBuilt(folder)
  if (built === undefined) {
    if (config.console !== 'off')
      log.error({ folder }, 'the files of the console are missing: run scripts/setup, or install the package again')
    return { name: 'console', routes: frontPageRoutes({ health }) }
  }
  const site = (): Site => {
    const { name, language, timeZone, country } = config.site
    const { help = '' } = config.console === 'off' ? {} : config.console
    return { name, language, timeZone, country, help, anybody: anybody() }
  }
  return { name: 'console', routes: consoleRoutes({ site, built, folder }) }
}
