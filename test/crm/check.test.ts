/** pbx crm check: nothing is wrong with the small CRM, and of each way to be wrong the words say which. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { Crm } from '../../scripts/examples/crm/crm.ts'
import type { Faults } from '../../scripts/examples/crm/faults.ts'
import { mark } from '../../scripts/cli/crm-check/own.ts'
import { tryCrm } from '../../scripts/cli/crm-check/check.ts'
import { openCrm } from './example-crm.ts'
import { smallCrm } from './small-crm.ts'

const [secret, token] = ['whsec_test_0123456789abcdef', 'tk_test']

t.test('the small CRM passes, and has one call with one note more', async (t) => {
  const { url, crm } = await openCrm(t, new Crm({ secrets: [secret], token }))
  const customers = structuredClone(crm.data.customers)
  const { findings, wrongs, wrote } = await tryCrm({ url, secret, token })
  t.same(
    findings.filter(({ state }) => state !== 'good'),
    [],
  )
  t.equal(wrongs, 0)
  t.ok(findings.length > 40, `${findings.length} findings`)
  t.same(Object.keys(crm.data.calls), wrote)
  t.match(crm.data.calls[wrote[0]!], { externalRef: 'pbx-crm-check', customerId: null, rev: 6, notes: [{ text: mark }] })
  t.equal(crm.data.calls[wrote[0]!]!.notes!.length, 1)
  t.same(crm.data.customers, customers)
})

const variants: readonly [string, Faults, RegExp][] = [
  ['dead', { line: 'dead' }, /cannot be reached: the connection was closed/],
  ['refuses all', { status: 401 }, /a request with a valid signature is refused with 401/],
  ['its clock is off', { clockOffSeconds: 600 }, /its clock is (599|600|601) s ahead.*\n.*set the clock of the CRM/],
  ['takes an old signature', { lie: 'any-time' }, /a signature that is ten minutes old is not refused: it is answered 200/],
  ['slow look-ups', { at: '/lookup/', slowMs: 1100 }, /no complete answer within 800 ms.*\n.*answer within 800 ms/],
  ['slow card', { at: '/screen-pop/', slowMs: 3300 }, /no complete answer within 3000 ms.*\n.*answer within 3000 ms/],
  ['a web page', { at: '/calls/log', lie: 'no-json' }, /the answer is not JSON: <html>Welcome/],
  ['another shape', { at: '/screen-pop/', lie: 'wrong-shape' }, /the answer does not match the schema: found /],
  ['fails inside', { at: '/notes', status: 500 }, /notes answers 500, not 200 or 201.*\n.*see the log of the CRM/],
  ['forgets what it logged', { lie: 'forgets' }, /the same request twice makes a second entry/],
  ['takes old revisions', { lie: 'forgets' }, /a revision older than the stored one is answered 200, not 409/],
  ['customers twice', { lie: 'duplicate-ids' }, /3 customers come twice: c_1, c_2, c_3/],
  ['the same cursor', { lie: 'same-cursor' }, /the cursor "again" is returned twice: the pages never end/],
  ['no end of pages', { lie: 'endless-pages' }, /after 4000 pages the list does not end/],
  ['gives all that there are', { lie: 'all-that-changed' }, /changedSince is ignored/],
  ['moved', { at: '/users/', status: 302 }, /does not follow redirects/],
]

for (const [what, fault, words] of variants)
  t.test(`broken: ${what}`, { timeout: 120_000 }, async (t) => {
    // What changes bodies on their way would make their signatures wrong.
    const signed = fault.lie !== 'all-that-changed'
    const { url } = await openCrm(t, new Crm(signed ? { secrets: [secret] } : {}), fault)
    const { findings, wrongs } = await tryCrm({ url, secret: signed ? secret : '', token: '' })
    t.equal(wrongs, findings.filter(({ state }) => state === 'wrong').length)
    const text = findings
      .flatMap(({ state, message, fix }) => (state === 'wrong' || state === 'advice' ? [`${message}\n${fix}`] : []))
      .join('\n')
    t.match(text, words)
  })

t.test('a CRM of forty lines that answers what is read, and no more, has nothing wrong', async (t) => {
  const server = smallCrm(secret).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { findings, wrongs } = await tryCrm({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret, token: '' })
  t.same(
    findings.filter(({ state }) => state === 'wrong'),
    [],
  )
  t.equal(wrongs, 0)
  t.ok(findings.filter(({ state }) => state === 'good').length > 20)
})

t.test('who does not look at signatures is told what to check', async (t) => {
  const { url } = await openCrm(t, new Crm())
  const { findings } = await tryCrm({ url, secret, token })
  const wrong = findings.filter(({ state }) => state === 'wrong')
  t.equal(wrong.length, 6, 'four signatures, a body and a token')
  t.match(wrong[0], { check: 'signature', message: /a wrong signature is not refused/, fix: /X-Service-Timestamp/ })
})

t.test('what a CRM does not offer is no fault of it', async (t) => {
  for (const status of [404, 405, 501]) {
    const { url } = await openCrm(t, new Crm({ secrets: [secret] }), { at: '/sync/full', status })
    const { findings, wrongs } = await tryCrm({ url, secret, token: '' })
    t.equal(wrongs, 0)
    t.match(
      findings.filter(({ state }) => state === 'absent'),
      [{ check: 'pages', message: /not offered/ }],
      String(status),
    )
  }
})

t.test('as a command: words and an exit code', async (t) => {
  const { url, hook } = await openCrm(t, new Crm({ secrets: [secret] }))
  const pbx = (...words: string[]) =>
    promisify(execFile)('scripts/pbx', ['crm', 'check', ...words]).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout: stdout + stderr }),
    )
  const good = await pbx(`${url}/api/pbx/`, '--secret', secret)
  t.equal(good.code, 0)
  t.match(good.stdout, /^Tests http.*\+12025550147.*\n.*you can delete it[^]*written: call CA[^]*No faults\.\n$/)
  hook.set({ at: '/calls/log', status: 500 })
  const bad = await pbx(url, '--secret', secret, '--json')
  t.equal(bad.code, 1)
  t.match(JSON.parse(bad.stdout), { wrongs: 1, findings: Array, wrote: [/^CA/] })
  t.equal((await pbx('ftp://crm.lan')).code, 2)
})
