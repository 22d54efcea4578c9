/**
 * Opens a store that came from elsewhere and closes it again: in a process of its own, which has the rights of that store's owner and no others.
 * The folder is the working directory; the reason why it cannot be opened is on standard error.
 */
import { createLog } from '../base/log.ts'
import { openStore } from '../store/store.ts'

try {
  await (await openStore('.', createLog({ level: 'silent' }), { reserveBytes: 0 })).close()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
