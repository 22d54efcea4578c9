/** Looks up one after the other in the store of a directory, and writes a byte for each that was answered; until it is killed. */
import { writeSync } from 'node:fs'
import { Trail } from '../../daemon/audit/trail.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'

const log = createLog({ level: 'silent' })
const store = await openStore(process.argv[2]!, log)
const trail = new Trail({ store, clock: systemClock, log })
for (let n = 0; ; n++) {
  await trail.begin({ name: 'party.read', gathered: true }, { actor: 'token:crm', address: '::1', requestId: '' }, `c_${n}`).settle()
  writeSync(1, '.')
}
