/**
 * The bundle for a supporter: state, events, checks, log and configuration as texts in one .tar.gz, without patients' data and secrets. A box
 * that is ill is what it is for: a part that is not available is named with the reason.
 */
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { arch, cpus, freemem, release, tmpdir, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { parse, stringify } from 'yaml'
import { programVersion } from '../base/root.ts'
import { shownText } from './shown.ts'
import { idsIn, masked, maskedConfig, maskedLine } from './support.ts'

const logLines = 20_000

/** What a bundle is made of, as it is; each may throw. */
export interface BundleSources {
  /** Folder of the program. */
  readonly root: string
  readonly configFile: string
  readonly status: () => unknown
  /** The newest ones. */
  readonly events: () => unknown
  readonly backup: () => unknown
  readonly doctor: () => unknown
  readonly log: () => string
}

export const bundleEvents = 1000

export const bundleName = (now: number): string => `pbxd-support-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`

/** Writes it to `to`, all below the folder `name`; returns the parts that are whole. Rejects where `to` cannot be written. */
export async function writeBundle(name: string, sources: BundleSources, to: Writable): Promise<readonly string[]> {
  const ids = idsOf(sources.configFile)
  const tar = pack()
  let fault: unknown
  const done = pipeline(tar, createGzip(), to)
  done.catch((error: unknown) => (fault = error))
  const written: string[] = []
  for (const [part, make] of partsOf(sources, ids)) {
    let text: string
    let as = part
    try {
      text = await make()
      written.push(part)
    } catch (error) {
      as = `${part}.missing`
      text = `${shownText((error as Error).message, ids)}\n`
    }
    // Where the file cannot be written nothing more is collected.
    if (fault !== undefined) break
    tar.entry({ name: `${name}/${as}`, mode: 0o600 }, text)
  }
  if (fault === undefined) tar.finalize()
  await done
  return written
}

export interface BundleFile {
  readonly name: string
  readonly path: string
  /** It is read. */
  readonly remove: () => void
}

/** A bundle in a folder of its own. */
export async function bundleFile(now: number, sources: BundleSources): Promise<BundleFile> {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-support-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const name = bundleName(now)
  const path = join(folder, `${name}.tar.gz`)
  try {
    await writeBundle(name, sources, createWriteStream(path, { mode: 0o600 }))
    return { name: `${name}.tar.gz`, path, remove }
  } catch (error) {
    remove()
    throw error
  }
}

function partsOf(
  sources: BundleSources,
  ids: ReadonlySet<string>,
): readonly (readonly [file: string, make: () => Promise<string> | string])[] {
  const shown = async (value: unknown): Promise<string> => json(masked(await value, ids))
  return [
    ['versions.json', () => json(versions(sources.root))],
    ['status.json', () => shown(sources.status())],
    ['events.json', () => shown(sources.events())],
    ['backup.json', () => shown(sources.backup())],
    ['doctor.json', () => shown(sources.doctor())],
    ['config.yaml', () => stringify(maskedConfig(parse(readFileSync(sources.configFile, 'utf8'))))],
    ['log.txt', () => logText(sources.log(), ids)],
  ]
}

/** Names of things in the configuration; none where it cannot be read. */
function idsOf(configFile: string): Set<string> {
  try {
    return idsIn(parse(readFileSync(configFile, 'utf8')))
  } catch {
    return new Set()
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function versions(root: string): unknown {
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

function logText(text: string, ids: ReadonlySet<string>): string {
  const lines = text.split('\n').filter((line) => line !== '')
  return `${lines
    .slice(-logLines)
    .map((line) => maskedLine(line, ids))
    .join('\n')}\n`
}
