/** `pbx recordings`, and the command `delete` of every group whose items are kept. */
import type { Command } from 'commander'
import { idsOf, type Ids } from './ids.ts'
import type { Finish, Group } from './speech-commands.ts'

/** What can be deleted, and the ids there are of it. */
export interface Deletable {
  /** As DELETE /api/stored/KIND/ID has it. */
  readonly kind: string
  readonly ids: Ids
}

export function deleteCommand(group: Group, finish: Finish, item: Deletable, example: string, what: string): Command {
  return finish(
    group('delete', `delete ${what}, with everything that repeats it; for good`).argument(
      '<id>',
      'the id, or a part of it that no other has',
    ),
    async () => (await import('./commands/stored.ts')).remove(item),
    [`${example} 019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8`],
  )
}

export function recordingsCommand(group: Group, finish: Finish, rows: (text: string) => number): Command {
  const recordings = group('recordings', 'recordings of calls')
  recordings.addCommand(
    finish(
      group('list', 'recordings, newest first').option('--limit <n>', 'at most so many', rows, 50),
      async () => (await import('./commands/stored.ts')).recordings,
      ['pbx recordings list'],
    ),
    { isDefault: true },
  )
  recordings.addCommand(
    deleteCommand(
      group,
      finish,
      { kind: 'recording', ids: idsOf('/api/voice/recordings', 'recordingId') },
      'pbx recordings delete',
      'a recording and its transcript',
    ),
  )
  return recordings
}
