/** Backups: `pbx backup` makes them, and asks the daemon for a copy of its store. */
import type { BackupDesk } from './desk.ts'
import { BackupBeginSchema, BackupBegunSchema, BackupOutcomeSchema, BackupViewSchema } from '../schema/backup.ts'
import { defineRoute, type Route } from '../http/route.ts'

const access = 'technician'
const tag = 'Operation'

export function backupRoutes(desk: Pick<BackupDesk, 'begin' | 'end' | 'state'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/backup',
      access,
      operationId: 'getBackups',
      summary: 'How the last backups ended',
      tag,
      responses: { 200: { description: 'The last, and the last good one.', schema: BackupViewSchema } },
      handle: () => ({ status: 200, body: desk.state() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup/begin',
      access,
      operationId: 'beginBackup',
      deed: 'backup.begin',
      summary: 'Copy the store into a folder while everything goes on',
      tag,
      body: BackupBeginSchema,
      responses: { 200: { description: 'The copy is there.', schema: BackupBegunSchema } },
      handle: async ({ body: { pid } }) => ({ status: 200, body: await desk.begin(pid) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup/end',
      access,
      operationId: 'endBackup',
      deed: 'backup.end',
      summary: 'Remove the copy of the store, and say how the backup ended',
      tag,
      body: BackupOutcomeSchema,
      responses: { 200: { description: 'How things stand.', schema: BackupViewSchema } },
      handle: async ({ body, deed }) => {
        await desk.end(body, () => deed.record(body.ok ? 'made' : 'failed'))
        return { status: 200, body: desk.state() }
      },
    }),
  ]
}
