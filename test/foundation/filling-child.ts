/** Logs into standard output, and says on standard error what is the matter with it: at once, and again for each line it is given. */
import { createInterface } from 'node:readline'
import { createLog, logFault } from '../../daemon/base/log.ts'

const log = createLog({ level: 'info', pretty: false })
log.info('the first line')
process.stderr.write(`${logFault()}\n`)
for await (const _ of createInterface({ input: process.stdin })) {
  log.info('the last line')
  process.stderr.write(logFault() === '' ? 'well\n' : `${logFault()}\n`)
}
