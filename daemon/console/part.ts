/** The console: the pages of the box for people. Where it is off, `/` is a plain page that says how the box is. */
import { join } from 'node:path'
import type { Core } from '../core.ts'
import { frontPageRoutes } from '../http/front-page-routes.ts'
import type { Part } from '../part.ts'
import { consoleDefaults } from '../schema/config/console.ts'
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
  const settings = config.console === 'off' ? undefined : config.console
  const built = settings && readBuilt(folder)
  if (built === undefined) {
    if (settings !== undefined)
      log.error({ folder }, 'the files of the console are missing: run scripts/setup, or install the package again')
    return { name: 'console', routes: frontPageRoutes({ health }) }
  }
  const site = (): Site => {
    const { name, language, timeZone, country } = config.site
    const { help = '', waitSeconds } = { ...consoleDefaults, ...settings }
    return { name, language, timeZone, country, help, waitSeconds, anybody: anybody() }
  }
  return { name: 'console', routes: consoleRoutes({ site, built, folder }) }
}
