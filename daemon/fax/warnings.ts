/** What keeps faxes from being received or drawn. */
import { existsSync } from 'node:fs'
import type { CodedWarning } from '../base/health.ts'
import { pagesFix, pagesSocket } from '../base/services.ts'
import type { Config } from '../schema/config.ts'
import type { Fax } from './fax.ts'

export function* roomWarning(config: Config, fax: Fax): Iterable<CodedWarning> {
  if (fax.condition().room) return
  const text = `Less than ${config.fax.freeMegabytes} MB are free: fax calls are not answered`
  yield { code: 'fax-room', kind: 'disk', severity: 'error', text, fix: `free space on the file system of ${config.storage.dir}` }
}

export function* readerWarning(): Iterable<CodedWarning> {
  const socket = pagesSocket()
  if (socket === undefined || existsSync(socket)) return
  yield { code: 'pages-down', severity: 'error', text: `PDFs cannot be read: no program listens on ${socket}`, fix: pagesFix }
}
