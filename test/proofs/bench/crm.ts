/**
 * The directory and the history at the sizes of a large house: look-ups among 50,000 parties and as many as a box takes, an import of 50,000, and a page
 * of 50 calls of a million, compared with better-sqlite3 (folder peer) with the same rows in the same run. Each on a store of its own,
 * without a daemon.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../daemon/base/clock.ts'
import { Directory, mostParties } from '../../../daemon/crm/directory.ts'
import { ForeignReader } from '../../../daemon/crm/foreign.ts'
import type { LookedAt, LookedParty } from '../../../daemon/crm/import-look.ts'
import { Importer } from '../../../daemon/crm/import.ts'
import { Lookup } from '../../../daemon/crm/lookup.ts'
import { History } from '../../../daemon/history/history.ts'
import { createLog } from '../../../daemon/base/log.ts'
import type { Config } from '../../../daemon/schema/config.ts'
import { openStore, type Store } from '../../../daemon/store/store.ts'
import type { HistoryRow, PartyRow } from '../../../daemon/store/tables.ts'
import { atLeast, atMost, describe, fact, spread, type Measurement, type Row } from './measure.ts'
import { installPeer } from './peer-packages.ts'

const lookups = 20_000
const pages = 400
const calls = 1_000_000
const batch = 5000
const config = { site: { country: 'US' }, extensions: [] } as unknown as Config
const numberOf = (n: number): string => `+1555${1_000_000 + n}`

export const crm: Measurement = {
  name: 'crm',
  title: 'Directory and history: look-ups, an import, a page of a million calls',
  async run() {
    return [...(await lookedUp(50_000)), ...(await lookedUp(mostParties)), ...(await crowded()), ...(await imported()), ...(await paged())]
  },
}

async function withStore<T>(work: (store: Store, dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-bench-crm-'))
  const store = await openStore(join(dir, 'store'), createLog({ level: 'silent' }))
  try {
    return await work(store, dir)
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

function partyOf(n: number): PartyRow {
  const phones = [{ number: numberOf(n), label: 'mobile' as const }]
  const made = { version: '1', updatedAt: 0, source: 'import' as const, seenAt: 0 }
  return { id: `p_${n}`, kind: 'person', name: `Person Number ${n}`, status: 'active', phones, email: `p${n}@example.com`, ...made }
}

/** `put` of everything below `count`, in transactions of `batch`. */
async function fill(store: Store, count: number, put: (n: number) => unknown): Promise<void> {
  for (let at = 0; at < count; at += batch)
    await store.transaction(() => {
      for (let n = at; n < Math.min(count, at + batch); n++) put(n)
    })
}

const timed = (work: () => unknown): number => {
  const began = performance.now()
  work()
  return performance.now() - began
}

function lookedUp(count: number): Promise<Row[]> {
  return withStore(async (store) => {
    const directory = new Directory(store)
    const history = new History({ store, clock: systemClock, keepDays: 730 })
    const lookup = new Lookup({ config, clock: systemClock, directory, history })
    await fill(store, count, (n) => directory.put(partyOf(n)))
    const some = (n: number): string => numberOf((n * 7919) % (count + Math.floor(count / 10)))
    const seen = spread(Array.from({ length: lookups }, (_, n) => timed(() => lookup.basic(some(n)))))
    return [atMost(`look-up among ${count.toLocaleString('en')} parties, p99`, 5, 'ms', seen.p99, describe(seen))]
  })
}

/** A CRM's placeholder: one number that all parties have. */
function crowded(): Promise<Row[]> {
  return withStore(async (store) => {
    const directory = new Directory(store)
    const history = new History({ store, clock: systemClock, keepDays: 730 })
    const lookup = new Lookup({ config, clock: systemClock, directory, history })
    const number = numberOf(0)
    await fill(store, 50_000, (n) => directory.put({ ...partyOf(n), phones: [{ number, label: 'mobile' }] }))
    return (['basic', 'enhanced', 'card'] as const).map((what) => {
      const seen = spread(Array.from({ length: 3000 }, () => timed(() => lookup[what](number))))
      return atMost(`look-up (${what}) of a number that all 50,000 parties have, p99`, 1, 'ms', seen.p99, describe(seen))
    })
  })
}

function imported(): Promise<Row[]> {
  return withStore(async (store) => {
    const count = 50_000
    const lines = Array.from(
      { length: count },
      (_, n) => `p_${n},person,"Number ${n}, Person",active,${numberOf(n)},mobile,p${n}@example.com,,\n`,
    )
    const csv = `id,kind,name,status,phone,label,email,company,externalRef\n${lines.join('')}`
    const directory = new Directory(store)
    const importer = new Importer({ store, clock: systemClock, directory })
    const foreign = new ForeignReader()
    const before = process.memoryUsage().rss
    let most = before
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50)
    const began = performance.now()
    const order = { kind: 'import', file: { type: 'text/csv', charset: '' }, country: config.site.country } as const
    const { head, pieces, piece, done } = await foreign.read<Omit<LookedAt, 'parties'>>([Buffer.from(csv)], order)
    const source = { ...head, pieces, piece: (at: number) => piece<LookedParty[]>(at) }
    const { created } = await importer.run(source, { mode: 'merge', dryRun: false })
    done()
    foreign.stop()
    const seconds = (performance.now() - began) / 1000
    clearInterval(look)
    if (created !== count) throw new Error(`${created} of ${count} were imported`)
    const grown = `${Math.round((most - before) / 1e6)} MB more at the most, of ${Math.round(csv.length / 1e6)} MB of CSV`
    return [atMost('import of 50,000 rows of CSV', 10, 's', seconds), fact('memory of that import', grown)]
  })
}

function callOf(n: number): HistoryRow {
  const startedAt = 1_700_000_000_000 + n * 60_000
  const number = numberOf(n % 20_000)
  const leg = { to: '101', trunkId: '', startedAt, answeredAt: startedAt + 5000, endedAt: startedAt + 90_000, sipCode: 200 }
  const facts = {
    direction: 'inbound',
    outcome: 'answered',
    from: number,
    to: '+15557654321',
    callerName: `Person ${n}`,
    trunkId: 'main',
  } as const
  const times = { startedAt, answeredAt: startedAt + 5000, endedAt: startedAt + 90_000, ringSeconds: 5, talkSeconds: 85 }
  const rest = {
    extension: '101',
    endpointId: '',
    endedBy: 'caller',
    sipCode: 200,
    steps: [],
    legs: [leg],
    recordings: [],
    rev: 4,
  } as const
  return {
    callId: `CA${n.toString(16).padStart(32, '0')}`,
    ...facts,
    ...times,
    ...rest,
    customerId: `p_${n % 20_000}`,
  } as unknown as HistoryRow
}

/** What is used of better-sqlite3. */
interface Sqlite {
  exec(words: string): unknown
  prepare(words: string): { run(...values: unknown[]): unknown; all(...values: unknown[]): unknown[] }
  close(): unknown
}

function sqliteAt(file: string): Sqlite {
  const require = createRequire(join(installPeer(), 'server.mjs'))
  const Database = require('better-sqlite3') as new (file: string) => Sqlite
  return new Database(file)
}

function paged(): Promise<Row[]> {
  return withStore(async (store, dir) => {
    const history = new History({ store, clock: systemClock, keepDays: 3650 })
    // Numbers in the feed are not counted from 1.
    const numbers = new Float64Array(calls)
    await fill(store, calls, (n) => (numbers[n] = history.insert(callOf(n))))
    const sqlite = sqliteAt(join(dir, 'peer.sqlite'))
    sqlite.exec('PRAGMA journal_mode=WAL; CREATE TABLE calls (seq INTEGER PRIMARY KEY, number TEXT, row TEXT); BEGIN')
    const insert = sqlite.prepare('INSERT INTO calls VALUES (?, ?, ?)')
    for (let n = 0; n < calls; n++) insert.run(n + 1, numberOf(n % 20_000), JSON.stringify(callOf(n)))
    sqlite.exec('COMMIT; CREATE INDEX byNumber ON calls (number, seq)')
    const page = sqlite.prepare('SELECT row FROM calls WHERE seq < ? ORDER BY seq DESC LIMIT 50')
    const ofNumber = sqlite.prepare('SELECT row FROM calls WHERE number = ? ORDER BY seq DESC LIMIT 50')
    const parsed = (rows: unknown[]): unknown[] => (rows as { row: string }[]).map(({ row }) => JSON.parse(row) as unknown)
    const ours: Record<'page' | 'number', number[]> = { page: [], number: [] }
    const peer: typeof ours = { page: [], number: [] }
    for (let n = 0; n < pages; n++) {
      const before = 100 + ((n * 7919 * 101) % (calls - 100))
      const number = numberOf((n * 7919) % 20_000)
      const began = performance.now()
      const { items } = await history.pageBack(numbers[before - 1]!, 50, {})
      ours.page.push(performance.now() - began)
      if (items.length !== 50) throw new Error(`a page has ${items.length} calls`)
      peer.page.push(timed(() => parsed(page.all(before))))
      ours.number.push(timed(() => history.withNumber(number, 50)))
      peer.number.push(timed(() => parsed(ofNumber.all(number))))
    }
    sqlite.close()
    return (['page', 'number'] as const).map((what) => {
      const [mine, theirs] = [spread(ours[what]), spread(peer[what])]
      const named = what === 'page' ? 'page of 50 of 1,000,000 calls' : 'the last 50 calls of a number, of 1,000,000'
      return atLeast(
        `${named}: better-sqlite3 over ours, p50`,
        1,
        '',
        theirs.p50 / mine.p50,
        `ours ms ${describe(mine)}; better-sqlite3 ms ${describe(theirs)}`,
      )
    })
  })
}
