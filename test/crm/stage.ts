/** A directory on a real store. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Directory } from '../../daemon/crm/directory.ts'
import { lookAt, type ImportEntry, type ImportFile, type ImportOrder } from '../../daemon/crm/import-look.ts'
import { Importer } from '../../daemon/crm/import.ts'
import { Lookup } from '../../daemon/crm/lookup.ts'
import { History } from '../../daemon/history/history.ts'
import { checker } from '../../daemon/http/validate.ts'
import { createLog } from '../../daemon/base/log.ts'
import type { Config } from '../../daemon/schema/config.ts'
import { PartyInputSchema } from '../../daemon/schema/crm.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'

/** `within`: the folder, on a disk of the test's own for example. */
export async function openDirectory(t: Test, country = 'US', within = tmpdir()) {
  const dir = mkdtempSync(join(within, 'pbxd-crm-'))
  const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const clock = new FakeClock(Date.UTC(2026, 2, 2))
  const config = { site: { country }, extensions: [{ number: '101', name: 'Front desk' }] } as unknown as Config
  const directory = new Directory(store)
  const history = new History({ store, clock, keepDays: 730 })
  const importer = new Importer({ store, clock, directory })
  const check = checker(PartyInputSchema, false)
  const takeFile = async (file: ImportFile, order: Partial<ImportOrder> = {}) => {
    const { parties, ...looked } = lookAt(file, country, check)
    const piece = async (at: number) => parties.slice(at * 100, (at + 1) * 100)
    return importer.run({ ...looked, pieces: Math.ceil(parties.length / 100), piece }, { mode: 'merge', dryRun: false, ...order })
  }
  const take = (entries: readonly ImportEntry[], order: Partial<ImportOrder> = {}) => takeFile({ entries }, order)
  /** Of everybody who is there. */
  const ids = async () => {
    const found: string[] = []
    for await (const { id } of directory.all()) found.push(id)
    return found.toSorted()
  }
  /** Parties as JSON has them. */
  const give = (...parties: Record<string, unknown>[]) => take(parties.map((party, i) => ({ row: i + 1, party: { phones: [], ...party } })))
  const lookup = new Lookup({ config, clock, directory, history })
  return { store, clock, directory, history, importer, take, takeFile, give, lookup, ids }
}

export const phone = (number: string, label = 'mobile') => ({ number, label })
