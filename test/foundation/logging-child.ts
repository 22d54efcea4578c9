/** Logs a line of each level, one of them through a child of the log, to standard output. */
import { createLog } from '../../daemon/base/log.ts'

const log = createLog({ level: 'trace' })
log.trace('trace')
log.debug('debug')
log.info('info')
log.child({ part: 'engine' }).warn('warn')
log.error('error')
log.fatal('fatal')
