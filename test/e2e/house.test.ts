/** Phones that ring together: a caller of the trunk and several desk phones (baresip), sound included. */
import t from 'tap'
import { findClip, speech, tone, toneLevel } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { hears } from '../harness/ears.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { tonesIn, voices } from '../harness/talkers.ts'

const password = 'a-long-password'
const numbers = ['101', '102', '103'] as const
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = numbers.map((number) => ({ number, name: `Desk ${number}`, password }))
    base['ringGroups'] = [
      { id: 'front', members: [...numbers], ringSeconds: 30 },
      { id: 'told', members: ['101'], ringSeconds: 30, whisper: 'Front desk' },
      { id: 'on-call', name: 'Nurse line', members: [{ external: '+15551230009' }], ringSeconds: 60 },
    ]
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'group:front' },
      { trunk: 'main', to: '+15550001001', destination: 'group:on-call' },
      { trunk: 'main', to: '+15550001002', destination: 'group:told' },
    ]
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

const registrar = `127.0.0.1:${daemon.sipPort}`
const desks = (): Promise<Baresip[]> =>
  Promise.all(
    numbers.map(async (user) => {
      const desk = scene.keep(await Baresip.start({ registrar, user, password, voice: tone(voices[user]!, 60_000) }))
      await desk.until('REGISTER_OK')
      return desk
    }),
  )

t.test('the program as it is shipped tells its metrics', async (t) => {
  const { status, body } = await daemon.api('GET', '/metrics')
  t.equal(status, 200)
  t.match(body, /^process_resident_memory_bytes \d+$/m)
})

t.test('three phones ring; the one that answers talks with the caller, the others stop', async (t) => {
  const [first, second, third] = await desks()
  const caller = await scene.call()
  await Promise.all([first, second, third].map((desk) => desk!.until('CALL_INCOMING')))
  await second!.command('accept')
  await second!.until('CALL_ESTABLISHED')
  await Promise.all([first, third].map((desk) => desk!.until('CALL_CLOSED')))
  await caller.rtp.sound()
  t.match((await daemon.pbx('calls')).out, /\+15550001000 +102 +in-progress/, 'pbx calls shows who talks to whom')
  await hears(caller.rtp, voices[102]!)
  await caller.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await second!.until('CALL_CLOSED')
  t.same(tonesIn(caller.rtp.heard()), [voices[102]], 'the caller hears the phone')
  t.match((await daemon.pbx('calls', '--all')).out, /completed/)
})

t.test('two phones answer in the same moment: one talks, the other is ended, and nobody hears a third', async (t) => {
  const [first, second, third] = await desks()
  const caller = await scene.call()
  await Promise.all([first, second, third].map((desk) => desk!.until('CALL_INCOMING')))
  await Promise.all([first, third].map((desk) => desk!.command('accept')))
  const closed = () => [first, second, third].filter((desk) => desk!.events.some(({ type }) => type === 'CALL_CLOSED')).length
  await eventually('two of three are ended', () => closed() === 2)
  caller.rtp.say(tone(300, 20_000))
  await caller.rtp.sound()
  const talks = [first, second, third].find((desk) => !desk!.events.some(({ type }) => type === 'CALL_CLOSED'))
  await hears(talks!, 300, 1000)
  t.equal(closed(), 2, 'and one talks on')
  const index = [first, second, third].findIndex((desk) => !desk!.events.some(({ type }) => type === 'CALL_CLOSED'))
  await caller.hangup()
  await eventually('all are ended', () => closed() === 3)
  t.same(tonesIn(caller.rtp.heard()), [voices[numbers[index]!]], 'the caller hears the one that talks')
  t.same(tonesIn([first, second, third][index]!.heard()), [300], 'and is heard there')
  for (const [at, desk] of [first, second, third].entries())
    if (at !== index) t.same(tonesIn(desk!.heard()), [], `${numbers[at]} hears nobody`)
})

t.test('the caller leaves while all ring: all stop', async (t) => {
  const phones = await desks()
  const caller = await scene.call()
  await Promise.all(phones.map((desk) => desk.until('CALL_INCOMING')))
  await caller.sip.command('DROP')
  await Promise.all(phones.map((desk) => desk.until('CALL_CLOSED')))
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  await eventually('canceled', async () => / canceled/.test((await daemon.pbx('calls', '--all')).out))
})

t.test('the member hears for which group the call is, the caller does not', async (t) => {
  const [desk] = (await desks()) as [Baresip]
  const caller = await scene.call({ to: '+15550001002' })
  await desk.until('CALL_INCOMING')
  await desk.command('accept')
  await desk.until('CALL_ESTABLISHED')
  await eventually('they talk', () => toneLevel(caller.rtp.heard().slice(-4000), voices['101']!) > -25)
  t.notOk(findClip(caller.rtp.heard(), speech('Front desk')).whole)
  await caller.hangup()
  await desk.until('CALL_CLOSED')
  t.ok(findClip(desk.heard(), speech('Front desk')).whole)
})

t.test('nobody is there: the caller hears an apology', async (t) => {
  const caller = await scene.call()
  await caller.rtp.sound()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
})

t.test('a member outside hears what is wanted and presses 1: then both talk', async (t) => {
  const outside = await scene.expect('answer')
  const calling = scene.call({ to: '+15550001001' })
  await outside.rtp.until('audio', () => outside.rtp.heardText('A call for Nurse line. Press 1 to take it.').heardMs > 800, 15_000)
  await outside.rtp.press('1')
  const caller = await calling
  await caller.rtp.until('audio', () => caller.rtp.packets.length > 20)
  caller.rtp.say(tone(300, 3000))
  await outside.rtp.until('audio', () => toneLevel(outside.rtp.heard().slice(-4000), 300) > -30, 8000)
  await outside.hangup()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
})
