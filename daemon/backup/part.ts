/** Backups: the copy of the store for `pbx backup`, and a report of a night without one. */
import { bySystem } from '../audit/audit.ts'
import { BackupDesk } from './desk.ts'
import type { Core } from '../core.ts'
import { backupRoutes } from './routes.ts'
import type { Part } from '../part.ts'

export function backupPart(core: Core): Part {
  const desk = new BackupDesk(core)
  return {
    name: 'backup',
    routes: backupRoutes(desk),
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
