/** What a person hears of the last backup. */
import t from 'tap'
import { BackupDesk, type BackupDeskOptions } from '../../daemon/backup/desk.ts'

t.test('when it was, by the clock on the wall of the site', async (t) => {
  const at = Date.UTC(2026, 10, 25, 2, 7)
  const rows = new Map([
    ['backupLast', JSON.stringify({ at: at + 1000, ok: false, error: 'the disk is full' })],
    ['backupGood', JSON.stringify({ at, ok: true })],
  ])
  const options = {
    config: { backup: { recoveryKey: 'age1' }, site: { timeZone: 'America/New_York' }, storage: { dir: '/nowhere' } },
    store: { tables: { meta: rows } },
    clock: { now: () => at + 3000 },
    startedAt: at,
  }
  const { text } = new BackupDesk(options as unknown as BackupDeskOptions).fault()!
  t.equal(String(text), 'The last backup failed; the last good backup is from 2026-11-24 21:07: the disk is full')
})
