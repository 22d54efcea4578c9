/**
 * What the caller, the phone and the queue see of a CRM that is dead, slow, lying, locked up or of another time: real calls, the small CRM of
 * the examples, a fault a call. The table of docs/crm.md says the same.
 */
import t from 'tap'
import { Crm } from '../../scripts/examples/crm/crm.ts'
import type { Faults } from '../../scripts/examples/crm/faults.ts'
import { openCrm } from '../crm/example-crm.ts'
import { Dialog } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import { oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

const secret = 'whsec_of_the_crm_0123456789'
const made = { status: 'active', version: '1', updatedAt: '2026-03-01T09:00:00Z', source: 'crm' } as const
const ana = { id: 'c_1', kind: 'person', name: 'Ana Ruiz', phones: [{ number: '+15551230001', label: 'mobile' }], ...made } as const
const crm = new Crm({ secrets: [secret] })
crm.data.customers = { c_1: structuredClone(ana) as never }
const { url, hook } = await openCrm(t, crm)
const scene = await Scene.open({
  settings: (base) => {
    base['limits'] = oftenAsked
    base['extensions'] = [{ number: '101', name: 'Front desk', password }]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
    base['crm'] = { baseUrl: url, secret, maxRequestsPerSecond: 50 }
  },
})
const { daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

const status = async () => (await daemon.api('GET', '/api/pbx/sync/status')).body
const logs = () => hook.heard.filter(({ path, status: given }) => path === '/api/pbx/calls/log' && given === 200)

interface Seen {
  /** What the phone showed. */
  readonly shown: string
  /** After the INVITE of the caller. */
  readonly rangMs: number
  readonly callId: string
}

/** A call that is taken at the phone and hung up there. The caller hears it ring and talks: its own program ends with 0. */
async function talk(phone: HandPhone): Promise<Seen> {
  const newest = async () => (await daemon.api('GET', '/api/pbx/calls/history?order=desc&limit=1')).body.items[0]?.callId ?? ''
  const before = await newest()
  const began = Date.now()
  const caller = await scene.call({ from: '+15551230001', name: 'PROVIDER' })
  const invite = await phone.peer.request('INVITE', 10_000)
  const rangMs = Date.now() - began
  phone.peer.answer(invite, 180)
  phone.peer.answer(invite, 200, { body: sdp(9) })
  const dialog = Dialog.of(phone.peer, invite)
  await phone.peer.request('ACK')
  await dialog.ask('BYE')
  if ((await caller.sip.exit) !== 0) throw new Error('the caller was not connected')
  await eventually('the history has it', async () => (await newest()) !== before)
  return { shown: /^"([^"]*)"/.exec(invite.header('From'))?.[1] ?? '', rangMs, callId: await newest() }
}

interface Case {
  readonly faults: Faults
  /** The longest the CRM may hold the phone up. */
  readonly heldUpMs: number
  readonly shown?: string
  /** Whether the CRM was notified by itself. */
  readonly told?: true
  readonly warning?: RegExp
}

const aside = { '/lookup/': 800, '/screen-pop/': 0, '/answer': 0 } as const
const cases: Readonly<Record<string, Case>> = {
  'is there': { faults: {}, heldUpMs: 300, told: true },
  'cuts every connection': { faults: { line: 'dead' }, heldUpMs: 300 },
  'never answers': { faults: { line: 'silent' }, heldUpMs: 800 },
  'answers 500': { faults: { status: 500 }, heldUpMs: 300 },
  'looks up slowly': { faults: { at: '/lookup/', slowMs: 900 }, heldUpMs: aside['/lookup/'], told: true },
  'shows the card slowly': { faults: { at: '/screen-pop/', slowMs: 3500 }, heldUpMs: aside['/screen-pop/'] + 300, told: true },
  'takes an answered call slowly': { faults: { at: '/answer', slowMs: 5500 }, heldUpMs: aside['/answer'] + 300, told: true },
  'takes the log slowly': { faults: { at: '/calls/log', slowMs: 15_500 }, heldUpMs: 300 },
  'answers with a page of its portal': { faults: { lie: 'no-json' }, heldUpMs: 300 },
  'answers in another shape': { faults: { lie: 'wrong-shape', at: '/lookup/' }, heldUpMs: 300, told: true },
  'has forgotten the call it was told of': { faults: { lie: 'forgets' }, heldUpMs: 300, told: true },
  'knows a later revision of every call': { faults: { at: '/calls/log', status: 409 }, heldUpMs: 300 },
  'lets nobody in (401)': { faults: { status: 401 }, heldUpMs: 300, warning: /refuses the box: answered 401/ },
  'has a clock that is 10 minutes off': {
    faults: { clockOffSeconds: 600 },
    heldUpMs: 300,
    warning: /refuses the box: answered 403, and its clock is 60\d s from ours/,
  },
}
/** The start of the caller's program, and what a busy machine takes on top. */
const marginMs = 1500

t.test('every phone rings in time with the name that is known, every caller talks, and no call is lost', async (t) => {
  await eventually('the directory is read', async () => (await status()).customers.total === 1)
  const calls: string[] = []
  for (const [what, { faults, heldUpMs, shown = 'Ana Ruiz', told = false, warning }] of Object.entries(cases))
    await t.test(`the CRM ${what}`, async (t) => {
      const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
      hook.set(faults)
      const seen = await talk(phone)
      calls.push(seen.callId)
      t.equal(seen.shown, shown)
      t.ok(seen.rangMs < heldUpMs + marginMs, `rang after ${seen.rangMs} ms`)
      // At once, unless what failed in the minute before has opened the circuit, for 36 s at most.
      const logged = () => logs().some(({ body }) => (body as { callId: string }).callId === seen.callId)
      if (told) await eventually('the CRM has it', logged, 60_000)
      else
        t.match(JSON.parse((await daemon.pbx('crm', 'queue', '--json')).out).at(-1), { callId: seen.callId, state: 'pending' }, 'it waits')
      if (warning !== undefined)
        await eventually(`${what}: a warning`, async () => warning.test((await daemon.pbx('status')).out.replaceAll(/\s+/g, ' ')), 15_000)
      hook.set({})
      // The circuit is closed again.
      for (const switched of ['disable', 'enable']) await daemon.api('POST', `/api/pbx/integration/${switched}`)
    })
  await eventually('nothing waits', async () => (await status()).queue.pendingLogs === 0, 60_000)
  t.same(Object.keys(crm.data.logs).toSorted(), calls.toSorted(), 'the CRM has each call once')
  t.same(
    Object.values(crm.data.calls).map(({ state, customerId }) => [state, customerId]),
    calls.map(() => ['ended', 'c_1']),
  )
})
