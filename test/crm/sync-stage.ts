/** A CRM of customers, and a box that reads them. */
import t, { type Test } from 'tap'
import { CrmClient } from '../../daemon/crm/client/client.ts'
import { ForeignReader } from '../../daemon/crm/foreign.ts'
import { NumberSurvey } from '../../daemon/crm/number-survey.ts'
import { Proposals } from '../../daemon/crm/sync/proposals.ts'
import { Customers } from '../../daemon/crm/sync/customers.ts'
import { Reading } from '../../daemon/crm/sync/reading.ts'
import { Sync } from '../../daemon/crm/sync/sync.ts'
import { WholeList } from '../../daemon/crm/sync/whole-list.ts'
import { TypedNames } from '../../daemon/crm/typed.ts'
import { createLog } from '../../daemon/base/log.ts'
import { Crm, type Party } from '../../scripts/examples/crm/crm.ts'
import type { Faults } from '../../scripts/examples/crm/faults.ts'
import { openCrm } from './example-crm.ts'
import { openDirectory } from './stage.ts'
import { eventually, pause } from '../harness/waiting.ts'

export const minute = 60_000
const made = Date.UTC(2026, 2, 1)

export function party(n: number, version = 1, more: Partial<Party> = {}): Party {
  const id = `c_${String(n).padStart(5, '0')}`
  const updatedAt = `${new Date(made + (n + version * 10) * 1000).toISOString().slice(0, 19)}Z`
  const phones = [{ number: `+1555${String(1_000_000 + n)}`, label: 'mobile' }]
  return {
    id,
    kind: 'person',
    name: `Person ${n} v${version}`,
    status: 'active',
    phones,
    version: String(version),
    updatedAt,
    source: 'crm',
    ...more,
  }
}

/** A CRM of `count` customers, and a box that has not asked it yet. */
export async function stage(t: Test, count: number, misbehaviour: Faults = {}, elsewhere?: string) {
  const opened = await openDirectory(t)
  const { store, clock, directory, lookup } = opened
  const crm = new Crm()
  const put = (...parties: Party[]) => parties.forEach((one) => (crm.data.customers[one.id] = one))
  crm.data.customers = {}
  put(...Array.from({ length: count }, (_, n) => party(n)))
  const { url, hook } = await openCrm(t, crm, misbehaviour)
  const site = { country: 'US', timeZone: 'America/New_York' }
  const log = createLog({ level: 'silent' })
  const foreign = new ForeignReader()
  t.teardown(() => foreign.stop())
  let on = true
  const open = () => {
    const link = { baseUrl: elsewhere ?? url, secret: '', token: '', tls: { insecure: false } }
    const client = new CrmClient({
      config: { crm: link } as never,
      foreign,
      clock,
      log,
      version: '1',
      policy: { allowLoopback: true },
      enabled: () => on,
    })
    const customers = new Customers({ config: { site } as never, store, clock, directory, moved: () => undefined })
    const list = new WholeList({ store, clock, customers })
    const reading = new Reading({ client, foreign, misfits: client.misfits })
    const enabled = () => on
    const proposals = new Proposals({ store, clock, log, configured: true, enabled, directory, reading, customers })
    const survey = new NumberSurvey(directory, log)
    const sync = new Sync({ config: { site } as never, store, clock, log, client, enabled, reading, customers, list, survey, proposals })
    sync.start()
    const config = { site, extensions: [{ number: '101' }] } as never
    const names = new TypedNames({ config, store, clock, directory, lookup, proposals })
    return { sync, names, proposals, list, client, customers, stop: () => Promise.all([sync.stop(), client.stop()]) }
  }
  let box = open()
  t.teardown(() => box.stop())
  const asked = () =>
    hook.heard.filter(({ path }) => path.endsWith('/sync/full')).map(({ body }) => body as { cursor: string | null; changedSince?: string })
  return {
    ...opened,
    crm,
    put,
    hook,
    asked,
    box: () => box,
    switched: (to: boolean) => void (on = to),
    restart: async () => {
      await box.stop()
      box = open()
    },
    /** Until the box has asked for `pages` pages more, and has done with the last one. */
    after: async (pages: number, ms: number) => {
      const before = asked().length
      clock.advance(ms)
      const answered = () => asked().length >= before + pages && hook.heard.at(-1)?.status !== null
      await eventually('the pages are asked for', answered, undefined, 5)
      await eventually('the pages are read', () => !box.sync.busy, undefined, 5)
      // What follows from them may be asked for at once.
      await pause(50)
    },
  }
}
