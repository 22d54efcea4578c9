/**
 * A CRM that is away while 1,000 calls come and go, a daemon that is killed in the middle of them, and again while it sends what waited:
 * what the CRM has in the end, and how soon. And how long a phone waits for a CRM that is up, slow or away.
 */
import { Crm, crmSecret, type CrmManner } from '../../harness/crm.ts'
import { extensionsOf, LightPhone } from '../../harness/light-phone.ts'
import { eventually, pause, type Scene } from '../../harness/scene.ts'
import { serve } from './answered.ts'
import { atMost, describe, fact, spread, type Measurement, type Row } from './measure.ts'
import { placeCalls, stage } from './stage.ts'

const calls = 1000

export const crmOutage: Measurement = {
  name: 'crm-outage',
  title: 'A CRM that is away: what it has of the calls afterwards, and how long phones wait for it',
  async run() {
    return [...(await rings()), ...(await outage())]
  },
}

/** As a CRM that honours `Idempotency-Key` keeps it. */
const taking: CrmManner = ({ path }) => (path === 'calls/log' ? { body: { logged: true } } : { body: { found: false } })

async function outage(): Promise<Row[]> {
  const crm = await Crm.open(taking)
  await crm.close()
  const app = await serve('application.ts', '[{"gather":{"timeout":60}}]')
  const scene = await stage({
    appUrl: `http://127.0.0.1:${app.port}`,
    settings: (base) => (base['crm'] = { baseUrl: crm.url, secret: crmSecret }),
  })
  try {
    const rows = Array.from({ length: calls }, (_, n) => `${40_000 + 2 * (n % 1000)};+1555${3_000_000 + n}`)
    const load = await placeCalls(scene.daemon.sipPort, 'hold.xml', rows, { calls, rate: 25, holdMs: 500 })
    await pause(20_000)
    await scene.daemon.kill()
    await scene.daemon.start()
    // A caller who was there in the moment of the kill may wait for an answer for good.
    await Promise.race([load.done, pause(calls * 40 + 30_000)])
    await load.close()
    const ended = await eventually('every call has ended', async () => (await live(scene)) === 0, 60_000).then(() => history(scene))
    await crm.listen()
    const began = performance.now()
    await eventually('a part is told', () => crm.of('calls/log').length > 300, 300_000)
    await scene.daemon.kill()
    await scene.daemon.start()
    await eventually('everything is told', async () => (await pending(scene)) === 0, 300_000)
    const seconds = (performance.now() - began) / 1000
    const first = new Map<string, number>()
    for (const [at, { body }] of crm.of('calls/log').entries()) if (!first.has(body.callId)) first.set(body.callId, at)
    const lost = ended.filter(({ callId }) => !first.has(callId)).length
    const keys = crm.of('calls/log').map(({ headers }) => `${String(headers['idempotency-key'])} ${String(headers['x-service-event-id'])}`)
    const told = new Set(keys.map((key) => key.split(' ')[0]))
    const doubled = new Set(keys).size - told.size
    return [
      atMost(`${ended.length} calls, the daemon killed twice: told after the return of the CRM within`, 180, 's', seconds),
      atMost('calls that the CRM never heard of', 0, '', lost),
      atMost('told twice under another key or id', 0, '', doubled, `${keys.length} requests`),
      atMost('told before a call that had ended more than 2 s earlier', 0, '', outOfOrder(ended, first)),
    ]
  } finally {
    await scene.close()
    await crm.close()
    app.close()
  }
}

/** Four go at once, so that neighbours may pass each other. */
function outOfOrder(ended: readonly { callId: string; endedAt: number }[], first: ReadonlyMap<string, number>): number {
  const told = ended.toSorted((a, b) => (first.get(a.callId) ?? 0) - (first.get(b.callId) ?? 0))
  let [latest, count] = [0, 0]
  for (const { endedAt } of told) {
    if (endedAt < latest - 2000) count++
    latest = Math.max(latest, endedAt)
  }
  return count
}

const api = async (scene: Scene, path: string): Promise<any> => (await scene.daemon.api('GET', path)).body
const live = async (scene: Scene): Promise<number> => (await api(scene, '/api/pbx/calls/active')).calls.length
const pending = async (scene: Scene): Promise<number> => (await api(scene, '/api/pbx/sync/status')).queue.pendingLogs

async function history(scene: Scene): Promise<{ callId: string; endedAt: number }[]> {
  const found: { callId: string; endedAt: number }[] = []
  for (let since = 0; ;) {
    const { items, nextSince } = await api(scene, `/api/pbx/calls/history?since=${since}&limit=500`)
    found.push(...items.map((item: any) => ({ callId: item.callId, endedAt: Date.parse(item.endedAt) })))
    if (items.length === 0 || nextSince === since) return found
    since = nextSince
  }
}

async function rings(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, afterMs] of [
    ['up (30 ms)', 30],
    ['slow (5 s)', 5000],
    ['away', -1],
  ] as const) {
    const crm = await Crm.open(({ path }) => ({ body: { found: false }, ...(path.startsWith('lookup') ? { afterMs } : {}) }))
    if (afterMs < 0) await crm.close()
    const scene = await stage({
      settings: (base) => {
        base['crm'] = { baseUrl: crm.url, secret: crmSecret }
        base['voice'] = {}
        base['extensions'] = extensionsOf(1)
        base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '1000' }]
      },
    })
    try {
      const [phone] = await LightPhone.registered(scene, 1)
      const waits: number[] = []
      // A CRM that never answers is not asked any more after five.
      for (let n = 0; n < (afterMs > 1000 ? 4 : 20); n++) {
        const caller = await scene.call({ from: `+1555700${1000 + n}` })
        const began = performance.now()
        const invite = await phone!.peer.request('INVITE', 10_000)
        waits.push(performance.now() - began)
        phone!.peer.answer(invite, 486)
        await caller.close()
      }
      const seen = spread(waits)
      rows.push(
        afterMs > 1000
          ? atMost(`INVITE -> the phone rings, CRM ${what}, p99`, 900, 'ms', seen.p99, describe(seen))
          : fact(`INVITE -> the phone rings, CRM ${what}, p99`, `${seen.p99.toFixed(0)} ms`, describe(seen)),
      )
    } finally {
      await scene.close()
      await crm.close()
    }
  }
  return rows
}
