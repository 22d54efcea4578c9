/** Calls of the house in the hands of people who use a page. */
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { CallRecords } from '../../history/records.ts'
import type { Part } from '../../part.ts'
import type { Routing } from '../../routing/routing.ts'
import { emergencyNumberIn } from '../emergency/numbers.ts'
import type { SettingsOfExtensions } from '../extensions/settings.ts'
import type { HouseTalks } from '../talk/talks.ts'
import { CallControl } from './control.ts'
import { callControlRoutes } from './routes.ts'

export interface ControlPart extends Part {
  readonly control: CallControl
}

export interface ControlPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'trunks'>
  readonly calls: Calls
  readonly records: Pick<CallRecords, 'get'>
  readonly talks: HouseTalks
  readonly settings: SettingsOfExtensions
}

export function controlPart(
  { config, clock }: Pick<Ground, 'config' | 'clock'>,
  { routing: { destinations, trunks }, calls, records, talks, settings }: ControlPartOptions,
): ControlPart {
  const isHelp = (number: string): boolean => emergencyNumberIn(config, number) !== null
  const control = new CallControl({
    ...{ config, calls, trunks, destinations, talks, settings, clock, isHelp },
    mustBeKnown: (callId) => void records.get(callId),
  })
  return { name: 'call control', control, routes: callControlRoutes({ control, record: (callId) => records.get(callId) }) }
}
