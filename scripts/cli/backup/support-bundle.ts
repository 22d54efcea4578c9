/** pbx support-bundle: what a supporter needs, whether the daemon runs or not. */
import { spawnSync } from 'node:child_process'
import { createWriteStream, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { bundleEvents, bundleName, writeBundle } from '../../../daemon/backup/bundle.ts'
import { inWords } from '../../../daemon/backup/error.ts'
import { asOwnerOf, openNew, readBytes } from '../../../daemon/base/owner.ts'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { CommandError, installedConfig, root } from '../client.ts'
import type { Context } from '../command.ts'
import { dim, green, print, printJson } from '../output.ts'

const logLines = 20_000
const mostBytes = 64 * 1024 * 1024

export async function supportBundle(context: Context, { out, log }: { out?: string; log?: string }): Promise<void> {
  const given = log === undefined ? undefined : readLog(log)
  const name = bundleName(Date.now())
  const file = out ?? `${name}.tar.gz`
  const sources = {
    root,
    configFile: context.choice.config ?? installedConfig,
    status: async () => (await context.client()).get('/api/status'),
    events: async () => (await context.client()).list<BoxEventView>('/api/box/events', bundleEvents),
    backup: async () => (await context.client()).get('/api/backup'),
    doctor: () => JSON.parse(doctor(context)) as unknown,
    log: () => given ?? journal(),
  }
  let written: readonly string[]
  try {
    written = await writeBundle(name, sources, created(file))
  } catch (error) {
    if (error instanceof CommandError) throw error
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') asOwnerOf(dirname(resolve(file)), () => rmSync(file, { force: true }))
    throw new CommandError(`${file} cannot be written: ${inWords(error)}`, { fix: 'give another file: --out FILE' })
  }
  if (context.json) return printJson({ file, parts: written })
  print(`${green('✓')} ${file}`)
  print(dim(`  ${written.join(', ')}`))
  print('  it should hold no patient data and no secrets; check it before you send it')
}

/** Who names a log wants it in the bundle. */
function readLog(file: string): string {
  try {
    return readBytes(file).toString('utf8')
  } catch (error) {
    throw new CommandError(`the log ${file} cannot be read: ${inWords(error)}`, {
      fix: 'give another file with --log FILE, or leave --log out to use the journal',
    })
  }
}

function created(file: string) {
  try {
    return createWriteStream(file, { fd: openNew(file) })
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${inWords(error)}`, { fix: 'give another file: --out FILE' })
  }
}

function doctor({ choice }: Context): string {
  const named = [
    ...(choice.socket === undefined ? [] : ['--socket', choice.socket]),
    ...(choice.config === undefined ? [] : ['--config', choice.config]),
  ]
  const program = process.argv[1]
  if (program === undefined) throw new Error('the program is unknown')
  return spawnSync(process.execPath, [program, 'doctor', '--json', ...named], { encoding: 'utf8', timeout: 60_000 }).stdout
}

function journal(): string {
  const options = ['--unit=pbxd', `--lines=${logLines}`, '--output=cat', '--no-pager']
  const { status, stdout, stderr, error } = spawnSync('journalctl', options, { encoding: 'utf8', maxBuffer: mostBytes })
  if (error !== undefined || status !== 0) throw new Error(`the journal cannot be read: ${error?.message ?? stderr}`)
  return stdout
}
