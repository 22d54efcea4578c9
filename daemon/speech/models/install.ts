/**
 * Puts a model into its folder: fetched or imported, verified, unpacked, made ready for its engine, loaded on trial, and
 * only then renamed to where it is looked for. What was there before stays until that moment.
 */
import { chmod, copyFile, link, mkdir, rename, rm, rmdir, stat, readFile, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from '../../../drivers/speech.ts'
import { downloadBytes, ModelError, pinned, sourcesOf, type Catalogue, type ModelEntry } from './catalogue.ts'
import { identify, type Found } from './identify.ts'
import { readModel, type InstalledModel, type ModelPlaces } from './installed.ts'
import { hashOf, recordName, recordOf, syncFolder, writeRecord } from './record.ts'
import { unpack } from './unpack.ts'

// The models' folder as a place: one process at a time, room on the disk.

/** Beyond what the model itself takes. */
const reserveBytes = 64e6

/** @throws ModelError `busy` when a process that lives holds it */
async function takeLock(lock: string, id: string): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      return await writeFile(lock, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = Number(await readFile(lock, 'utf8').catch(() => '0'))
      if (holder > 0 && (await exists(`/proc/${holder}`)) && attempt === 0)
        throw new ModelError('busy', `${id} is being installed by process ${holder}`, `wait for it, or stop it: kill ${holder}`)
      await rm(lock, { force: true })
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function checkSpace(folder: string, wanted: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const mb = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`
  if (free < wanted + reserveBytes)
    throw new ModelError(
      'no-space',
      `${mb(wanted + reserveBytes)} are needed in ${folder}, but only ${mb(free)} are free`,
      'free space, or choose another folder: --dir FOLDER',
    )
}

/** What the engines have to say: given by who knows them. */
export interface InstallHooks {
  /** Makes the files fit for the engine, by kind; resolves with further files (role -> name) it wrote into the folder. */
  readonly finish?: Readonly<Record<string, (folder: string, files: Readonly<Record<string, string>>) => Promise<Record<string, string>>>>
  /** Loads the model where a crash harms nobody. */
  readonly trial?: (model: ModelFiles) => Promise<{ readonly ok: boolean; readonly reason: string }>
}

export interface Progress {
  readonly step: 'download' | 'check' | 'unpack' | 'prepare' | 'try'
  readonly bytes: number
  /** 0: not known. */
  readonly total: number
}

export interface InstallOptions extends InstallHooks {
  readonly places: ModelPlaces
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Installs what cannot be checked against a known sha256. */
  readonly trustFirst?: boolean
  /** Of downloads; see DownloadOptions. */
  readonly stallMs?: number
  readonly retryMs?: number
}

/** Fetches and installs. Resolves at once when it is installed already. @throws ModelError */
export async function installModel(entry: ModelEntry, options: InstallOptions): Promise<InstalledModel> {
  const there = readModel(entry, options.places)
  if (there.state === 'installed') return there
  mustBePinned(entry, options)
  return alone(entry, options, async (incoming) => {
    await checkSpace(incoming, downloadBytes(entry) + entry.diskMB * 1e6 - (await lying(entry, incoming)))
    const sources = sourcesOf(entry)
    const all = downloadBytes(entry)
    const fetched: Found = { entry, files: new Map(), sha256: {} }
    let before = 0
    // The daemon chooses among models and downloads none: it need not have loaded what does.
    const { download } = await import('./download.ts')
    for (const source of sources) {
      const target = join(incoming, source.name)
      const seen = (bytes: number): void => options.onProgress?.({ step: 'download', bytes: before + bytes, total: all })
      fetched.sha256[source.name] =
        (await complete(target, source.sha256)) ?? (await download(source, target, { ...options, seen, mostBytes: entry.diskMB * 2e6 }))
      fetched.files.set(source.name, target)
      before += (await stat(target)).size
    }
    return place(fetched, { origin: sources.map(({ url }) => url), incoming, owned: true }, options)
  })
}

/**
 * Installs from a file or a folder, such as a USB stick's: archives and files as they lie at the addresses of the catalogue. They are
 * identified by their sha256; `entry` is needed only for what is not pinned.
 */
export async function importModels(path: string, from: Catalogue, options: InstallOptions, entry?: ModelEntry): Promise<InstalledModel[]> {
  if (entry !== undefined) mustBePinned(entry, options)
  const found = await identify(path, entry === undefined ? from.models.filter(pinned) : [entry], {
    seen: (bytes, total) => options.onProgress?.({ step: 'check', bytes, total }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const installed: InstalledModel[] = []
  for (const model of found)
    installed.push(
      await alone(model.entry, options, async (incoming) => {
        await checkSpace(incoming, model.entry.diskMB * 1e6)
        return place(model, { origin: [`import:${path}`], incoming, owned: false }, options)
      }),
    )
  return installed
}

/** False when it was not there. What came with the program or a package cannot be removed. @throws ModelError */
export async function removeModel(entry: ModelEntry, places: ModelPlaces): Promise<boolean> {
  const folder = join(places.directory, entry.id)
  const there = await exists(folder)
  const { own, directory } = readModel(entry, places)
  if (!there && own) {
    const packaged = places.packaged !== undefined && directory?.startsWith(places.packaged) === true
    const [from, way] = packaged ? ['a package', `: apt remove pbxd-speech-${entry.id}`] : ['the program', ', and stays']
    throw new ModelError('missing', `${entry.id} came with ${from}, in ${directory}${way}`)
  }
  if (there) {
    // Without its record it is no model any more, whatever happens to the rest.
    await rm(join(folder, recordName), { force: true })
    await rm(folder, { recursive: true, force: true })
  }
  await rm(join(places.directory, '.incoming', entry.id), { recursive: true, force: true })
  return there
}

function mustBePinned(entry: ModelEntry, options: InstallOptions): void {
  if (pinned(entry) || options.trustFirst === true) return
  throw new ModelError(
    'not-pinned',
    `the sha256 of ${entry.id} is not known, so a changed file would not be noticed`,
    `pbx models install ${entry.id} --trust-first-download`,
  )
}

/** One at a time for each model, in its folder for what is not yet installed. */
async function alone(
  entry: ModelEntry,
  options: InstallOptions,
  work: (incoming: string) => Promise<InstalledModel>,
): Promise<InstalledModel> {
  const { directory } = options.places
  const incoming = join(directory, '.incoming', entry.id)
  const lock = join(incoming, 'lock')
  try {
    await mkdir(incoming, { recursive: true, mode: 0o755 })
    await takeLock(lock, entry.id)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw new ModelError(
        'no-space',
        `${directory} cannot be written to: ${message}`,
        'run as root, or choose another folder: --dir FOLDER',
      )
    throw error
  }
  try {
    // A run that was killed between two renames leaves the old model aside.
    const aside = join(incoming, 'old')
    if (await exists(aside)) {
      if (await exists(join(directory, entry.id))) await rm(aside, { recursive: true, force: true })
      else await rename(aside, join(directory, entry.id))
    }
    const installed = await work(incoming)
    await rm(incoming, { recursive: true, force: true })
    return installed
  } finally {
    await rm(join(incoming, 'new'), { recursive: true, force: true })
    await rm(lock, { force: true })
    // Nothing of a download lies there: nothing is kept.
    await rmdir(incoming).catch(() => {})
    await rmdir(join(directory, '.incoming')).catch(() => {})
  }
}

interface Origin {
  readonly origin: readonly string[]
  readonly incoming: string
  /** Whether the files lie in `incoming` and may be moved. */
  readonly owned: boolean
}

async function place(found: Found, { origin, incoming, owned }: Origin, options: InstallOptions): Promise<InstalledModel> {
  const { entry } = found
  const folder = join(incoming, 'new')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o755 })
  const total = entry.diskMB * 1e6
  options.onProgress?.({ step: 'unpack', bytes: 0, total })
  const hashes = await fill(folder, found, owned, options)
  stopIfWanted(options)

  options.onProgress?.({ step: 'prepare', bytes: 0, total })
  const roles: Record<string, string> = Object.fromEntries(entry.files.map(({ role, name }) => [role, name]))
  const finish = options.finish?.[entry.kind]
  if (finish !== undefined) {
    try {
      Object.assign(roles, await finish(folder, roles))
    } catch (error) {
      throw new ModelError('bad-model', `${entry.id} cannot be prepared: ${(error as Error).message}`)
    }
    hashes.clear()
  }
  const files = await Promise.all(Object.entries(roles).map(([role, name]) => recordOf(folder, role, name, hashes.get(name))))

  options.onProgress?.({ step: 'try', bytes: 0, total })
  const tried = await options.trial?.({ id: entry.id, kind: entry.kind, directory: folder, files: roles, languages: entry.languages })
  if (tried?.ok === false) throw new ModelError('bad-model', `${entry.id} cannot be loaded: ${tried.reason}`)
  stopIfWanted(options)

  await writeRecord(folder, {
    id: entry.id,
    manifest: 1,
    installedAt: new Date().toISOString(),
    source: origin,
    fetched: found.sha256,
    pinned: pinned(entry),
    files,
  })
  await syncFolder(folder)
  const final = join(options.places.directory, entry.id)
  if (await exists(final)) await rename(final, join(incoming, 'old'))
  await rename(folder, final)
  await syncFolder(options.places.directory)
  return readModel(entry, options.places)
}

/** Puts the model's files into the folder; resolves with their hashes by name. */
async function fill(
  folder: string,
  { entry, files, sha256 }: Found,
  owned: boolean,
  options: InstallOptions,
): Promise<Map<string, string>> {
  const signal = options.signal === undefined ? {} : { signal: options.signal }
  const sources = sourcesOf(entry)
  const archive = files.get(sources[0]?.name ?? '')
  if (entry.source !== undefined && archive !== undefined) {
    const bounds = { mostBytes: entry.diskMB * 2e6, mostArchiveBytes: entry.diskMB * 2e7 }
    return unpack(archive, entry.source.archive, entry.files, folder, { ...signal, ...bounds })
  }
  const hashes = new Map<string, string>()
  for (const [at, { name }] of entry.files.entries()) {
    const key = entry.source === undefined ? (sources[at]?.name ?? '') : name
    const from = files.get(key)
    const hash = sha256[key]
    if (from === undefined || hash === undefined) throw new ModelError('missing', `${name} is missing`)
    const to = join(folder, name)
    // Linked, so that the download is still there if the rest fails; where there are no links it is given up.
    if (owned) await link(from, to).catch(() => rename(from, to))
    else await copy(from, to, hash, options)
    hashes.set(name, hash)
  }
  return hashes
}

async function copy(from: string, to: string, hash: string, options: InstallOptions): Promise<void> {
  await copyFile(from, to)
  if ((await hashOf(to, options.signal === undefined ? {} : { signal: options.signal })) !== hash)
    throw new ModelError('wrong-content', `${from} was changed while it was copied`)
  await chmod(to, 0o644)
}

function stopIfWanted(options: InstallOptions): void {
  if (options.signal?.aborted) throw new ModelError('aborted', 'stopped')
}

/** A whole download of an earlier run, that was stopped while it unpacked. */
async function complete(target: string, sha256: string | null): Promise<string | undefined> {
  if (sha256 === null || !(await exists(target))) return undefined
  return (await hashOf(target)) === sha256 ? sha256 : undefined
}

/** Bytes of earlier runs that need not be fetched again. */
async function lying(entry: ModelEntry, incoming: string): Promise<number> {
  const names = sourcesOf(entry).flatMap(({ name }) => [name, `${name}.part`])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(incoming, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
