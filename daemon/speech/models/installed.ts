/**
 * What is installed, in the configured folder and in the program's own. At a start sizes and times are looked at only;
 * `verifyModel` reads everything.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelFiles } from '../../../drivers/speech.ts'
import { root } from '../../base/root.ts'
import { catalogue, type Catalogue, type ModelEntry } from './catalogue.ts'
import { hashOf, readRecord, recordOf, writeRecord, type InstallRecord } from './record.ts'

export interface ModelPlaces {
  /** `speech.models.dir`. */
  readonly directory: string
  /** The program's own, which is only read. */
  readonly program: string
  /** Of packages (scripts/package-speech): only read, too. */
  readonly packaged?: string
}

export function modelPlaces(directory: string): ModelPlaces {
  return { directory, program: join(root, '.cache/models'), packaged: '/usr/share/pbxd/models' }
}

export interface InstalledModel {
  readonly entry: ModelEntry
  readonly state: 'installed' | 'damaged' | 'not-installed'
  /** Which file is damaged and why; '' when installed or simply not there. */
  readonly reason: string
  /** Null when not installed. */
  readonly directory: string | null
  /** Came with the program or in a package: it is not removed here. */
  readonly own: boolean
  /** Null unless installed. */
  readonly files: ModelFiles | null
  /** Null where there is none: in the program's own folder, or not installed. */
  readonly record: InstallRecord | null
}

/** One for each model of the catalogue. */
export function readModels(places: ModelPlaces, from: Catalogue = catalogue()): InstalledModel[] {
  return from.models.map((entry) => readModel(entry, places))
}

export function readModel(entry: ModelEntry, places: ModelPlaces): InstalledModel {
  const configured = readRecorded(entry, join(places.directory, entry.id))
  if (configured.state === 'installed') return configured
  const packaged = places.packaged === undefined ? nothing(entry) : readRecorded(entry, join(places.packaged, entry.id), true)
  if (packaged.state === 'installed' || (packaged.state === 'damaged' && configured.state === 'not-installed')) return packaged
  const own = readOwn(entry, join(places.program, entry.id))
  return own.state === 'installed' || configured.state === 'not-installed' ? own : configured
}

const nothing = (entry: ModelEntry): InstalledModel => ({
  entry,
  state: 'not-installed',
  reason: '',
  directory: null,
  own: false,
  files: null,
  record: null,
})

/** `packaged`: times are those of its unpacking, and dpkg vouches for the files. */
function readRecorded(entry: ModelEntry, directory: string, packaged = false): InstalledModel {
  const record = readRecord(directory)
  if (record === undefined) return nothing(entry)
  const damaged = (reason: string): InstalledModel => ({
    ...nothing(entry),
    state: 'damaged',
    reason,
    directory,
    own: packaged,
    record: record === 'damaged' ? null : record,
  })
  if (record === 'damaged') return damaged('INSTALLED.json cannot be read')
  if (record.id !== entry.id) return damaged(`INSTALLED.json is of ${record.id}`)
  const missing = entry.files.find((file) => !record.files.some(({ role }) => role === file.role))
  if (missing !== undefined) return damaged(`${missing.name} was never installed`)
  for (const { name, bytes, mtimeMs } of record.files) {
    const found = statSync(join(directory, name), { throwIfNoEntry: false })
    if (!found?.isFile()) return damaged(`${name} is missing`)
    if (found.size !== bytes) return damaged(`${name} has ${found.size} bytes instead of ${bytes}`)
    if (!packaged && Math.trunc(found.mtimeMs) !== mtimeMs) return damaged(`${name} was changed after it was verified`)
  }
  const files = filesOf(entry, directory, record.files)
  return { entry, state: 'installed', reason: '', directory, own: packaged, files, record }
}

function filesOf(entry: ModelEntry, directory: string, files: readonly { role: string; name: string }[]): ModelFiles {
  return {
    id: entry.id,
    kind: entry.kind,
    directory,
    files: Object.fromEntries(files.map(({ role, name }) => [role, name])),
    languages: entry.languages,
  }
}

/** So small that reading it at every start does not matter. */
const smallModel = 16e6

/** What came with the program needs no record: its files are checked against the catalogue, whole. */
function readOwn(entry: ModelEntry, directory: string): InstalledModel {
  if (!existsSync(directory)) return nothing(entry)
  const total = entry.files.reduce((sum, file) => sum + (file.sha256 === undefined ? Infinity : (file.bytes ?? Infinity)), 0)
  if (total > smallModel) return nothing(entry)
  for (const { name, bytes, sha256 } of entry.files) {
    const path = join(directory, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found?.isFile()) return nothing(entry)
    if (found.size !== bytes || createHash('sha256').update(readFileSync(path)).digest('hex') !== sha256)
      return { ...nothing(entry), state: 'damaged', reason: `${name} is not the expected file`, directory, own: true }
  }
  return { entry, state: 'installed', reason: '', directory, own: true, files: filesOf(entry, directory, entry.files), record: null }
}

/**
 * Reads every file and compares its hash. A model whose files are all right but were copied about (other times) is
 * installed again afterwards.
 */
export async function verifyModel(entry: ModelEntry, places: ModelPlaces, seen?: (bytes: number) => void): Promise<InstalledModel> {
  const found = readModel(entry, places)
  if (found.record === null || found.directory === null) return found
  const { directory, record } = found
  const damaged = (reason: string): InstalledModel => ({ ...found, state: 'damaged', reason, files: null })
  for (const { name, bytes, sha256 } of record.files) {
    const path = join(directory, name)
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) return damaged(`${name} is missing`)
    if (size !== bytes) return damaged(`${name} has ${size} bytes instead of ${bytes}`)
    if ((await hashOf(path, seen === undefined ? {} : { seen })) !== sha256)
      return damaged(`${name} is not what was installed (its sha256 differs)`)
  }
  if (found.state !== 'installed') {
    const files = await Promise.all(record.files.map((file) => recordOf(directory, file.role, file.name, file.sha256)))
    await writeRecord(directory, { ...record, files })
  }
  return readModel(entry, places)
}
