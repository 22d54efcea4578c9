/**
 * kill -9 of the engine while calls are in every state: their rows end, what a mailbox heard is kept, phones are there without registering
 * again.
 */
import t from 'tap'
import { SipPeer, Dialog } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import { concat, silence, tone } from '../harness/audio.ts'
import { LightPhone, extensionOf, extensionsOf } from '../harness/light-phone.ts'
import { RtpPhone } from '../harness/phone.ts'
import { Scene, eventually } from '../harness/scene.ts'

const destinations = {
  '+15550001000': extensionOf(0),
  '+15550001001': 'queue:nurses',
  '+15550001002': 'menu:main',
  '+15550001003': 'voicemail:200',
}
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = extensionsOf(8)
    base['voice'] = {}
    base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    base['queues'] = [{ id: 'nurses', members: [extensionOf(6)], ringSeconds: 60 }]
    base['menus'] = [
      {
        id: 'main',
        say: 'Press one, or wait for a long time.',
        keys: { '1': extensionOf(0) },
        timeoutSeconds: 30,
        onNothing: extensionOf(0),
      },
    ]
    base['mailboxes'] = [{ ext: '200', greeting: 'Speak.' }]
    ;(base['trunks'] as { numbers: string[] }[])[0]!.numbers = Object.keys(destinations)
    base['inbound'] = Object.entries(destinations).map(([to, destination]) => ({ trunk: 'main', to, destination }))
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())

const live = async (): Promise<any[]> => (await daemon.api('GET', '/api/voice/calls')).body.calls.filter((call: any) => !call.endedAt)
const past = async (): Promise<any[]> => (await daemon.api('GET', '/api/pbx/calls/history?limit=100')).body.items
const voice = async (): Promise<RtpPhone> => scene.keep(await RtpPhone.open())

/** A caller from outside; `answered`: waits until something answers. */
async function calls(to: string, answered: boolean): Promise<{ rtp: RtpPhone; dialog: Dialog }> {
  const dialog = new Dialog(scene.keep(await SipPeer.udp(daemon.sipPort)))
  const rtp = await voice()
  dialog.invite(to, { body: sdp(rtp.port) })
  if (answered) await dialog.answered()
  return { rtp, dialog }
}

/** Connects two phones. */
async function talk(from: LightPhone, to: LightPhone): Promise<{ calling: Dialog; called: Dialog; rtp: RtpPhone }> {
  const [rtp, other] = [await voice(), await voice()]
  const [calling, called] = await Promise.all([from.calls(to.user, rtp.port), to.takes(other.port)])
  await called.request('ACK')
  await rtp.until('packets', () => rtp.packets.length > 5)
  return { calling, called, rtp }
}

t.test('ringing, talking, held, parked, waiting in a queue, in a menu, speaking to a mailbox', async (t) => {
  const phones = await LightPhone.registered(scene, 8)
  const [ringing, one, two, holder, held, parker, member, parked] = phones
  const ringingRow = await calls('+15550001000', false)
  await ringing!.rings()
  await ringingRow.dialog.provisional(180)
  await talk(one!, two!)
  const hold = await talk(holder!, held!)
  t.equal((await hold.calling.ask('INVITE', { body: sdp(hold.rtp.port, { direction: 'sendonly', version: 2 }) })).status, 200)
  hold.calling.send('ACK')
  const park = await talk(parker!, parked!)
  t.equal((await park.calling.ask('REFER', { headers: ['Refer-To: <sip:700@pbx>'] })).status, 202)
  await calls('+15550001001', true)
  await member!.rings()
  const choosing = await calls('+15550001002', true)
  await choosing.rtp.sound()
  const speaking = await calls('+15550001003', true)
  speaking.rtp.say(concat(silence(3000), tone(330, 60_000, 9000)))
  await eventually('all are under way', async () => (await live()).filter(({ endpoint }) => endpoint === undefined).length >= 7)
  await eventually('the mailbox records', () => speaking.rtp.packets.length > 50 * 7, 20_000)

  const [pid] = daemon.enginePids()
  process.kill(pid!, 'SIGKILL')
  await eventually('another engine', () => daemon.enginePids().some((other) => other !== pid), 20_000)
  await daemon.ready()
  // Except for the call that announces the slot to the extension that parked.
  let ended: any[] = []
  await eventually('all are over', async () => (ended = (await past()).filter(({ from }) => from !== '701')).length >= 7, 30_000)
  t.same(await live(), [])
  const ofOutside = new Map(Object.keys(destinations).map((to) => [to, to === '+15550001003' ? 'voicemail' : 'failed']))
  for (const { did = '', hangupBy, outcome } of ended)
    t.match({ hangupBy, outcome }, { hangupBy: 'system', outcome: ofOutside.get(did) ?? 'answered' }, did)
  let items: any[] = []
  await eventually(
    'what the mailbox heard',
    async () => (items = (await daemon.api('GET', '/api/inbox/voicemails?since=0')).body.items ?? []).length === 1,
    20_000,
  )
  t.ok(items[0].durationSeconds >= 2, JSON.stringify(items[0]))

  const again = await talk(one!, two!)
  t.equal((await again.calling.ask('BYE')).status, 200, 'phones reach each other without registering anew')
  two!.peer.answer(await again.called.request('BYE'), 200)
})
