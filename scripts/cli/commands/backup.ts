/** The commands of `pbx backup`, `pbx restore` and `pbx support-bundle`. */
import type { Command } from 'commander'
import { finish, group, late } from '../command.ts'

export function backupCommands(): Command[] {
  const backup = group('backup', 'back up the whole box into one encrypted file, without interrupting calls')
  backup.addCommand(
    finish(
      group('make', 'make a backup, verify it, delete the oldest (same as "pbx backup")')
        .option('--to <place>', 'a folder, or sftp://USER@HOST/FOLDER (default: backup.dir and backup.to)')
        .option('--nightly', 'for the timer: print nothing when no recovery key is configured'),
      late(async () => (await import('../backup/backup.ts')).make),
      ['pbx backup', 'pbx backup --to /media/usb', 'pbx backup --to sftp://clinic@nas.example.net/pbxd'],
    ),
    { isDefault: true },
  )
  backup.addCommand(
    finish(
      group('check', 'verify a backup without restoring it; exit 1 when it is damaged')
        .argument('<file>')
        .option('--key <file>', 'the recovery key; without it, only the checksum (.sha256) is compared'),
      late(async () => (await import('../backup/backup.ts')).check),
      ['pbx backup check pbxd-box-20260302T020611Z.tar.age', 'pbx backup check /media/usb/pbxd-box-20260302T020611Z.tar.age --key -'],
    ),
  )
  backup.addCommand(
    finish(
      group('key', 'make a recovery key: the private half is printed once, the public half goes into the configuration').option(
        '--force',
        'replace the existing key; earlier backups still need the earlier key',
      ),
      late(async () => (await import('../backup/backup.ts')).key),
      ['pbx backup key'],
    ),
  )
  backup.addCommand(
    finish(
      group('list', 'show the results of the last backups'),
      late(async () => (await import('../backup/backup.ts')).list),
      ['pbx backup list'],
    ),
  )
  const restore = finish(
    group('restore', 'restore a backup onto this machine; stop the daemon first')
      .argument('[file]', 'the backup file')
      .option('--key <file>', 'the recovery key; - for standard input', '-')
      .option('--force', 'replace the existing box; it is kept in before-restore')
      .option('--yes', "let an unsealed backup write outside the box's folders")
      .option('--root <folder>', 'root of the file system to restore to, such as a mounted disk', '/')
      .option('--finish', 'finish a restore that was interrupted'),
    late(async () => (await import('../backup/restore.ts')).restore),
    ['pbx restore pbxd-box-20260302T020611Z.tar.age --key key.txt', 'pbx restore --finish'],
  )
  const support = finish(
    group('support-bundle', 'collect state, events, log and configuration in one file for support; without patient data and secrets')
      .option('--out <file>', 'the file to write (default: pbxd-support-TIME.tar.gz in this folder)')
      .option('--log <file>', 'a log file to use instead of the journal'),
    late(async () => (await import('../backup/support-bundle.ts')).supportBundle),
    ['pbx support-bundle', 'pbx support-bundle --out /tmp/support.tar.gz'],
  )
  return [backup, restore, support]
}
