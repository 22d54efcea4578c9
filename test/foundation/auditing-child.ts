/** Writes deeds, each with its row of the audit trail, some of them failing, and prints the number of each that is acknowledged. */
import { writeSync } from 'node:fs'
import { bySystem } from '../../daemon/audit/audit.ts'
import { Trail } from '../../daemon/audit/trail.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'

const [dir = '', first = '0'] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const store = await openStore(dir, log)
const { audit } = new Trail({ store, clock: systemClock, log })
let number = Number(first)
for (;;) {
  const group = Array.from({ length: 9 }, async (_, n) => {
    const i = number++
    await store.transaction(() => {
      store.tables.outboxDone.put(`deed${i}`, {} as never)
      audit.record(bySystem('fax.delete', `f${i}`))
      if (n % 3 === 1) throw new Error('no deed')
    })
    writeSync(1, `${i}\n`)
  })
  await Promise.allSettled(group)
}
