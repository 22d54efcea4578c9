import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bySystem } from '../../daemon/audit/audit.ts'
import type { NamedDeed } from '../../daemon/audit/deed.ts'
import { pruneAudit } from '../../daemon/audit/part.ts'
import { Trail } from '../../daemon/audit/trail.ts'
import { linkText, parseLink } from '../../daemon/audit/chain.ts'
import { readAudit } from '../../daemon/audit/look.ts'
import { verifyAudit } from '../../daemon/audit/verify.ts'
import { Ceilings } from '../../daemon/ceilings/ceilings.ts'
import { cleartextOf } from '../../daemon/config/meaning.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { Authentication } from '../../daemon/http/auth.ts'
import { limitRoutes } from '../../daemon/ceilings/routes.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { Tokens } from '../../daemon/tokens/tokens.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { root } from '../harness/daemon.ts'

const log = createLog({ level: 'silent', pretty: false })
const dayMs = 86_400_000

async function open(t: Test, settings: object = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-audit-'))
  const clock = new FakeClock()
  const store = await openStore(join(dir, 'store'), log)
  t.teardown(async () => {
    await trail.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const { config } = parseConfig(JSON.stringify({ site: { name: 'Clinic' }, storage: { dir }, ...settings }), join(dir, 'pbxd.yaml'))
  const trail = new Trail({ store, clock, log })
  const tokens = new Tokens({ store, clock, log, config, trail })
  return { dir, clock, store, config, trail, tokens, audit: trail.audit }
}

t.test('rows past their time leave from the old end, and the rest still proves itself', async (t) => {
  const { audit, clock, store, trail } = await open(t)
  const write = (from: number, end: number) =>
    store.transaction(() => {
      for (let n = from; n < end; n++) audit.record(bySystem('fax.read', `f${n}`))
    })
  await write(0, 1200)
  clock.advance(400 * dayMs)
  await write(1200, 2500)
  const noted = (await verifyAudit(store)).last!
  const early = linkText(store.tables.audit.get('0000000000000900')!)
  const late = linkText(store.tables.audit.get('0000000000002000')!)
  t.equal(await pruneAudit({ store, audit, clock, years: 1 }), 1200)
  t.equal(store.tables.audit.count(), 1300 + 2, 'each transaction of the pruning left a row')
  t.match(await verifyAudit(store), { ok: true, rows: 1302, first: { seq: 1201 }, last: { seq: 2502 } })
  t.equal((await verifyAudit(store, parseLink(late))).ok, true, 'what was noted down and is still there')
  t.equal((await verifyAudit(store, parseLink(linkText(noted)))).ok, true)
  t.match(await verifyAudit(store, parseLink(early)), { ok: true }, 'what was noted down and has left in the meantime is no fault')
  const forged = linkText({ ...parseLink(late)!, hash: 'f'.repeat(64) })
  t.match(
    await verifyAudit(store, parseLink(forged)),
    { ok: false, faults: [{ seq: 2000 }] },
    'another chain in the place of the noted one',
  )
  t.equal(parseLink('2000'), undefined, 'what is no number with a hash')
  t.equal(await pruneAudit({ store, audit, clock, years: 1 }), 0)

  await store.transaction(() => {
    for (let seq = 1201; seq <= 1300; seq++) store.tables.audit.remove(String(seq).padStart(16, '0'))
  })
  t.equal((await verifyAudit(store)).ok, false, 'what somebody else removed from the old end')
  await store.transaction(() => store.tables.meta.put('audit:anchor', linkText(store.tables.audit.get('0000000000001301')!)))
  t.equal((await verifyAudit(store)).ok, false, 'also where the anchor was moved with it')
})

t.test('what programs look at all the time is a row a minute, any other look a row each time', async (t) => {
  const { trail, clock, store } = await open(t)
  const look = async (deed: NamedDeed, object: string) =>
    trail.begin(deed, { actor: 'token:desk', address: '::1', requestId: 'r' }, object).settle()
  const rows = () => store.tables.audit.count()
  const polled = { name: 'fax.read', polled: true } as const
  await look(polled, 'f1')
  await look(polled, 'f1')
  t.equal(rows(), 1, 'again within the minute')
  await look(polled, 'f2')
  t.equal(rows(), 2, 'another fax')
  clock.advance(60_000)
  await look(polled, 'f1')
  t.equal(rows(), 3, 'after the minute')
  await look({ name: 'inbox.media' }, 'f1')
  await look({ name: 'inbox.media' }, 'f1')
  t.equal(rows(), 5, 'a document that is fetched twice')
  const turned = trail.begin(polled, { actor: 'token:desk', address: '::1', requestId: 'r' }, 'f1')
  turned.becomes('fax.delete')
  await turned.settle()
  t.equal(rows(), 6, 'what turned out to be a deletion')
})

t.test('the export proves itself without pbxd, by the rule that the documentation gives', async (t) => {
  const { audit, trail, dir, store } = await open(t)
  await store.transaction(() => {
    for (let n = 0; n < 40; n++) audit.record(bySystem('inbox.page', `fax f${n}`, n))
  })
  const rows = []
  for await (const row of readAudit(store, {})) rows.push(row)
  const lines = rows.map((row) => JSON.stringify(row))
  const script = /```sh\n(while [\s\S]*?)```/.exec(readFileSync(join(root, 'docs', 'audit.md'), 'utf8'))![1]!
  const check = (all: readonly string[]): string => {
    writeFileSync(join(dir, 'audit.jsonl'), `${all.join('\n')}\n`)
    return execFileSync('sh', ['-c', script], { cwd: dir, encoding: 'utf8' })
  }
  t.equal(check(lines), '')
  const changed = lines[7]!.replace('"fax f7"', '"fax f8"')
  t.equal(check(lines.with(7, changed)), `changed: ${changed}\n`)
})

t.test('a token ends by itself: made with days, or with a day in the configuration', async (t) => {
  const configured = { name: 'until-monday', sha256: 'ab'.repeat(32), scopes: ['send'], expires: '2026-03-09' }
  const { tokens, clock } = await open(t, { auth: { tokens: [configured] } })
  const { token, view } = await tokens.create({ name: 'visitor', scopes: ['inbox'], expiresInDays: 2 } as never, () => undefined)
  t.equal(view.expiresAt, '2026-03-04T14:05:11.000Z')
  t.match(tokens.list(), [{ name: 'until-monday', expiresAt: '2026-03-09T23:59:59.999Z' }, { name: 'visitor' }])
  const used: string[] = []
  const authentication = new Authentication({
    tokens: tokens.all,
    clock,
    failuresPerMinute: 10,
    blockSeconds: 900,
    used: (name: string) => void used.push(name),
  } as never)
  const ask = () =>
    authentication.check('inbox', { authorization: `Bearer ${token}`, forwarded: false, address: () => '192.0.2.1' } as never)
  t.match(ask(), { name: 'visitor' })
  clock.advance(2 * dayMs - 1)
  t.match(ask(), { name: 'visitor' }, 'the last millisecond')
  clock.advance(1)
  t.throws(ask, { code: 'invalid_token', actor: 'token:visitor' }, 'the trail names whose token it was')
  t.equal(used.length, 2)
})

t.test('what is used of a day begins anew in the transaction that records it', async (t) => {
  const { config, store, clock } = await open(t)
  const ceilings = new Ceilings({ config, store, clock })
  await store.transaction(() => ceilings.take('crm', { texts: 7 }))
  const used = () => ceilings.view().find(({ of, what }) => of === 'box' && what === 'texts')?.used
  t.equal(used(), 7)
  const reset = limitRoutes({ ceilings, store }).find(({ operationId }) => operationId === 'resetLimits')!
  const ask = async (body: object, record: () => void) => reset.handle({ body, deed: { record } } as never)
  await t.rejects(
    ask({}, () => {
      throw new Error('the row could not be written')
    }),
  )
  t.equal(used(), 7, 'without its row there is no deed')
  await t.rejects(
    ask({ token: 'nobody' }, () => t.fail('nothing to record')),
    { code: 'not_found' },
  )
  let recorded = 0
  await ask({}, () => recorded++)
  t.same([used(), recorded], [0, 1])
})

t.test('what goes over the network in the clear is told', async (t) => {
  const of = (listen: string, tls?: object, mail?: object, secret = '', auth = 'signed') =>
    cleartextOf({ http: { listen, tls }, mail, crm: { secret, auth } } as never).map(({ path }) => path.join('.'))
  t.same(of('127.0.0.1:8080'), [])
  t.same(of('[::1]:8080'), [])
  t.same(of('localhost:8080'), [])
  t.same(of('0.0.0.0:8080'), ['http.listen'])
  t.same(of('192.0.2.7:8080'), ['http.listen'])
  t.same(of('[::]:8080'), ['http.listen'])
  t.same(of('0.0.0.0:8443', { cert: 'a', key: 'b' }), [])
  t.same(of('127.0.0.1:8080', undefined, { tls: 'off', server: 'mail.example.com:25' }), ['mail.tls'])
  t.same(of('0.0.0.0:8080', undefined, undefined, 'whsec'), ['http.listen', 'crm.auth'])
  t.same(of('0.0.0.0:8080', undefined, undefined, 'whsec', 'signed+bearer'), ['http.listen'])
  t.same(of('127.0.0.1:8080', undefined, undefined, 'whsec'), [])
  t.same(of('127.0.0.1:8080', undefined, { tls: 'starttls', server: 'mail.example.com:25' }), [])
})
