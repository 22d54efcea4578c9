/**
 * Accepts and sends texts until it is killed. What the network took is a line of the file `network`, written before the
 * trunk answers, as a modem's network would have it. Prints `A <messageId>` for each text that was accepted.
 */
import { appendFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { OutboundText, SmsOutcome, SmsTrunk } from '../../drivers/sms.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { createMessaging } from '../../daemon/messaging/messaging.ts'
import { policiesOf } from '../../daemon/outbox/policies.ts'
import { openStore } from '../../daemon/store/store.ts'
import { eventually } from '../harness/waiting.ts'

const [dir = '', accepts = 'yes'] = process.argv.slice(2)
const log = createLog({ level: 'silent' })
const clock = systemClock
const store = await openStore(join(dir, 'store'), log)
const inbox = new Inbox({ store, clock, log, dir, keepDays: 90, mailboxes: [] })
const { config } = parseConfig('sms: { trunks: [{ id: gsm1, kind: sim }] }', join(dir, 'pbxd.yaml'))
let reference = 0

const trunk: SmsTrunk = {
  id: 'gsm1',
  kind: 'sim',
  number: '',
  window: 4,
  start: () => undefined,
  stop: async () => undefined,
  status: () => ({ ok: true, state: 'ready', text: '', since: 0, facts: {} }),
  async send({ messageId }: OutboundText): Promise<SmsOutcome> {
    appendFileSync(join(dir, 'network'), `${messageId}\n`)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
    return { kind: 'accepted', accepted: [String(++reference)] }
  },
}

const messaging = createMessaging({ config, store, inbox, clock, log, trunks: [trunk], policies: policiesOf(config) })
messaging.start()

async function accept(lane: number): Promise<void> {
  for (let n = 0; ; n++) {
    const sent = await messaging.sendText({ to: `+1555123${lane}${String(n % 100).padStart(3, '0')}`, body: 'Hello' })
    if ('messageId' in sent) writeSync(1, `A ${sent.messageId}\n`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

if (accepts === 'yes') await Promise.all([1, 2, 3].map(accept))
else {
  // The last run: what is left is sent to its end.
  await eventually('the queue is empty', () => messaging.queue.waiting <= 0, undefined, 5)
  await messaging.stop()
  await store.close()
}
