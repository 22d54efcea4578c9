/** The account that streams name stays with the store, whichever machine opens it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { accountSidOf } from '../../daemon/voice/services.ts'

t.test('the account outlives the machine', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-account-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const log = createLog({ level: 'silent' })
  const store = await openStore(dir, log)
  const made = accountSidOf(store, log)
  t.match(made, /^AC[0-9a-f]{32}$/)
  await store.transaction(() => undefined)
  t.equal(store.tables.meta.get('accountSid'), made)
  const ofAnotherMachine = `AC${'f'.repeat(32)}`
  await store.transaction(() => store.tables.meta.put('accountSid', ofAnotherMachine))
  await store.close()
  const again = await openStore(dir, log)
  t.equal(accountSidOf(again, log), ofAnotherMachine)
  await again.close()
})
