/** A real box that reads the customers of a CRM: by hand, with what comes of it, and on through a kill in the middle of the list. */
import t from 'tap'
import { Crm, type Party } from '../../scripts/examples/crm/crm.ts'
import { openCrm } from '../crm/example-crm.ts'
import { oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'

const secret = 'whsec_of_the_crm_0123456789'
const crm = new Crm({ secrets: [secret] })
crm.data.customers = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [customer(n).id, customer(n)]))
const { url, hook } = await openCrm(t, crm)
const scene = await Scene.open({ settings: (base) => Object.assign(base, { crm: { baseUrl: url, secret }, limits: oftenAsked }) })
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())

function customer(n: number): Party {
  const phones = [{ number: `+1555${1_000_000 + n}`, label: 'mobile' }]
  const made = { status: 'active', version: '1', updatedAt: '2026-03-01T09:00:00Z', source: 'crm' } as const
  return { id: `c_${String(n).padStart(5, '0')}`, kind: 'person', name: `Person ${n}`, phones, ...made }
}
const status = async () => (await daemon.api('GET', '/api/pbx/sync/status')).body
const pages = () =>
  hook.heard.filter(({ path }) => path === '/api/pbx/sync/full').map(({ body }) => (body as { cursor: string | null }).cursor)

t.test('a kill in the middle of the list: the next run goes on at the page where it was', async (t) => {
  hook.set({ at: '/sync/full', slowMs: 2000 })
  await eventually('a page was kept, and the next is asked for', () => pages().some((cursor) => cursor !== null), 30_000)
  t.match((await status()).currentSync, { total: 2000 })
  t.match(await daemon.api('POST', '/api/pbx/sync/full', {}), { status: 409, body: { code: 'sync_running' } })
  await daemon.kill()
  const before = pages().length
  hook.set({})
  await daemon.start()
  await eventually('the list is whole', async () => (await status()).customers.lastFullSyncAt !== null, 60_000)
  t.match(await status(), { currentSync: null, customers: { total: 2000, conflicts: 0 } })
  t.equal(pages().slice(before).includes(null), false, 'it did not begin anew')
})

t.test('by hand, with words; and a single one', async (t) => {
  crm.data.customers['c_00001'] = { ...customer(1), name: 'Ana Ruiz', version: '2', updatedAt: '2026-03-01T10:00:00Z' }
  delete crm.data.customers['c_00002']
  const read = await daemon.pbx('crm', 'sync', '--wait')
  t.match([read.code, read.out], [0, /^Done: the directory has 1999 customers, 0 in conflict\./])
  t.match((await daemon.api('GET', '/api/pbx/lookup/enhanced/+15551000001')).body, { found: true })
  crm.data.customers['c_00003'] = { ...customer(3), name: 'Bo Li', version: '2', updatedAt: '2026-03-01T10:00:00Z' }
  t.match(await daemon.api('POST', '/api/pbx/customers/c_00003/sync', {}), {
    status: 200,
    body: { id: 'c_00003', result: 'updated', version: '2' },
  })
  t.match(await daemon.api('POST', '/api/pbx/customers/nobody/sync', {}), { status: 404, body: { code: 'customer_unknown' } })
  t.equal((await daemon.api('POST', '/api/pbx/integration/disable', {})).status, 200)
  for (const path of ['sync/full', 'customers/c_00003/sync'])
    t.match(await daemon.api('POST', `/api/pbx/${path}`, {}), { status: 409, body: { code: 'integration_disabled' } }, path)
  t.match(await daemon.pbx('crm', 'sync'), { code: 1 })
})
