/** pbx backup: the daemon copies its store, and this program, which root runs, reads the rest and writes the file. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { readArchive } from '../../../daemon/backup/archive.ts'
import { BackupError, inWords } from '../../../daemon/backup/error.ts'
import { adoptAuthor, keepAuthor, makeKeys, readIdentities, type KeyPair } from '../../../daemon/backup/keys.ts'
import { makeBackup, type MadeBackup } from '../../../daemon/backup/make.ts'
import { dataOwner, hasBox, placesOf, type Places } from '../../../daemon/backup/places.ts'
import { sendBackup, serverOf, sha256Of } from '../../../daemon/backup/sftp.ts'
import { asOwnerOf, UnsafePath } from '../../../daemon/base/owner.ts'
import { programVersion } from '../../../daemon/base/root.ts'
import type { BackupBegunView, BackupOutcome, BackupView } from '../../../daemon/schema/backup.ts'
import { lockDirectory } from '../../../daemon/store/store.ts'
import { CommandError, exitCode, installedConfig, root, type Client } from '../client.ts'
import type { Context } from '../command.ts'
import { bold, bytes, dim, green, localTime, print, printJson, red, yellow } from '../output.ts'
import { proveStore } from '../owner.ts'
import { patience } from '../patience.ts'
import { applyText } from '../config/change.ts'

const keyPattern = /^age1[0-9a-z]{58}$/

/** The file that this user knows: root reads what a file names, and believes no daemon which one that is. */
function ownConfig({ choice }: Context): { file: string; text: string } {
  const file = choice.config ?? (existsSync(installedConfig) ? installedConfig : undefined)
  if (file === undefined)
    throw new CommandError('the configuration file is not known', { exit: exitCode.usage, fix: 'give it: --config FILE' })
  try {
    return { file, text: readFileSync(file, 'utf8') }
  } catch (error) {
    throw new CommandError(`the configuration cannot be read: ${inWords(error)}`, { fix: 'run this as root' })
  }
}

export function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error
  if (error instanceof BackupError || error instanceof UnsafePath) return new CommandError(error.message, { fix: error.fix })
  return new CommandError(inWords(error))
}

export async function make(context: Context, { to, nightly }: { to?: string; nightly?: true }): Promise<void> {
  const { file, text } = ownConfig(context)
  const places = guarded(() => placesOf(text, file))
  const { recoveryKey, dir = '/var/backups/pbxd', keep = 14, to: configured, sshConfig } = places.backup
  if (typeof recoveryKey !== 'string' || !keyPattern.test(recoveryKey)) {
    if (nightly === true && recoveryKey === undefined) return
    throw new CommandError('there is no recovery key yet, so a backup could not be opened', { fix: 'pbx backup key' })
  }
  const toServer = to?.startsWith('sftp://') === true ? to : to === undefined && typeof configured === 'string' ? configured : null
  const ssh = typeof sshConfig === 'string' ? resolve(file, '..', sshConfig) : null
  const server = toServer === null ? null : guarded(() => serverOf(toServer, ssh))
  const folder = resolve(to !== undefined && toServer === null ? to : resolve(file, '..', String(dir)))
  const many = Number.isInteger(keep) ? Number(keep) : 14
  const copy = await copyOfStore(context, places)
  let outcome: BackupOutcome = { ok: false, error: 'the backup was interrupted', file: '', bytes: 0, files: 0, nightly: nightly === true }
  let made: MadeBackup & { sent: string | null }
  try {
    const options = { places, version: programVersion(root), recipient: recoveryKey, dir: folder, keep: many }
    const written = await makeBackup({ ...options, storeFile: copy.file, credentialsDir: copy.credentials })
    await copy.prove()
    made = { ...written, sent: server === null ? null : await sendBackup(written.file, written.sha256, server, many) }
    outcome = { ...outcome, ok: true, error: '', file: made.sent ?? made.file, bytes: made.bytes, files: made.files }
  } catch (error) {
    const fault = asCommandError(error)
    outcome = { ...outcome, error: fault.message.slice(0, 1000) }
    throw fault
  } finally {
    await copy.over(outcome)
  }
  if (context.json) return printJson(made)
  print(`${green('✓')} ${made.file}`)
  if (made.sent !== null) print(`${green('✓')} ${made.sent}`)
  print(`  ${bytes(made.bytes)}, ${made.files} files; verified`)
  if (!made.sealed)
    print(
      dim(
        `  not sealed: a restore cannot verify its origin. To seal later backups, run once with the recovery key: pbx backup check ${made.file} --key -`,
      ),
    )
  for (const path of made.missing) print(yellow(`  not included, because it could not be read: ${path}`))
}

interface StoreCopy {
  readonly file: string
  readonly credentials: string
  /** That it opens. */
  prove(): Promise<void>
  over(outcome: BackupOutcome): Promise<void>
}

/** The daemon's copy; of a box that does not run, the store itself, which is locked meanwhile. */
async function copyOfStore(context: Context, { storageDir }: Places): Promise<StoreCopy> {
  let client: Client
  let begun: BackupBegunView
  try {
    client = await context.client()
    begun = await client.post<BackupBegunView>('/api/backup/begin', { pid: process.pid }, patience.workMs)
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'unreachable') throw error
    return storeAtRest(storageDir)
  }
  const folder = join(storageDir, 'backup-work')
  const over = async (outcome: BackupOutcome): Promise<void> => void (await client.post('/api/backup/end', outcome))
  if (resolve(begun.folder) !== folder) {
    await over({ ok: false, error: 'the daemon belongs to another box', file: '', bytes: 0, files: 0, nightly: false })
    throw new CommandError(`the daemon keeps its data in ${begun.folder}, but the configuration names ${storageDir}`, {
      fix: "give the daemon's configuration: --config FILE",
    })
  }
  return {
    file: join(folder, 'store', 'store.mdb'),
    credentials: join(folder, 'credentials'),
    over,
    prove: () => proveStore(join(folder, 'store'), dataOwner(storageDir)),
  }
}

function storeAtRest(storageDir: string): StoreCopy {
  if (!hasBox(storageDir)) throw new CommandError(`pbxd is not running, and ${storageDir} has no box`)
  let unlock
  try {
    unlock = asOwnerOf(storageDir, () => lockDirectory(join(storageDir, 'store')))
  } catch (error) {
    throw asCommandError(error)
  }
  return {
    file: join(storageDir, 'store', 'store.mdb'),
    credentials: join(storageDir, 'backup-work', 'credentials'),
    prove: async () => undefined,
    over: async () => unlock(),
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asCommandError(error)
  }
}

export async function check({ json, choice }: Context, file: string, { key: keyFile }: { key?: string }): Promise<void> {
  try {
    if (keyFile === undefined) {
      const digest = `${file}.sha256`
      if (!existsSync(digest))
        throw new CommandError(`${basename(digest)} is missing next to the backup`, { fix: 'verify it with the recovery key: --key FILE' })
      if ((await sha256Of(file)) !== readFileSync(digest, 'utf8').slice(0, 64))
        throw new CommandError(`${file} does not match its checksum: it is damaged or incomplete`)
      return json ? printJson({ ok: true, opened: false }) : print(`${green('✓')} the checksum is right`)
    }
    const identities = readIdentities(keyFile)
    const { head, sealed, files, bytes: size } = await readArchive(file, identities)
    await sealFromNowOn(choice, identities)
    if (json)
      return printJson({ ok: true, opened: true, sealed, madeAt: head.madeAt, host: head.host, version: head.version, files, bytes: size })
    print(`${green('✓')} complete: ${files} files, ${bytes(size)}`)
    print(`  of ${head.host}, made ${localTime(head.madeAt)} by pbxd ${head.version}`)
    print(
      sealed
        ? '  its seal is valid: root of that box made it'
        : yellow('  it has no seal: anyone with the public half of the key could have made it'),
    )
    for (const path of head.missing) print(yellow(`  not included: ${path}`))
  } catch (error) {
    throw asCommandError(error)
  }
}

/** A box whose key was made before there were seals: the key is here now. */
async function sealFromNowOn(choice: Context['choice'], identities: readonly string[]): Promise<void> {
  const file = choice.config ?? installedConfig
  if (!existsSync(file)) return
  await adoptAuthor(file, placesOf(readFileSync(file, 'utf8'), file).backup['recoveryKey'], identities).catch(() => undefined)
}

/** Without it backups are made all the same. */
export function keepSeal(file: string, keys: KeyPair): void {
  try {
    keepAuthor(file, keys)
  } catch (error) {
    process.stderr.write(`${yellow('!')} backups will not be sealed: ${inWords(error)}\n`)
  }
}

export async function key(context: Context, { force }: { force?: true }): Promise<number> {
  const { file, text } = ownConfig(context)
  const document = parseDocument(text)
  if (document.hasIn(['backup', 'recoveryKey']) && force !== true)
    throw new CommandError('there is already a recovery key', { fix: 'to make another one: pbx backup key --force' })
  if (document.has('backup') && !isMap(document.get('backup')))
    throw new CommandError('backup in the configuration is not a section', { fix: 'pbx config check' })
  const { identity, recipient } = await makeKeys()
  document.setIn(['backup', 'recoveryKey'], recipient)
  const applied = await applyText(
    { ...context, json: false, choice: { ...context.choice, config: file } },
    document.toString({ lineWidth: 0 }),
    undefined,
    {
      yes: true,
      note: 'recovery key',
    },
  )
  if (applied !== exitCode.done) return applied
  keepSeal(file, { identity, recipient })
  if (context.json) printJson({ identity, recipient })
  else {
    print(`\n${bold('Write this down, or print it, and keep it away from the box. It is not shown again:')}\n`)
    print(identity)
    print('\nThis key opens the backups of this box. Without it, no one can open them.')
    print(dim(`public half: ${recipient}`))
  }
  return exitCode.done
}

export async function list({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<BackupView>('/api/backup')
  if (json) return printJson(view)
  const { last, good, running } = view
  if (running) print('a backup is running')
  if (last === null) return print(dim('no backup yet: pbx backup'))
  if (!last.ok) print(`${red('✗')} ${localTime(last.at)}  ${last.error}`)
  if (good !== null) print(`${green('✓')} ${localTime(good.at)}  ${bytes(good.bytes)}  ${good.file}`)
}
