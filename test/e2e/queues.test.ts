/** Queues over real SIP: callers of a trunk, members at desk phones (baresip), music, the key, the end of every wait. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findClip, speech, tone, toneLevel, writeWav } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { Scene, eventually } from '../harness/scene.ts'

const password = 'a-long-password'
const numbers = ['101', '102', '103'] as const
const musicHz = 440
const scene = await Scene.open({
  settings: (base) => {
    const dir = join(String((base['storage'] as { dir: string }).dir), '..')
    writeFileSync(join(dir, 'music.wav'), writeWav(tone(musicHz, 1000)))
    base['site'] = { ...(base['site'] as object), music: ['music.wav'] }
    base['extensions'] = numbers.map((number) => ({ number, name: `Desk ${number}`, password }))
    const queues: unknown[] = [
      {
        id: 'nurses',
        members: ['101', '102'],
        wrapUpSeconds: 0,
        ringSeconds: 60,
        announce: { everySeconds: 10 },
        whisper: 'Nurse line',
        leave: { key: '1', destination: '103' },
        onEmpty: '103',
      },
    ]
    queues.push({ id: 'back', members: ['101'], wrapUpSeconds: 0, ringSeconds: 60, leave: { key: '1', destination: 'callback' } })
    base['queues'] = queues
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'queue:nurses' },
      { trunk: 'main', to: '+15550001001', destination: 'queue:back' },
    ]
  },
})
const { daemon } = scene
t.setTimeout(240_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

const registrar = `127.0.0.1:${daemon.sipPort}`
async function desk(user: string): Promise<Baresip> {
  const phone = scene.keep(await Baresip.start({ registrar, user, password }))
  await phone.until('REGISTER_OK')
  return phone
}

const view = async () => JSON.parse((await daemon.pbx('queue', 'nurses', '--json')).out)
const waiting = (count: number) => eventually(`${count} wait`, async () => (await view()).callers.length === count)

t.test('the caller hears music, then the member; a second caller waits for the first to end', async (t) => {
  const nurse = await desk('101')
  const caller = await scene.call()
  await nurse.until('CALL_INCOMING')
  await caller.rtp.sound()
  await eventually('music is heard', () => toneLevel(caller.rtp.heard().slice(-4000), musicHz) > -25)
  const second = await scene.call()
  await waiting(2)
  await nurse.command('accept')
  await nurse.until('CALL_ESTABLISHED')
  await waiting(1)
  await eventually('they talk', () => toneLevel(caller.rtp.heard().slice(-4000), 300) > -25)
  t.notOk(findClip(caller.rtp.heard(), speech('Nurse line')).whole, 'what the member is told is not for the caller')
  t.match(await view(), {
    answered: 1,
    members: [
      { extension: '101', state: 'talking' },
      { extension: '102', state: 'no phone' },
    ],
  })
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.ok(findClip(nurse.heard(), speech('Nurse line')).whole, 'the member hears for what the call is')
  await nurse.until('CALL_INCOMING', 15_000, 2)
  await second.hangup()
  await nurse.until('CALL_CLOSED', 15_000, 2)
  await waiting(0)
  t.match(await view(), { offered: 2, answered: 1, abandoned: 1 })
  await eventually('the history says so', async () => /abandoned/.test((await daemon.pbx('history')).out))
})

t.test('nobody has a phone: the call goes on at once; the last one who leaves sends on those who wait', async (t) => {
  const front = await desk('103')
  const caller = await scene.call()
  await front.until('CALL_INCOMING')
  await caller.sip.command('DROP')
  await front.until('CALL_CLOSED')
  const nurse = await desk('102')
  await eventually('she is there', async () => (await view()).members[1].state === 'free')
  const next = await scene.call()
  await nurse.until('CALL_INCOMING')
  t.equal((await daemon.pbx('queue', 'nurses', 'logout', '102')).code, 0)
  await front.until('CALL_INCOMING', 15_000, 2)
  await nurse.until('CALL_CLOSED')
  await next.hangup()
  t.equal((await daemon.pbx('queue', 'nurses', 'login', '102')).code, 0)
})

t.test('two answer for two callers; with a pause nobody is rung, and the words of the pause are shown', async (t) => {
  const [one, other] = [await desk('101'), await desk('102')]
  await daemon.pbx('queue', 'nurses', 'pause', '102', '--reason', 'lunch')
  const callers = [await scene.call(), await scene.call()]
  await one.until('CALL_INCOMING')
  await waiting(2)
  t.equal(
    other.events.some(({ type }) => type === 'CALL_INCOMING'),
    false,
  )
  t.match((await daemon.pbx('queue', 'nurses')).out, /102 .* paused .* lunch/)
  await daemon.pbx('queue', 'nurses', 'resume', '102')
  await other.until('CALL_INCOMING')
  await Promise.all([one, other].map((phone) => phone.command('accept')))
  await eventually('both talk', async () => (await view()).callers.length === 0)
  for (const caller of callers) await caller.hangup()
  await Promise.all([one, other].map((phone) => phone.until('CALL_CLOSED')))
})

t.test('the key leads on while the announcement is spoken', async () => {
  const [nurse, front] = [await desk('101'), await desk('103')]
  const caller = await scene.call()
  await nurse.until('CALL_INCOMING')
  await caller.rtp.sound()
  const music = () => toneLevel(caller.rtp.heard().slice(-1600), musicHz)
  await eventually('music is heard', () => music() > -25)
  await eventually('the announcement is heard', () => music() < -35)
  await caller.rtp.press('1')
  await front.until('CALL_INCOMING')
  await nurse.until('CALL_CLOSED')
  await caller.hangup()
  await front.until('CALL_CLOSED')
})

t.test('called back: the caller hangs up, is rung when the member is free, and then the member', async (t) => {
  const nurse = await desk('101')
  await daemon.pbx('queue', 'back', 'pause', '101')
  const caller = await scene.call({ to: '+15550001001' })
  await caller.rtp.sound()
  await caller.rtp.press('1')
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  const shown = async () => (await daemon.pbx('queue', 'back')).out
  await eventually('it is shown', async () => / to be called back /.test(await shown()))
  const back = await scene.expect('answer')
  await daemon.pbx('queue', 'back', 'resume', '101')
  await back.rtp.sound(0, 40_000)
  await back.rtp.press('1')
  await nurse.until('CALL_INCOMING', 40_000)
  await nurse.command('accept')
  await nurse.until('CALL_ESTABLISHED')
  await eventually('they talk', () => toneLevel(back.rtp.heard().slice(-4000), 300) > -25)
  await nurse.command('hangup')
  t.equal(await back.sip.exit, 0, back.sip.failure())
  t.match(await shown(), /no caller waits/)
})
