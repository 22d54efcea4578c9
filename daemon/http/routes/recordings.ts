/** The recordings of calls: fetch and delete. */
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import type { Recordings } from '../../voice/recordings.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'

const Params = Type.Object({ recording: Type.String() })
const tag = 'Programmable voice'

/** `/recordings/<id>` and `/recordings/<id>.wav` name the same file. */
function idOf(recording: string): string {
  return recording.endsWith('.wav') ? recording.slice(0, -4) : recording
}

function unknown(): ApiError {
  return new ApiError('recording_unknown', 'There is no recording with that id')
}

export function recordingRoutes(recordings: Recordings): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/voice/recordings/:recording',
      access: 'voice',
      operationId: 'getRecording',
      summary: 'The audio of a recording (WAV, 8 kHz mono)',
      tag,
      params: Params,
      responses: { 200: { description: 'The audio; Range is honoured.', contentType: 'audio/wav' } },
      handle: ({ params }) => {
        const found = recordings.find(idOf(params.recording))
        if (found === undefined) throw unknown()
        return {
          status: 200,
          headers: { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' },
          file: { path: found.file, type: 'audio/wav', etag: found.row.recordingId },
        }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/voice/recordings/:recording',
      access: 'voice',
      operationId: 'deleteRecording',
      summary: 'Delete a recording',
      tag,
      params: Params,
      responses: { 204: { description: 'Deleted.' } },
      handle: async ({ params }) => {
        if (!(await recordings.remove(idOf(params.recording)))) throw unknown()
        return { status: 204 }
      },
    }),
  ]
}
