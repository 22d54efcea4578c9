/**
 * One life of a box with several inboxes, until it is killed: `child.ts JOB JOURNAL`. Each inbox has a store of its own, writers that
 * insert items and pollers that read them, all at once. Writes into the journal, a line in one write, `<inbox> A <id>` for an item
 * that was acknowledged, `<inbox> P <poller> <nextSince> <seq>:<id>,...` for a page, `<inbox> B` and `<inbox> b` around a backup.
 */
import { openSync, readFileSync, writeSync } from 'node:fs'
import { systemClock } from '../../../daemon/base/clock.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { cursorFeed, openCursorStore } from './feed.ts'

export interface Part {
  readonly dir: string
  /** Of the ids of this life. */
  readonly prefix: string
  readonly writers: number
  /** Where each poller is. */
  readonly cursors: readonly number[]
  readonly limit: number
  /** What the clock is wrong by. */
  readonly offsetMs: number
  /** The clock is never before this. */
  readonly notBefore: number
  /** Whether each poller polls once before anything is written. */
  readonly pollersFirst: boolean
  /** Further steps of the clock, each when so many items were acknowledged. */
  readonly steps: readonly { readonly after: number; readonly ms: number }[]
  /** A backup is made into `backupDir` when so many items were acknowledged. */
  readonly backupAfter: number | null
  readonly backupDir: string
}

const [jobFile = '', journalFile = ''] = process.argv.slice(2)
const parts = JSON.parse(readFileSync(jobFile, 'utf8')) as Part[]
const journal = openSync(journalFile, 'a')
const tell = (line: string): void => void writeSync(journal, `${line}\n`)
const log = createLog({ level: 'silent' })
const shortPause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * 4))

async function live(inbox: number, part: Part): Promise<void> {
  const store = await openCursorStore(part.dir, log)
  let offset = part.offsetMs
  const feed = cursorFeed(store, { ...systemClock, now: () => Math.max(part.notBefore, Date.now() + offset) })
  let acknowledged = 0

  const write = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const id = `${part.prefix}-${writer}-${n}`
      await store.transaction(() => feed.insert({ id }))
      tell(`${inbox} A ${id}`)
      acknowledged++
      for (const { after, ms } of part.steps) if (after === acknowledged) offset += ms
      if (acknowledged === part.backupAfter) {
        tell(`${inbox} B`)
        await store.backup(part.backupDir)
        tell(`${inbox} b`)
      }
      if (Math.random() < 0.5) await shortPause()
    }
  }
  const pollOnce = async (poller: number, since: number): Promise<number> => {
    const { nextSince, items } = await feed.page(since, part.limit)
    tell(`${inbox} P ${poller} ${nextSince} ${items.map(({ seq, item }) => `${seq}:${item.id}`).join(',')}`)
    return nextSince
  }
  const poll = async (poller: number, cursor: number): Promise<void> => {
    for (let since = cursor; ; since = await pollOnce(poller, since)) await shortPause()
  }
  const cursors = part.pollersFirst ? await Promise.all(part.cursors.map((cursor, n) => pollOnce(n, cursor))) : part.cursors
  await Promise.all([...Array.from({ length: part.writers }, (_, n) => write(n)), ...cursors.map((cursor, n) => poll(n, cursor))])
}

setTimeout(() => process.stdout.write('started\n'))
await Promise.all(parts.map((part, inbox) => live(inbox, part)))
