/** Accepts mails and prints the id of each that is acknowledged, until it is killed. */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../daemon/base/clock.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createMail } from '../../daemon/mail/mail.ts'
import { openStore } from '../../daemon/store/store.ts'

const [dir = '', port = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const mail = { server: `127.0.0.1:${port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'office@example.com' }
const { config } = parseConfig(JSON.stringify({ storage: { dir }, mail }), join(dir, 'pbxd.yaml'))
const store = await openStore(join(dir, 'store'), log)
const { desk, start } = createMail({ config, store, clock: systemClock, log })
start()
for (let i = 0; ; i++) {
  const { mailId } = await desk!.submit({ to: `patient${i}@example.org`, subject: `mail ${i}`, text: 'x'.repeat(1000) })
  writeSync(1, `${mailId}\n`)
}
