/** The commands of `pbx backup`, `pbx restore` and `pbx support-bundle`. */
import type { Command } from 'commander'
import { finish, group, late } from '../command.ts'

export function backupCommands(): Command[] {
  const backup = group('backup', 'the whole box in one encrypted file, made while everything goes on')
  backup.addCommand(
    finish(
      group('make', 'make a backup, open it again, keep the newest (what "pbx backup" alone does)')
        .option('--to <place>', 'a folder, or sftp://USER@HOST/FOLDER (default: backup.dir and backup.to)')
        .option('--nightly', 'of the timer: says nothing where no backups are wanted'),
      late(async () => (await import('../backup/backup.ts')).make),
      ['pbx backup', 'pbx backup --to /media/usb', 'pbx backup --to sftp://clinic@nas.example.net/pbxd'],
    ),
    { isDefault: true },
  )
  backup.addCommand(
    finish(
      group('check', 'open a backup without restoring it; exit 1 when it is not whole')
        .argument('<file>')
        .option('--key <file>', 'the recovery key; without it the file is held against its .sha256'),
      late(async () => (await import('../backup/backup.ts')).check),
      ['pbx backup check pbxd-box-20260302T020611Z.tar.age', 'pbx backup check /media/usb/pbxd-box-20260302T020611Z.tar.age --key -'],
    ),
  )
  backup.addCommand(
    finish(
      group('key', 'make a recovery key: the private half is printed once, the public one goes into the configuration').option(
        '--force',
        'take the place of a key that is there; backups made before need the one before',
      ),
      late(async () => (await import('../backup/backup.ts')).key),
      ['pbx backup key'],
    ),
  )
  backup.addCommand(
    finish(
      group('list', 'how the last backups ended'),
      late(async () => (await import('../backup/backup.ts')).list),
      ['pbx backup list'],
    ),
  )
  const restore = finish(
    group('restore', 'put the box of a backup onto this machine, whose daemon is stopped')
      .argument('[file]', 'the backup')
      .option('--key <file>', 'the recovery key; - for standard input', '-')
      .option('--force', 'replace the box that is here; it stays in before-restore')
      .option('--yes', 'a backup without a seal may write outside the folders of the box')
      .option('--root <folder>', 'the file system of the box, such as a mounted disk', '/')
      .option('--finish', 'go on with a restore that was cut short'),
    late(async () => (await import('../backup/restore.ts')).restore),
    ['pbx restore pbxd-box-20260302T020611Z.tar.age --key key.txt', 'pbx restore --finish'],
  )
  const support = finish(
    group('support-bundle', 'what a supporter needs in one file: state, events, log, configuration; no patients, no secrets')
      .option('--out <file>', 'where to (default: pbxd-support-TIME.tar.gz here)')
      .option('--log <file>', 'a log that is not in the journal'),
    late(async () => (await import('../backup/support-bundle.ts')).supportBundle),
    ['pbx support-bundle', 'pbx support-bundle --out /tmp/support.tar.gz'],
  )
  return [backup, restore, support]
}
