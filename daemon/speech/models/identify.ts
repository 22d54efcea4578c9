/** Identifies by content which models a file or a folder holds. Names help only where a model is not pinned. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelError, pinned, sourcesOf, type ModelEntry, type Source } from './catalogue.ts'
import { hashOf } from './record.ts'

/** A model all of whose sources are at hand: its archive, its files as they lie at their addresses, or unpacked ones. */
export interface Found {
  readonly entry: ModelEntry
  /** Path by the source's name; by the file's name in the model's folder where an archive was unpacked by somebody. */
  readonly files: Map<string, string>
  /** Hash by the same name. */
  readonly sha256: Record<string, string>
}

interface Candidate {
  readonly path: string
  readonly name: string
  readonly bytes: number
}

export interface IdentifyOptions {
  readonly seen?: (bytes: number, total: number) => void
  readonly signal?: AbortSignal
}

/** Deep enough for a folder of folders, shallow enough for a whole disk that was meant by mistake. */
const deepest = 3
const mostFiles = 5000

/** @throws ModelError when none is there */
export async function identify(path: string, entries: readonly ModelEntry[], options: IdentifyOptions = {}): Promise<Found[]> {
  const info = await stat(path).catch(() => undefined)
  if (info === undefined) throw new ModelError('missing', `there is no ${path}`)
  const name = path.split('/').at(-1) ?? ''
  const files = info.isDirectory() ? await filesIn(path) : [{ path, name, bytes: info.size }]
  const sources = entries.flatMap((entry) => [...sourcesOf(entry), ...unpackedOf(entry)])
  // Only what has the right size, or where that is not known the right name, is worth reading.
  const worth = files.filter((file) =>
    sources.some(
      (source) =>
        (source.bytes === null ? source.name === file.name : source.bytes === file.bytes) ||
        (source.sha256 === null && source.name === file.name),
    ),
  )
  const total = worth.reduce((sum, { bytes }) => sum + bytes, 0)
  const byHash = new Map<string, Candidate>()
  const hashes = new Map<string, string>()
  let read = 0
  for (const file of worth) {
    const seen = (bytes: number): void => options.seen?.((read += bytes), total)
    const sha256 = await hashOf(file.path, { seen, ...(options.signal === undefined ? {} : { signal: options.signal }) }).catch(
      (error: Error) => {
        if (options.signal?.aborted) throw new ModelError('aborted', 'stopped')
        throw new ModelError('missing', `${file.path} cannot be read: ${error.message}`)
      },
    )
    byHash.set(sha256, file)
    hashes.set(file.path, sha256)
  }
  const found: Found[] = []
  const halves: string[] = []
  for (const entry of entries) {
    const look = (list: readonly Source[]): (readonly [string, string])[] =>
      list.flatMap((source) => {
        const file = source.sha256 === null ? worth.find((candidate) => candidate.name === source.name) : byHash.get(source.sha256)
        return file === undefined ? [] : [[source.name, file.path] as const]
      })
    let wanted = sourcesOf(entry)
    let got = look(wanted)
    const unpacked = unpackedOf(entry)
    if (got.length < wanted.length && look(unpacked).length > 0) {
      wanted = unpacked
      got = look(unpacked)
    }
    if (got.length === wanted.length) {
      found.push({ entry, files: new Map(got), sha256: Object.fromEntries(got.map(([as, at]) => [as, hashes.get(at) ?? ''])) })
    } else if (got.length > 0 || (entries.length === 1 && !info.isDirectory())) {
      const missing = wanted.filter((source) => !got.some(([as]) => as === source.name)).map((source) => source.name)
      halves.push(`${entry.id} lacks ${missing.join(', ')}`)
    }
  }
  if (found.length > 0) return found
  const near = files.find((file) => sources.some((source) => source.name === file.name))
  throw new ModelError(
    'wrong-content',
    halves.length > 0 && near === undefined
      ? `${path} is not a complete model: ${halves.join('; ')}`
      : near === undefined
        ? `${path} holds no model of the catalogue`
        : halves.length > 0
          ? `${path} is not a complete model, or one of its files is damaged: ${halves.join('; ')}`
          : `${near.path} has the name of a model but not its content: it is damaged, or another version`,
    entries.every(pinned) ? 'copy it again; pbx models list --urls shows the expected files' : '',
  )
}

/** The files of an archive, if each can be identified by itself. */
function unpackedOf(entry: ModelEntry): Source[] {
  if (entry.source === undefined || entry.files.some((file) => file.sha256 === undefined)) return []
  return entry.files.map(({ name, bytes, sha256 }) => ({ url: '', name, bytes: bytes ?? null, sha256: sha256 ?? null }))
}

async function filesIn(folder: string, depth = 1): Promise<Candidate[]> {
  const files: Candidate[] = []
  const names = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    if (depth > 1) return []
    throw new ModelError('missing', `${folder} cannot be read: ${error.message}`)
  })
  for (const item of names) {
    if (files.length > mostFiles) break
    const path = join(folder, item.name)
    if (item.isDirectory() && depth < deepest) files.push(...(await filesIn(path, depth + 1)))
    else if (item.isFile()) files.push({ path, name: item.name, bytes: (await stat(path)).size })
  }
  return files
}
