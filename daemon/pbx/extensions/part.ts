/** Extensions: their phones ring, their people set what becomes of their calls, and have numbers dialled for them. */
import type { LineStatus } from '../../../drivers/line.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Talks } from '../../routing/connect.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Attendant } from '../codes/attendant.ts'
import { emergencyNumberIn } from '../emergency/numbers.ts'
import { siteOf } from '../../schema/config/sites.ts'
import type { ExtensionView } from '../../schema/extensions.ts'
import { ClickToDial } from './click-to-dial.ts'
import { ExtensionDesk, phoneSettings } from './desk.ts'
import { takeToHouseExtension } from './extensions.ts'
import { extensionRoutes } from './routes.ts'
import { SettingsOfExtensions, isEngaged } from './settings.ts'

export interface ExtensionsPart extends Part {
  /** What people set at their phones. */
  readonly settings: SettingsOfExtensions
  /** Has a phone of an extension ring, and somebody called from there. */
  readonly place: ClickToDial['place']
  /** Whether a phone of the extension can be rung, and whether one is in use. */
  presence(extension: string): { readonly registered: boolean; readonly onCall: boolean }
  readonly list: () => readonly ExtensionView[]
}

export interface ExtensionsPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'features' | 'takers' | 'trunks'>
  readonly calls: Calls
  readonly talks: Talks
  readonly attendant: Attendant
  readonly driver: { lines(): readonly LineStatus[] }
}

export function extensionsPart(
  { config, store, clock }: Pick<Ground, 'config' | 'store' | 'clock'>,
  { routing, calls, talks, attendant, driver }: ExtensionsPartOptions,
): ExtensionsPart {
  const { destinations, features, takers, trunks } = routing
  const settings = new SettingsOfExtensions({ store, clock })
  const options = { config, calls, trunks, destinations, settings, clock, talks }
  takers.add('extension', (call, { number }, request) =>
    siteOf(config, number) === undefined
      ? takeToHouseExtension(options, call, number, request)
      : takers.get('remote')(call, { kind: 'remote', number }, request),
  )
  features.addAll(phoneSettings({ config, settings, attendant }))
  const isHelp = (number: string): boolean => emergencyNumberIn(config, number) !== null
  const desk = new ExtensionDesk({ config, calls, settings, lines: () => driver.lines() })
  const clickToDial = new ClickToDial({ config, calls, trunks, destinations, clock, isHelp })
  return {
    name: 'extensions',
    settings,
    place: (order, alongside) => clickToDial.place(order, alongside),
    presence: (extension) => ({ registered: trunks.hasPhone(extension), onCall: isEngaged(calls.live(), extension) }),
    list: () => desk.list(),
    routes: extensionRoutes(desk),
  }
}
