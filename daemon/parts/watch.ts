/** What watches the box: its history, the alarms about it, and its backups. */
import type { LineStatus } from '../../drivers/line.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import { alarmsPart, type AlarmsPartOptions } from './alarms.ts'
import { backupPart } from './backup.ts'
import { eventsPart } from './events.ts'

export interface WatchOptions extends Omit<AlarmsPartOptions, 'events'> {
  readonly driver: { lines(): readonly LineStatus[] }
  readonly modems: { lines(): readonly LineStatus[] }
}

export function watchParts(core: Core, { driver, modems, ...options }: WatchOptions): readonly Part[] {
  const history = eventsPart(core, () => [...driver.lines(), ...modems.lines()])
  return [backupPart(core), history, alarmsPart(core, { ...options, events: history.events })]
}
