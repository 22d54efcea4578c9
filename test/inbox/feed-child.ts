/**
 * Writes items into a feed and polls it at the same time, until it is killed. Prints `A <id>` for each item that was
 * acknowledged and `P <nextSince> <id,id,...>` for each poll, a line in one write.
 */
import { writeSync } from 'node:fs'
import { systemClock } from '../../daemon/clock.ts'
import { Feed } from '../../daemon/inbox/feed.ts'
import { createLog } from '../../daemon/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { InboxSmsRow } from '../../daemon/store/tables.ts'

const [dir = '', round = '0', cursor = '0', clockOffset = '0'] = process.argv.slice(2)
const store = await openStore(dir, createLog({ level: 'silent' }))
const clock = { ...systemClock, now: () => Date.now() + Number(clockOffset) }
const { inboxSms, meta } = store.tables
const feed = new Feed<InboxSmsRow>('sms', { items: inboxSms, meta, transaction: (work) => store.transaction(work) }, clock)
let number = 0

async function write(): Promise<void> {
  for (;;) {
    const id = `${round}-${number++}`
    await store.transaction(() => feed.insert({ id } as InboxSmsRow))
    writeSync(1, `A ${id}\n`)
  }
}

async function poll(): Promise<void> {
  let since = Number(cursor)
  for (;;) {
    const page = await feed.page(since, 7)
    since = page.nextSince
    if (page.items.length > 0) writeSync(1, `P ${since} ${page.items.map(({ item }) => item.id).join(',')}\n`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

await Promise.all([write(), write(), write(), poll()])
