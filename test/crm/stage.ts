/** A directory on a real store. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Directory } from '../../daemon/crm/directory.ts'
import { Importer, type ImportEntry, type ImportOrder } from '../../daemon/crm/import.ts'
import { Lookup } from '../../daemon/crm/lookup.ts'
import { History } from '../../daemon/history/history.ts'
import { checker } from '../../daemon/http/validate.ts'
import { createLog } from '../../daemon/log.ts'
import type { Config } from '../../daemon/schema/config.ts'
import { PartyInputSchema } from '../../daemon/schema/crm.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'

export async function openDirectory(t: Test, country = 'US') {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-crm-'))
  const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const clock = new FakeClock(Date.UTC(2026, 2, 2))
  const config = { site: { country }, extensions: [{ number: '101', name: 'Front desk' }] } as unknown as Config
  const directory = new Directory(store)
  const history = new History({ store, clock, keepDays: 730 })
  const importer = new Importer({ config, store, clock, directory, check: checker(PartyInputSchema, false) })
  const take = (entries: readonly ImportEntry[], order: Partial<ImportOrder> = {}) =>
    importer.run(entries, { mode: 'merge', dryRun: false, ...order })
  /** Parties as JSON has them. */
  const give = (...parties: Record<string, unknown>[]) => take(parties.map((party, i) => ({ row: i + 1, party: { phones: [], ...party } })))
  const lookup = new Lookup({ config, clock, directory, history })
  return { store, clock, directory, history, take, give, lookup }
}

export const phone = (number: string, label = 'mobile') => ({ number, label })
