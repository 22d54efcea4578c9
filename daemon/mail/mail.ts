/**
 * Mail through the configured account, put together: a desk that checks and composes, a queue that sends and tries again,
 * and the files of what is not through. The daemon makes one of these where an account is configured.
 */
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import type { Store } from '../store/store.ts'
import { MailAccount } from './account.ts'
import { MailDesk } from './desk.ts'
import { MailFiles } from './files.ts'
import { MailQueue, type MailCondition } from './queue.ts'

export interface MailOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** How long a request waits for the mail server. */
  readonly answerMs?: number
  readonly socketTimeoutMs?: number
}

export interface Mail {
  /** Null where no account is configured. */
  readonly desk: MailDesk | null
  readonly queue: MailQueue | null
  readonly account: MailAccount | null
  condition(): MailCondition
  start(): void
  /** A mail under way gets a moment; what is open is sent after the next start. */
  stop(): Promise<void>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export function createMail({ config, store, clock, log, answerMs = 20_000, socketTimeoutMs }: MailOptions): Mail {
  const { mail, site, storage } = config
  if (mail === undefined) {
    const condition = (): MailCondition => ({ ok: true, reason: '', waiting: 0, oldestAt: null })
    return { desk: null, queue: null, account: null, condition, start: () => undefined, stop: () => Promise.resolve() }
  }
  const files = new MailFiles(join(storage.dir, 'mail'))
  const account = new MailAccount(mail, { log, name: site.name, ...(socketTimeoutMs === undefined ? {} : { socketTimeoutMs }) })
  const queue = new MailQueue({ account, files, store, clock, log, most: mail.queue, keepMs: mail.keepDays * dayMs })
  const desk = new MailDesk({ queue, files, clock, from: mail.from, validityMs: mail.validityHours * hourMs, answerMs })
  return {
    desk,
    queue,
    account,
    condition: () => queue.condition(),
    start: () => queue.start(),
    async stop() {
      await queue.stop()
      account.close()
    },
  }
}
