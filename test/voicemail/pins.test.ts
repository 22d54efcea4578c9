/** Which PIN opens a mailbox, over restarts with other configurations. */
import { randomBytes, scryptSync } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t, { type Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { hashCost, hashOfSecret } from '../../daemon/base/secret-hash.ts'
import { openStore } from '../../daemon/store/store.ts'
import { Pins } from '../../daemon/voicemail/pins.ts'
import { FakeClock } from '../harness/fake-clock.ts'

async function stage(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-pins-'))
  const store = await openStore(dir, createLog({ level: 'silent' }))
  t.teardown(async () => {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  /** Started with this PIN in the configuration. */
  const run = async (pin?: string) => {
    const box = { ext: '101', maxSeconds: 60, transcribe: false, transcriptInMail: false, ...(pin === undefined ? {} : { pin }) }
    const pins = new Pins({ config: { mailboxes: [box], extensions: [] }, store, clock: new FakeClock() })
    await pins.start()
    return pins
  }
  return { dir, store, run }
}

t.test('the last one set counts: at the phone, or by a configuration that was changed since; none of them can be read', async (t) => {
  const { dir, run } = await stage(t)
  const open = async (pins: Pins, ...tried: string[]) => Promise.all(tried.map((pin) => pins.opens('101', pin)))
  const first = await run('1234')
  t.same([await first.needed('101'), await open(first, '1234', '')], [true, [true, false]])
  let recorded = 0
  await first.set('101', '86420975', () => (recorded += 1))
  t.equal(recorded, 1)
  t.same(await open(first, '1234', '86420975'), [false, true])
  t.same(await open(await run('1234'), '86420975'), [true], 'over a restart')
  const changed = await run('9999')
  t.same(await open(changed, '86420975', '9999'), [false, true], 'the configuration was changed since')
  t.same(await open(await run('1234'), '86420975'), [false], 'and does not come back')
  const none = await run()
  t.equal(await none.needed('101'), false)
  await none.set('101', '13579864', () => undefined)
  t.same([await none.needed('101'), await open(none, '13579864', '')], [true, [true, false]], 'a box without one')
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name))
  const content = files.flatMap((file) => (/\.(mdb|lmdb|db)$|data/.test(file) ? [readFileSync(file).toString('latin1')] : [])).join('')
  t.ok(content.includes('configured'), 'the rows are in these files')
  t.notMatch(content, /86420975|13579864/)
})

t.test('what was kept at a former cost opens the box, and is kept at that of today from the next right entry on', async (t) => {
  const { store, run } = await stage(t)
  const { mailboxPins } = store.tables
  const salt = randomBytes(16)
  const former = (text: string): string => scryptSync(text, salt, 32).toString('hex')
  const row = { salt: salt.toString('hex'), hash: former('86420975'), configured: former('1234'), changedAt: 7 }
  await store.transaction(() => mailboxPins.put('101', row))
  const pins = await run('1234')
  t.same(mailboxPins.get('101'), row, 'the start leaves it')
  t.equal(await pins.opens('101', '1234'), false)
  t.same(mailboxPins.get('101'), row, 'a wrong one too')
  t.equal(await pins.opens('101', '86420975'), true)
  const kept = mailboxPins.get('101')!
  t.same([kept.cost, kept.changedAt], [hashCost, 7])
  t.not(kept.salt, row.salt)
  t.equal(kept.hash, (await hashOfSecret('86420975', Buffer.from(kept.salt, 'hex'))).toString('hex'))
  t.equal(await pins.opens('101', '86420975'), true)
  t.same(mailboxPins.get('101'), kept, 'and stays')
  t.equal(await (await run('9999')).opens('101', '86420975'), false, 'it still yields to another configuration')
})

t.test('a hash costs what OWASP asks, off the event loop, and no more than two are worked out at once', async (t) => {
  const salt = Buffer.alloc(16, 1)
  const began = performance.now()
  const sync = scryptSync('1234', salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 })
  const alone = performance.now() - began
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const order: number[] = []
  const all = await Promise.all([0, 1, 2, 3].map((n) => hashOfSecret('1234', salt).then((made) => (order.push(n), made))))
  delay.disable()
  for (const made of all) t.same(made, sync)
  t.same(
    [order.slice(0, 2).toSorted(), order.slice(2).toSorted()],
    [
      [0, 1],
      [2, 3],
    ],
  )
  t.ok(delay.max / 1e6 < alone, `one takes ${Math.round(alone)} ms; the loop waited ${Math.round(delay.max / 1e6)} ms at most`)
})
