/** pbx recordings: recordings of calls. */
import type { Command } from 'commander'
import type { RecordingView } from '../../../daemon/schema/voice-api.ts'
import { finish, group, rows, type Context } from '../command.ts'
import { bytes, dim, duration, localTime, print, printJson, table } from '../output.ts'
import { deleteCommand, idsOf } from '../stored.ts'

export function recordingsCommand(): Command {
  const recordings = group('recordings', 'recordings of calls')
  recordings.addCommand(
    finish(group('list', 'list recordings, newest first').option('--limit <n>', 'show at most this many', rows, 50), list, [
      'pbx recordings list',
    ]),
    { isDefault: true },
  )
  recordings.addCommand(
    deleteCommand(
      { kind: 'recording', ids: idsOf('/api/voice/recordings', 'recordingId') },
      'pbx recordings delete',
      'a recording and its transcript',
    ),
  )
  return recordings
}

async function list({ json, client }: Context, options: { limit: number }): Promise<void> {
  const view = await (await client()).get<RecordingView[]>(`/api/voice/recordings?limit=${options.limit}`)
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none'))
  print(
    table(
      ['RECORDED', 'LENGTH', 'SIZE', 'TRANSCRIPT', 'KEPT UNTIL', 'CALL', 'ID'],
      view.map((row) => [
        localTime(row.createdAt),
        duration(Math.round(row.durationMs / 1000)),
        bytes(row.bytes),
        row.transcriptStatus,
        localTime(row.expiresAt),
        row.callId,
        row.recordingId,
      ]),
    ),
  )
}
