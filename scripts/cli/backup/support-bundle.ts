/** pbx support-bundle: what a supporter needs, whether the daemon runs or not. */
import { spawnSync } from 'node:child_process'
import { createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs'
import { arch, cpus, freemem, release, totalmem, uptime } from 'node:os'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { parse, stringify } from 'yaml'
import { inWords } from '../../../daemon/backup/error.ts'
import { shownText } from '../../../daemon/backup/shown.ts'
import { idsIn, masked, maskedConfig, maskedLine } from '../../../daemon/backup/support.ts'
import { asOwnerOf, openNew, readBytes } from '../../../daemon/base/owner.ts'
import { programVersion } from '../../../daemon/base/root.ts'
import type { BoxEventView } from '../../../daemon/schema/box-events.ts'
import { CommandError, installedConfig, root } from '../client.ts'
import type { Context } from '../command.ts'
import { dim, green, print, printJson } from '../output.ts'

const logLines = 20_000
const mostEvents = 1000
const mostBytes = 64 * 1024 * 1024

export async function supportBundle(context: Context, { out, log }: { out?: string; log?: string }): Promise<void> {
  const given = log === undefined ? undefined : readLog(log)
  const ids = idsOf(context)
  const name = `pbxd-support-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const file = out ?? `${name}.tar.gz`
  const parts: [string, () => Promise<string> | string][] = [
    ['versions.json', () => json(versions())],
    ['status.json', async () => json(masked(await (await context.client()).get('/api/status'), ids))],
    ['events.json', async () => json(masked(await (await context.client()).list<BoxEventView>('/api/box/events', mostEvents), ids))],
    ['backup.json', async () => json(masked(await (await context.client()).get('/api/backup'), ids))],
    ['doctor.json', () => json(masked(JSON.parse(doctor(context)) as unknown, ids))],
    ['config.yaml', () => config(context)],
    ['log.txt', () => logText(given ?? journal(), ids)],
  ]
  const written: string[] = []
  const tar = pack()
  let fault: unknown
  const done = pipeline(tar, createGzip(), created(file))
  done.catch((error: unknown) => (fault = error))
  try {
    for (const [part, make] of parts) {
      let text: string
      let as = part
      try {
        text = await make()
        written.push(part)
      } catch (error) {
        // A box that is ill is what the bundle is for: it names what is not available.
        as = `${part}.missing`
        text = `${shownText((error as Error).message, ids)}\n`
      }
      // Where the file cannot be written nothing more is collected.
      if (fault === undefined) tar.entry({ name: `${name}/${as}`, mode: 0o600 }, text)
      else break
    }
    if (fault === undefined) tar.finalize()
    await done
  } catch (error) {
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

/** Names of things in the configuration; none where it cannot be read. */
function idsOf({ choice }: Context): Set<string> {
  try {
    return idsIn(parse(readFileSync(choice.config ?? installedConfig, 'utf8')))
  } catch {
    return new Set()
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function versions(): unknown {
  const debian = existsSync('/etc/debian_version') ? readFileSync('/etc/debian_version', 'utf8').trim() : ''
  return {
    pbxd: programVersion(root),
    node: process.version,
    debian,
    kernel: release(),
    arch: arch(),
    cpus: cpus().length,
    memoryMegabytes: Math.round(totalmem() / 1e6),
    freeMegabytes: Math.round(freemem() / 1e6),
    uptimeSeconds: Math.round(uptime()),
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

function config({ choice }: Context): string {
  return stringify(maskedConfig(parse(readFileSync(choice.config ?? installedConfig, 'utf8'))))
}

function logText(text: string, ids: ReadonlySet<string>): string {
  const lines = text.split('\n').filter((line) => line !== '')
  return `${lines
    .slice(-logLines)
    .map((line) => maskedLine(line, ids))
    .join('\n')}\n`
}

function journal(): string {
  const options = ['--unit=pbxd', `--lines=${logLines}`, '--output=cat', '--no-pager']
  const { status, stdout, stderr, error } = spawnSync('journalctl', options, { encoding: 'utf8', maxBuffer: mostBytes })
  if (error !== undefined || status !== 0) throw new Error(`the journal cannot be read: ${error?.message ?? stderr}`)
  return stdout
}
