/** Every request to the CRM is sent as it is described, with its own example, and the example of its answer is one. */
import t from 'tap'
import { CrmClient } from '../../daemon/crm/client/client.ts'
import { ForeignReader } from '../../daemon/crm/foreign.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { checker } from '../../daemon/http/validate.ts'
import { createLog } from '../../daemon/base/log.ts'
import type { Config } from '../../daemon/schema/config.ts'
import {
  crmPath,
  crmRequests,
  type CrmAsk,
  type CrmRequestSpec,
  type CrmRoute,
  CallEventDataSchema,
} from '../../daemon/schema/crm-requests.ts'
import { Crm, crmSecret } from '../harness/crm.ts'
import { closed, requestMisfitsOf } from '../harness/crm-fit.ts'

const all = Object.entries(crmRequests) as [CrmRoute, CrmRequestSpec][]

t.test('each example is sent as it stands on the page, and its answer is taken', async (t) => {
  const crm = await Crm.open()
  t.teardown(() => crm.close())
  const client = new CrmClient({
    config: { crm: { baseUrl: crm.url, secret: crmSecret, token: '', tls: {} } } as unknown as Config,
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    foreign: new ForeignReader(),
    version: 'test',
    policy: { allowLoopback: true },
    enabled: () => true,
  })
  t.teardown(() => client.stop())
  for (const [route, { method, path, query, body, key, example }] of all) {
    crm.manner = () => ({ body: example.answer ?? {} })
    const { params, query: asked } = example
    const ask = { route, params, ...(asked === undefined ? {} : { query: asked }), ...(body === undefined ? {} : { body: example.body }) }
    t.same(body === undefined ? undefined : checker(closed(body), false)(structuredClone(example.body)), undefined, `${route}: its body`)
    t.same(
      Object.keys(asked ?? {}).filter((name) => query?.properties[name] === undefined),
      [],
      `${route}: its query`,
    )
    const outcome = await client.request({ ask: ask as unknown as CrmAsk, ...(key === undefined ? {} : { idempotencyKey: 'one' }) })
    t.match(outcome, { kind: 'answered', status: 200 }, route)
    t.same(client.misfits.last, null, `${route}: what is read of its example is as agreed`)
    const seen = crm.seen.at(-1)!
    t.match(seen, { method, signature: 'ok' })
    t.same(seen.body, example.body)
    t.equal(`${seen.path}${seen.query.size === 0 ? '' : `?${seen.query.toString()}`}`, crmPath(ask as unknown as CrmAsk))
    t.ok(new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(seen.path), `${seen.path} is at ${path}`)
  }
  t.equal(crm.seen.length, all.length)
})

t.test('what is not described is found', async (t) => {
  const { example } = crmRequests.log
  const log = {
    method: 'POST',
    path: 'calls/log',
    query: new URLSearchParams(),
    body: example.body as unknown,
    key: 'one' as string | undefined,
  }
  t.same(requestMisfitsOf(log), [])
  t.match(requestMisfitsOf({ ...log, body: { ...example.body, patient: 'Ann' } }), [/must not have the member "patient"/])
  t.match(requestMisfitsOf({ ...log, body: { ...example.body, rev: 'x' } }), [/rev must be an integer/])
  t.match(requestMisfitsOf({ ...log, key: undefined }), [/Idempotency-Key is missing/])
  t.match(requestMisfitsOf({ ...log, query: new URLSearchParams('more=1') }), [/more is not described/])
  t.match(requestMisfitsOf({ ...log, path: 'calls/erase' }), [/there is no request/])
  const asked = { ...log, method: 'GET', path: 'sync/status', key: undefined }
  t.match(requestMisfitsOf({ ...asked, body: {} }), [/has no body/])
  t.same(requestMisfitsOf({ ...asked, body: undefined }), [])
})

t.test('the compiler refuses what no request is', async (t) => {
  const good: CrmAsk = { route: 'page', body: { cursor: null, limit: 500 } }
  // @ts-expect-error there is no such request
  const unknown: CrmAsk = { route: 'erase', body: {} }
  // @ts-expect-error whose?
  const lacking: CrmAsk<'party'> = { route: 'party', body: {} }
  // @ts-expect-error not a number of customers
  const wrong: CrmAsk<'page'> = { route: 'page', body: { cursor: null, limit: 'all' } }
  t.ok([good, unknown, lacking, wrong].length)
})

t.test('the data of the events that programs read has a schema', async (t) => {
  const check = checker(closed(CallEventDataSchema), false)
  t.same(check({ call: structuredClone(crmRequests.end.example.body), extensions: ['101'] }), undefined)
  t.not(check({ call: {}, extensions: ['101'] }), undefined)
})
