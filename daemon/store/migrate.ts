/** Brings stored rows to the shapes this version knows. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, RootDatabase } from 'lmdb'
import type { Log } from '../base/log.ts'
import { boundsOfIndex, indexKey, indexOf } from './indexes.ts'
import { StoreError } from './lock.ts'
import type { TableSpec } from './tables.ts'

export type TableSpecs = Readonly<Record<string, TableSpec>>

export interface MigrationContext {
  dir: string
  root: RootDatabase<string, string>
  databases: ReadonlyMap<string, Database<string, string>>
  specs: TableSpecs
  log: Log
}

const versionKey = (table: string): string => `schema:${table}`

/**
 * All tables in one transaction, after a copy of the store has been saved next to it. A table of a newer version is refused: this version
 * must not rewrite rows that it does not understand.
 */
export async function migrate({ dir, root, databases, specs, log }: MigrationContext): Promise<void> {
  const meta = databases.get('meta')!
  const outdated: { name: string; from: number }[] = []
  const fresh: string[] = []
  for (const [name, spec] of Object.entries(specs)) {
    const text = meta.get(versionKey(name))
    if (text === undefined) {
      fresh.push(name)
      continue
    }
    const stored = JSON.parse(text) as number
    if (stored > spec.version) {
      throw new StoreError(
        'newer',
        `The store in ${dir} was written by a newer version of pbxd (table ${name}: version ${stored}, known here: ${spec.version}). Install that version, or start with a copy made before the upgrade.`,
      )
    }
    if (stored < spec.version) outdated.push({ name, from: stored })
  }
  if (outdated.length === 0) {
    if (fresh.length > 0) root.transactionSync(() => begin(fresh))
    return
  }
  const copy = backupName(dir)
  try {
    mkdirSync(copy, { recursive: true, mode: 0o700 })
    await root.backup(join(copy, 'store.mdb'), true)
    log.info({ tables: outdated.map(({ name }) => name), copy }, 'the store is brought to the shape of this version')
    root.transactionSync(() => {
      begin(fresh)
      for (const { name, from } of outdated) {
        migrateTable(databases.get(name)!, specs[name]!, from)
        indexTable(name, databases)
      }
      begin(outdated.map(({ name }) => name))
    })
  } catch (error) {
    // Nothing was changed: a copy of each attempt would fill the disk.
    rmSync(copy, { recursive: true, force: true })
    throw error
  }

  function begin(names: readonly string[]): void {
    for (const name of names) meta.putSync(versionKey(name), JSON.stringify(specs[name]!.version))
  }
}

function migrateTable(db: Database<string, string>, spec: TableSpec, from: number): void {
  const steps = spec.migrations.filter(({ to }) => to > from).toSorted((a, b) => a.to - b.to)
  // Taken first: rows change while they are walked.
  for (const key of Array.from(db.getKeys())) {
    const row = migrated(JSON.parse(db.get(key)!), key, steps)
    if (row === undefined) db.removeSync(key)
    else db.putSync(key, JSON.stringify(row))
  }
}

function migrated(stored: unknown, key: string, steps: TableSpec['migrations']): unknown {
  let row = stored
  try {
    for (const step of steps) {
      row = step.row(row as never, key)
      if (row === undefined) break
    }
  } catch (cause) {
    const text = `The store cannot be converted for this version: ${(cause as Error).message}`
    throw new StoreError('not-migrated', text, { cause })
  }
  return row
}

/** The rows that are pending, and the others by the time they ended: rebuilt from the rows. */
function indexTable(name: string, databases: MigrationContext['databases']): void {
  const index = indexOf(name)
  const marks = databases.get('indexes')
  if (index === undefined || marks === undefined) return
  for (const key of Array.from(marks.getKeys(boundsOfIndex(name)))) marks.removeSync(key)
  for (const { key, value } of databases.get(name)!.getRange()) marks.putSync(indexKey(name, index, key, JSON.parse(value)), 'true')
}

function backupName(dir: string): string {
  const day = new Date().toISOString().slice(0, 10)
  for (let n = 1; ; n++) {
    const name = join(dir, `before-migration-${day}-${n}`)
    if (!existsSync(name)) return name
  }
}
