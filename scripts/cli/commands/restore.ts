/** pbx restore: a box from its backup. */
import { join } from 'node:path'
import { readIdentities } from '../../../daemon/backup/keys.ts'
import { placesOf, under, unfinishedRestore } from '../../../daemon/backup/places.ts'
import { finishRestore, restoreBackup } from '../../../daemon/backup/restore.ts'
import { createLog } from '../../../daemon/log.ts'
import { existsSync, readFileSync } from 'node:fs'
import { CommandError, exitCode, installedConfig } from '../client.ts'
import type { Context } from '../context.ts'
import { bytes, dim, green, localTime, print, printJson, yellow } from '../output.ts'
import { asCommandError } from './backup.ts'

interface Wanted {
  readonly key: string
  readonly force?: true
  readonly root: string
  readonly finish?: true
}

export async function restore(context: Context, file: string | undefined, { key, force, root, finish }: Wanted): Promise<void> {
  try {
    if (finish === true) return goOn(context, root)
    if (file === undefined) throw new CommandError('which backup?', { exit: exitCode.usage, fix: 'pbx restore FILE --key KEYFILE' })
    if (key === '-' && process.stdin.isTTY) print('The recovery key (AGE-SECRET-KEY-1...), then Enter and Ctrl-D:')
    const options = { file, identities: readIdentities(key), root, force: force === true, log: createLog({ level: 'silent' }) }
    const { head, files, bytes: size, replaced, storageDir, configFile } = await restoreBackup(options)
    if (context.json) return printJson({ madeAt: head.madeAt, host: head.host, files, bytes: size, configFile, storageDir, replaced })
    print(`${green('✓')} the box of ${head.host} as it was ${localTime(head.madeAt)}: ${files} files, ${bytes(size)}`)
    for (const path of head.missing) print(yellow(`  was not in the backup: ${path}`))
    for (const name of head.credentials)
      print(yellow(`  for the unit: LoadCredential=${name}:${join(configFile, '..', 'credentials', name)}`))
    if (replaced !== null) print(dim(`  what was here is in ${replaced}: remove it when all is well`))
    print('  what waited to be sent then is sent again: look at pbx fax list, pbx sms list, pbx reminders list')
    print('start it: systemctl start pbxd')
  } catch (error) {
    throw asCommandError(error)
  }
}

function goOn({ choice, json }: Context, root: string): void {
  const file = under(root, choice.config ?? installedConfig)
  // The configuration may be one of the files that are still to be moved.
  const known = [file, `${file}.restoring`].filter((one) => existsSync(one))
  const dirs = known.map((one) => under(root, placesOf(readFileSync(one, 'utf8'), choice.config ?? installedConfig).storageDir))
  const dir = dirs.find(unfinishedRestore)
  if (dir === undefined) throw new CommandError('no restore was cut short here')
  finishRestore(dir)
  if (json) return printJson({ storageDir: dir })
  print(`${green('✓')} finished; start it: systemctl start pbxd`)
}
