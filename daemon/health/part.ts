/** The page of the technician: one reading of the box, and its tests. */
import type { DriverHealth } from '../../drivers/line.ts'
import type { BoxEvents } from '../box-events/box-events.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { BackupView } from '../schema/backup.ts'
import { DiskUse } from './disk-use.ts'
import { HealthReading, type HealthSources } from './reading.ts'
import { healthRoutes } from './routes.ts'
import type { TestSources } from './tests.ts'

export interface HealthPartOptions {
  readonly status: Pick<HealthSources, 'status'> & Pick<TestSources, 'lines' | 'doctor'>
  readonly backup: { readonly state: () => BackupView }
  readonly figures: Pick<HealthSources, 'callsToday'>
  readonly driver: { health(): DriverHealth }
  readonly modems: { readonly test: TestSources['testModem'] }
  readonly time: { readonly trusted: () => boolean }
  readonly events: BoxEvents
}

export function healthPart(core: Core, { status, backup, figures, driver, modems, time, events }: HealthPartOptions): Part {
  const { config, store, clock, log, version } = core
  const disk = new DiskUse({ store, clock, log, dir: config.storage.dir, timeZone: config.site.timeZone })
  const common = { config, version, clock, events, backup: backup.state }
  const sources = { ...common, status: status.status, callsToday: figures.callsToday, clockTrusted: time.trusted }
  const reading = new HealthReading({ ...sources, disk, engine: () => driver.health() })
  const { lines, doctor } = status
  return {
    name: 'health',
    routes: healthRoutes({ ...common, reading, lines, doctor, testModem: modems.test }),
    start: () => disk.start(),
    stop: () => disk.stop(),
  }
}
