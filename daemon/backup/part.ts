/** Backups: the copy of the store for `pbx backup`, a report of a night without one; and the bundle for a supporter. */
import { dirname, join } from 'node:path'
import { bySystem } from '../audit/audit.ts'
import { type BoxEvents, boxEventView } from '../box-events/box-events.ts'
import { bundleEvents, bundleFile } from './bundle.ts'
import { BackupDesk } from './desk.ts'
import type { Core } from '../core.ts'
import { backupRoutes } from './routes.ts'
import { BackupRun } from './run.ts'
import type { Part } from '../part.ts'

export interface BackupPart extends Part {
  readonly state: BackupDesk['state']
}

/** By whose change pbxd-backup.path starts the backup: root reads nothing of it. */
const due = 'backup-due'

export interface BackupPartOptions {
  readonly events: Pick<BoxEvents, 'list'>
  readonly status: { readonly status: () => Promise<unknown>; readonly doctor: () => Promise<unknown> }
}

export function backupPart(core: Core, { events, status }: BackupPartOptions): BackupPart {
  const { clock, config } = core
  const desk = new BackupDesk(core)
  const run = new BackupRun({ clock, desk, file: join(dirname(config.control.socket), due) })
  const support = () =>
    bundleFile(clock.now(), {
      ...{ root: core.root, configFile: core.configFile ?? '', status: status.status, doctor: status.doctor, backup: () => desk.state() },
      events: () => events.list({ limit: bundleEvents }).rows.map(boxEventView),
      log() {
        throw new Error('the service may not read the journal; with the log: sudo pbx support-bundle')
      },
    })
  return {
    name: 'backup',
    state: () => desk.state(),
    routes: backupRoutes({ desk, run, support }),
    *warnings() {
      const fault = desk.fault()
      if (fault !== null) yield { code: fault.code, severity: 'error', text: fault.text, fix: 'pbx backup' }
    },
    start() {
      desk.clear()
      const restored = desk.restored()
      if (restored === null) return
      core.log.warn({ madeAt: restored.madeAt, host: restored.host }, 'this box was restored from a backup')
      void core.trail.happened(bySystem('backup.restored', restored.madeAt))
    },
  }
}
