/** Backups: `pbx backup` makes them, and asks the daemon for a copy of its store; a person asks for one from a page. */
import type { BundleFile } from './bundle.ts'
import type { BackupDesk } from './desk.ts'
import type { BackupRun } from './run.ts'
import { BackupBeginSchema, BackupBegunSchema, BackupOutcomeSchema, BackupStepSchema, BackupViewSchema } from '../schema/backup.ts'
import { defineRoute, type Route } from '../http/route.ts'

const access = 'technician'
const tag = 'Operation'

export interface BackupServices {
  readonly desk: Pick<BackupDesk, 'begin' | 'end' | 'state'>
  readonly run: Pick<BackupRun, 'begin'>
  readonly support: () => Promise<BundleFile>
}

export function backupRoutes({ desk, run, support }: BackupServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/backup/run',
      access,
      people: ['technician'],
      operationId: 'runBackup',
      deed: 'backup.run',
      summary: 'Have a backup made now, and say how it goes',
      description:
        'The backup is made by root (pbxd-backup.service), which the daemon can only ask for one. The answer ends with {"done":true}, or with what went wrong.',
      tag,
      responses: {
        200: {
          description: 'A line for each state.',
          contentType: 'application/x-ndjson',
          schema: BackupStepSchema,
          example: { state: 'running', backup: null },
        },
      },
      handle: ({ signal }) => {
        const follow = run.begin(signal)
        return { status: 200, stream: follow }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backup',
      access,
      people: ['technician'],
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
    supportRoute(support),
  ]
}

function supportRoute(make: () => Promise<BundleFile>): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/support-bundle',
    access,
    people: ['technician'],
    operationId: 'getSupportBundle',
    deed: 'support.bundle',
    summary: 'State, events, checks and configuration in one file for support, without patients’ data and secrets',
    description: 'As pbx support-bundle makes it, without the log: the service may not read the journal.',
    tag,
    responses: { 200: { description: 'A tar archive, compressed by gzip.', contentType: 'application/gzip' } },
    handle: async () => {
      const { name, path, remove } = await make()
      const headers = { 'Content-Disposition': `attachment; filename="${name}"` }
      return { status: 200, headers, file: { path, type: 'application/gzip', etag: name }, release: remove }
    },
  })
}
