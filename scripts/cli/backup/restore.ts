/** pbx restore: a box from its backup. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adoptAuthor, readIdentities } from '../../../daemon/backup/keys.ts'
import { placesOf, restoreMarker, under, unfinishedRestore } from '../../../daemon/backup/places.ts'
import { finishRestore, restoreBackup } from '../../../daemon/backup/restore.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { CommandError, exitCode, installedConfig } from '../client.ts'
import type { Context } from '../command.ts'
import { bytes, dim, green, localTime, print, printJson, yellow } from '../output.ts'
import { proveStore } from '../owner.ts'
import { asCommandError } from './backup.ts'
import { agreed } from '../config/change.ts'

interface Wanted {
  readonly key: string
  readonly force?: true
  readonly root: string
  readonly finish?: true
  readonly yes?: true
}

export async function restore(context: Context, file: string | undefined, { key, force, root, finish, yes }: Wanted): Promise<void> {
  try {
    if (finish === true) return goOn(context, root)
    if (file === undefined) throw new CommandError('give the backup file', { exit: exitCode.usage, fix: 'pbx restore FILE --key KEYFILE' })
    if (key === '-' && process.stdin.isTTY) print('Type the recovery key (AGE-SECRET-KEY-1...), then Enter and Ctrl-D:')
    const identities = readIdentities(key)
    const asked = async (outside: readonly string[]): Promise<boolean> => yes === true || (!context.json && askedFor(outside))
    const {
      head,
      sealed,
      files,
      bytes: size,
      replaced,
      storageDir,
      configFile,
    } = await restoreBackup({
      ...{ file, identities, root, force: force === true, log: createLog({ level: 'silent' }) },
      ...{ here: boxHere(context, root), agree: asked, prove: proveStore },
    })
    await adoptAuthor(configFile, recoveryKeyOf(configFile), identities).catch(() => undefined)
    if (context.json)
      return printJson({ madeAt: head.madeAt, host: head.host, sealed, files, bytes: size, configFile, storageDir, replaced })
    print(`${green('✓')} restored the box of ${head.host} as of ${localTime(head.madeAt)}: ${files} files, ${bytes(size)}`)
    if (!sealed)
      print(yellow('  the backup has no seal: anyone with the public half of the key could have made it. Check the configuration'))
    for (const path of head.missing) print(yellow(`  was not in the backup: ${path}`))
    for (const name of head.credentials)
      print(yellow(`  add to the systemd unit: LoadCredential=${name}:${join(configFile, '..', 'credentials', name)}`))
    if (replaced !== null) print(dim(`  the previous box is in ${replaced}: delete it when everything works`))
    print(
      '  faxes, texts and reminders that waited at the time of the backup will be sent: see pbx fax list, pbx sms list, pbx reminders list',
    )
    print('start the daemon: systemctl start pbxd')
  } catch (error) {
    throw asCommandError(error)
  }
}

/** What this machine has: a backup that is not sealed does not say where a box is. */
function boxHere({ choice }: Context, root: string): { configFile: string; storageDir: string | null } {
  const configFile = choice.config ?? installedConfig
  const there = under(root, configFile)
  return { configFile, storageDir: existsSync(there) ? placesOf(readFileSync(there, 'utf8'), configFile).storageDir : null }
}

async function askedFor(outside: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  print(yellow('The origin of this backup cannot be verified, and it would write outside the folders of the box:'))
  for (const line of outside) print(`  ${line}`)
  return agreed('Is this correct?')
}

function recoveryKeyOf(configFile: string): unknown {
  return placesOf(readFileSync(configFile, 'utf8'), configFile).backup['recoveryKey']
}

function goOn({ choice, json }: Context, root: string): void {
  const file = under(root, choice.config ?? installedConfig)
  // The configuration may be one of the files that are still to be moved.
  const known = [file, `${file}.restoring`].filter((one) => existsSync(one))
  const dirs = known.map((one) => under(root, placesOf(readFileSync(one, 'utf8'), choice.config ?? installedConfig).storageDir))
  const dir = dirs.find((one) => existsSync(one) && unfinishedRestore(one, root))
  if (dir === undefined) {
    const planted = dirs.map((one) => join(one, restoreMarker)).find((one) => existsSync(one))
    if (planted === undefined) throw new CommandError('there is no interrupted restore')
    throw new CommandError(`${planted} does not belong to a restore that root started: nothing was moved`, {
      code: 'unsafe-path',
      fix: `rm ${planted}`,
    })
  }
  finishRestore(dir, root)
  if (json) return printJson({ storageDir: dir })
  print(`${green('✓')} finished; start the daemon: systemctl start pbxd`)
}
