/** Calls of the house in the hands of people who use a page. */
import { isoTime } from '../../base/clock.ts'
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { CallRecords } from '../../history/records.ts'
import type { Part } from '../../part.ts'
import type { Routing } from '../../routing/routing.ts'
import type { ParkedSlotView } from '../../schema/call-control.ts'
import { emergencyNumberIn } from '../emergency/numbers.ts'
import type { SettingsOfExtensions } from '../extensions/settings.ts'
import type { ParkingSlots } from '../parking/slots.ts'
import type { HouseTalks } from '../talk/talks.ts'
import { CallControl } from './control.ts'
import { callControlRoutes } from './routes.ts'

export interface ControlPart extends Part {
  /** The slots, and who waits in each. */
  readonly parking: { list(): ParkedSlotView[]; onChange(tell: (slot: string) => void): void }
}

export interface ControlPartOptions {
  readonly routing: Pick<Routing, 'destinations' | 'trunks'>
  readonly calls: Calls
  readonly records: Pick<CallRecords, 'get'>
  readonly talks: HouseTalks
  readonly slots: ParkingSlots
  readonly settings: SettingsOfExtensions
}

export function controlPart(
  { config, clock }: Pick<Ground, 'config' | 'clock'>,
  { routing: { destinations, trunks }, calls, records, talks, slots, settings }: ControlPartOptions,
): ControlPart {
  const isHelp = (number: string): boolean => emergencyNumberIn(config, number) !== null
  const control = new CallControl({
    ...{ config, calls, trunks, destinations, talks, slots, settings, clock, isHelp },
    mustBeKnown: (callId) => void records.get(callId),
  })
  const list = (): ParkedSlotView[] => slots.all().map((slot) => slotView(slots, slot))
  return {
    name: 'call control',
    parking: { list, onChange: (tell) => slots.onChange(tell) },
    routes: callControlRoutes({ control, record: (callId) => records.get(callId), slots: list }),
  }
}

function slotView(slots: ParkingSlots, slot: string): ParkedSlotView {
  const parked = slots.parked(slot)
  if (parked === undefined) return { slot, call: null }
  const { call, at, by } = parked
  const { number, name } = call.party
  return { slot, call: { callId: call.id, from: number, callerName: name, since: isoTime(at), by } }
}
