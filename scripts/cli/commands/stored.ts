/** Deletion of what is kept, one item at a time and by its id; and the recordings there are. */
import type { RecordingView } from '../../../daemon/schema/voice-api.ts'
import type { Context } from '../context.ts'
import { wholeId } from '../ids.ts'
import type { Deletable } from '../stored-commands.ts'
import { bytes, dim, duration, localTime, print, printJson, table } from '../output.ts'

export function remove({ kind, ids }: Deletable) {
  return async ({ json, client }: Context, id: string): Promise<void> => {
    const box = await client()
    const view = await box.delete<{ deleted: string }>(`/api/stored/${kind}/${encodeURIComponent(await wholeId(box, ids, id))}`)
    if (json) printJson(view)
    else print(`${view.deleted}: deleted, with what repeats it`)
  }
}

export async function recordings({ json, client }: Context, options: { limit: number }): Promise<void> {
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
