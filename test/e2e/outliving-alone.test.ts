/** The daemon dies or is restarted while callers are connected to the box alone: they are not cut off, and go to the fallback. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { tone } from '../harness/audio.ts'
import type { Baresip } from '../harness/baresip.ts'
import { hears } from '../harness/ears.ts'
import { eventually } from '../harness/scene.ts'
import type { Phone } from '../harness/sipp.ts'
import { desk, musicHz, openTalkers, tonesIn } from '../harness/talkers.ts'

const [menu, application, mailbox, queue] = ['+15550001001', '+15550001002', '+15550001003', '+15550001004']
const scene = await openTalkers((base) => {
  base['site'] = { ...(base['site'] as object), fallbackDestination: '103' }
  base['menus'] = [{ id: 'day', say: 'Welcome. For a nurse, press one. For a doctor, press two.', keys: { 1: '101', 2: '102' } }]
  base['queues'] = [{ id: 'nurses', members: ['101'] }]
  base['inbound'] = Object.entries({
    [menu!]: 'menu:day',
    [application!]: 'endpoint:reception',
    [mailbox!]: 'voicemail:101',
    [queue!]: 'queue:nurses',
  }).map(([to, destination]) => ({ trunk: 'main', to, destination }))
  const { endpoints } = base['voice'] as { endpoints: { fallbackDestination: string }[] }
  endpoints[0]!.fallbackDestination = '102'
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

interface Row {
  readonly outcome: string
  readonly steps: readonly { readonly to: string }[]
}
const past = async (): Promise<Row[]> => (await daemon.api('GET', '/api/pbx/calls/history')).body.items

async function killed(): Promise<void> {
  await daemon.kill()
  await daemon.start()
}

/** The caller has been taken to that phone, whose tone they hear; afterwards there is one row of the history. */
async function wasTaken(t: Test, caller: Phone, phone: Baresip, hz: number): Promise<void> {
  const before = (await past()).length
  await phone.until('CALL_ESTABLISHED', 15_000)
  await hears(caller.rtp, hz)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await phone.until('CALL_CLOSED')
  t.equal(tonesIn(caller.rtp.heard()).at(-1), hz)
  await eventually('the history has the call', async () => (await past()).length > before)
  const rows = await past()
  t.equal(rows.length, before + 1)
  t.match(rows.at(-1), { outcome: 'answered' })
}

t.test("in a menu: the phone of the site's fallback rings", async (t) => {
  const phone = await desk(scene, '103')
  const caller = await scene.call({ to: menu })
  await caller.rtp.sound()
  await killed()
  await wasTaken(t, caller, phone, 1000)
})

t.test('with an application: what the endpoint names', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const phone = await desk(scene, '102')
  const caller = await scene.call({ to: application })
  await app.until('call.inbound.pre_route')
  await daemon.traced(/gather/)
  await killed()
  await wasTaken(t, caller, phone, 700)
  const { event } = await app.until('call.ended')
  t.match(event, { state: 'completed', endReason: 'caller-hangup' })
})

t.test('in the middle of a message: what was said is in the inbox, and the caller goes on', async (t) => {
  const folder = join(daemon.dir, 'var', 'recordings')
  const phone = await desk(scene, '103')
  const caller = await scene.call({ to: mailbox })
  await eventually('the recorder is there', () => readdirSync(folder).length > 0, 20_000)
  caller.rtp.say(tone(300, 20_000, 9000))
  await eventually('it writes', () => readdirSync(folder).some((name) => statSync(join(folder, name)).size > 40_000))
  await killed()
  await wasTaken(t, caller, phone, 1000)
  let items: { callId: string }[] = []
  await eventually('the message is in the inbox', async () => {
    items = (await daemon.api('GET', '/api/inbox/voicemails?since=0')).body.items ?? []
    return items.length > 0
  })
  t.match(items, [{ ext: '101' }])
  const call = (await daemon.api('GET', `/api/voice/calls/${items[0]?.callId}`)).body
  t.same(call.recordings, [], "it is the mailbox's alone")
})

t.test('in a queue, at a restart: music until the daemon is back', async (t) => {
  const [, phone] = [await desk(scene, '101', false), await desk(scene, '103')]
  const caller = await scene.call({ to: queue })
  await caller.rtp.until('music', () => tonesIn(caller.rtp.heard()).includes(musicHz), 15_000)
  await daemon.stop(30_000)
  t.same(daemon.exit, { code: 0, signal: null })
  await daemon.start()
  await wasTaken(t, caller, phone, 1000)
  t.ok(tonesIn(caller.rtp.heard()).includes(musicHz))
})
