/** The models that can be installed: models/manifest.json, checked against its schema. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { root } from '../../base/root.ts'
import { nearest } from '../../base/spelling.ts'

/** What went wrong with a model, in words for a person. `fix`: a command or what to do; '' when there is nothing. */
export class ModelError extends Error {
  readonly code:
    | 'unknown-model'
    | 'bad-catalogue'
    | 'not-pinned'
    | 'network'
    | 'wrong-content'
    | 'no-space'
    | 'bad-archive'
    | 'bad-model'
    | 'busy'
    | 'missing'
    | 'aborted'
  readonly fix: string

  constructor(code: ModelError['code'], message: string, fix = '') {
    super(message)
    this.name = 'ModelError'
    this.code = code
    this.fix = fix
  }
}

export const modelRoles = ['call', 'recording', 'voice', 'detector'] as const
export type ModelRole = (typeof modelRoles)[number]

const Sha256 = Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' }))
const Bytes = Type.Optional(Type.Integer({ minimum: 1, maximum: 4e9 }))
/** Plain HTTP is for a server on this machine only: what comes from elsewhere could be anybody's. */
const Url = Type.String({ pattern: '^(https://|http://(127\\.0\\.0\\.1|\\[::1\\]|localhost)[:/])' })
const plainName = '^[A-Za-z0-9_][A-Za-z0-9._-]*$'
const Rank = Type.Optional(Type.Integer({ minimum: 1 }))

const FileSchema = Type.Object(
  {
    /** What the engine uses it for, such as `model`, `tokens`, `encoder`. */
    role: Type.String({ pattern: '^[a-z][A-Za-z]*$' }),
    /** Its name in the model's folder. */
    name: Type.String({ pattern: plainName, maxLength: 100 }),
    /** Its name in the archive. */
    path: Type.Optional(Type.String({ minLength: 1 })),
    /** Where it lies, when there is no archive. */
    url: Type.Optional(Url),
    bytes: Bytes,
    sha256: Sha256,
  },
  { additionalProperties: false },
)

const EntrySchema = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]*$', maxLength: 60 }),
    title: Type.String({ minLength: 1 }),
    /** Which engine reads it. */
    kind: Type.Union(['nemo-ctc', 'whisper', 'moonshine', 'piper', 'silero'].map((kind) => Type.Literal(kind))),
    roles: Type.Array(Type.Union(modelRoles.map((role) => Type.Literal(role))), { minItems: 1, uniqueItems: true }),
    /** Place in the automatic choice by role, 1 first; `callLarge` instead of `call` on a machine with 4 GB of memory. */
    rank: Type.Object({ call: Rank, callLarge: Rank, recording: Rank, voice: Rank, detector: Rank }, { additionalProperties: false }),
    /** BCP 47; `*` for any. */
    languages: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    /** At most while it works, and when it is installed. */
    ramMB: Type.Integer({ minimum: 1 }),
    diskMB: Type.Integer({ minimum: 1 }),
    licence: Type.String({ minLength: 2 }),
    licenceUrl: Url,
    attribution: Type.String({ minLength: 2 }),
    note: Type.String(),
    /** The archive that holds the files; without it each file has its own address. */
    source: Type.Optional(
      Type.Object(
        { url: Url, bytes: Bytes, sha256: Sha256, archive: Type.Union([Type.Literal('tar.bz2'), Type.Literal('tgz')]) },
        { additionalProperties: false },
      ),
    ),
    files: Type.Array(FileSchema, { minItems: 1, maxItems: 20 }),
  },
  { additionalProperties: false },
)

const CatalogueSchema = Type.Object(
  { version: Type.Literal(1), about: Type.Optional(Type.String()), models: Type.Array(EntrySchema) },
  { additionalProperties: false },
)

export type ModelEntry = Static<typeof EntrySchema>
export type ModelFileEntry = Static<typeof FileSchema>

/** One thing to fetch: the archive of a model, or one of its files. */
export interface Source {
  readonly url: string
  /** Last part of the address. */
  readonly name: string
  readonly bytes: number | null
  readonly sha256: string | null
}

export class Catalogue {
  readonly models: readonly ModelEntry[]

  constructor(models: readonly ModelEntry[]) {
    this.models = models
  }

  /** @throws ModelError `unknown-model` */
  find(id: string): ModelEntry {
    const entry = this.models.find((model) => model.id === id)
    if (entry !== undefined) return entry
    const near = nearest(
      id,
      this.models.map((model) => model.id),
    )
    throw new ModelError(
      'unknown-model',
      `there is no model "${id}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
      'pbx models list',
    )
  }
}

/** @throws ModelError `bad-catalogue` with all faults */
export function readCatalogue(file: string): Catalogue {
  let data: unknown
  try {
    data = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ModelError('bad-catalogue', `${file} cannot be read: ${(error as Error).message}`)
  }
  // Read once: the compiled check is not kept, and the schema itself is not checked.
  const check = new Ajv({ allErrors: true, meta: false, validateSchema: false }).compile(CatalogueSchema)
  if (!check(data)) {
    const faults = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
    throw new ModelError('bad-catalogue', `${file}: ${faults.join('; ')}`)
  }
  const models = (data as Static<typeof CatalogueSchema>).models
  const faults = models.flatMap((entry, at) => [
    ...faultsOf(entry),
    ...(models.findIndex((other) => other.id === entry.id) < at ? [`${entry.id} is given twice`] : []),
  ])
  if (faults.length > 0) throw new ModelError('bad-catalogue', `${file}: ${faults.join('; ')}`)
  return new Catalogue(models)
}

/** What the schema cannot say. */
function faultsOf(entry: ModelEntry): string[] {
  const names = entry.files.map((file) => file.name)
  return [
    ...(new Set(names).size < names.length ? [`${entry.id}: two files of one name`] : []),
    ...entry.files.flatMap((file) => {
      if (entry.source === undefined) return file.url === undefined ? [`${entry.id}: ${file.name} has no url, and there is no archive`] : []
      return file.path === undefined ? [`${entry.id}: ${file.name} has no path in the archive`] : []
    }),
    ...entry.roles.flatMap((role) => (entry.rank[role] === undefined ? [`${entry.id}: no rank as ${role}`] : [])),
  ]
}

export const programCatalogue = join(root, 'models/manifest.json')
let kept: Catalogue | undefined

/** The program's own, which a test checks: a start of the daemon would compile its schema for that alone. */
export function catalogue(): Catalogue {
  return (kept ??= new Catalogue((JSON.parse(readFileSync(programCatalogue, 'utf8')) as Static<typeof CatalogueSchema>).models))
}

export function sourcesOf(entry: ModelEntry): Source[] {
  const asSource = (from: { url?: string; bytes?: number; sha256?: string }): Source => ({
    url: from.url ?? '',
    name: new URL(from.url ?? '').pathname.split('/').at(-1) ?? 'file',
    bytes: from.bytes ?? null,
    sha256: from.sha256 ?? null,
  })
  return entry.source === undefined ? entry.files.map(asSource) : [asSource(entry.source)]
}

/** Whether all that is fetched can be checked against a known sha256. */
export function pinned(entry: ModelEntry): boolean {
  return sourcesOf(entry).every((source) => source.sha256 !== null)
}

/** What has to be fetched, in bytes; an estimate where the catalogue does not say. */
export function downloadBytes(entry: ModelEntry): number {
  const known = sourcesOf(entry).map((source) => source.bytes)
  return known.includes(null) ? entry.diskMB * 1e6 : known.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
}
