/** Speech models made by the tests, installed as real ones are. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Catalogue, catalogue } from '../../daemon/speech/models/catalogue.ts'
import { importModels, modelPlaces } from '../../daemon/speech/models/models.ts'
import { finish, trial } from '../../scripts/cli/models/models.ts'

/** A folder that is removed at the end. */
export function modelFolder(): { readonly path: string; close(): void } {
  const path = mkdtempSync(join(tmpdir(), 'pbxd-models-'))
  return { path, close: () => rmSync(path, { recursive: true, force: true }) }
}

/** Installs these files in the place of the catalogue's entry of that name: same name, kind and roles, other content. */
export async function installInPlaceOf(id: string, directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  const { source: _, ...entry } = catalogue().find(id)
  const replaced = {
    ...entry,
    files: Object.entries(files).map(([role, path]) => ({
      role,
      name: path.split('/').at(-1) ?? '',
      url: `http://127.0.0.1/${path.split('/').at(-1)}`,
      bytes: statSync(path).size,
      sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
    })),
  }
  const from = dirname(Object.values(files)[0] ?? '')
  await importModels(from, new Catalogue([replaced]), { places: modelPlaces(directory), finish, trial })
}
