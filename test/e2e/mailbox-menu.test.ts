/** The mailbox at a real phone: PIN, messages heard with who and when, deleted, called back; lamp and feed meanwhile; PINs that are guessed. */
import t from 'tap'
import { findClip, speech, tone, toneLevel } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { listens } from '../harness/ears.ts'

const password = 'a-long-password'
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = ['101', '102', '103'].map((number) => ({ number, name: `Desk ${number}`, password }))
    base['mailboxes'] = [
      { ext: '101', transcribe: false, greeting: 'Speak.', pin: '1234' },
      { ext: '200', transcribe: false, greeting: 'Speak.' },
    ]
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'voicemail:101' },
      { trunk: 'main', to: '+15550001001', destination: 'voicemail:200' },
    ]
    base['outbound'] = [{ to: '*', trunks: ['main'] }]
  },
})
const { daemon, trunk } = scene
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())
const registrar = `127.0.0.1:${daemon.sipPort}`
const phone = async (user: string, address = '127.0.0.1') => {
  const started = scene.keep(await Baresip.start({ registrar, user, password, address }))
  await started.until('REGISTER_OK')
  return started
}
const counts = async () =>
  JSON.parse((await daemon.pbx('mailbox', '--json')).out) as { ext: string; fresh: number; old: number; lockedUntil: string | null }[]
const of = async (ext: string) => (await counts()).find((box) => box.ext === ext)!

/** A message of a tone. */
async function leave(to: string, hz: number): Promise<void> {
  const ext = to.endsWith('0') ? '101' : '200'
  const before = (await of(ext)).fresh
  const caller = await scene.call({ to, from: '+15551230001' })
  await caller.rtp.sound()
  await caller.rtp.press('1')
  caller.rtp.say(tone(hz, 4000, 9000))
  await caller.rtp.said()
  await caller.hangup()
  await eventually('the message is in its box', async () => (await of(ext)).fresh === before + 1)
}

/** Presses keys when the daemon has spoken so far. */
async function at(desk: Baresip, phrase: RegExp, keys: string): Promise<void> {
  await daemon.traced(phrase)
  for (const key of keys) {
    await desk.command('sndcode', key)
    await listens(desk, 200)
  }
}

t.test('PIN, two messages, one heard and one deleted; nobody else sees a difference in the feed', async (t) => {
  await leave('+15550001000', 330)
  await leave('+15550001000', 520)
  const desk = await phone('101')
  await desk.command('dial', `sip:*97@${registrar}`)
  await at(desk, /mailbox 101/, '1234#')
  await eventually('the first was heard', async () => (await of('101')).old === 1)
  await desk.command('sndcode', '6')
  await eventually('the second was heard', async () => (await of('101')).old === 2)
  await desk.command('sndcode', '7')
  await listens(desk, 1500)
  await desk.command('sndcode', '#')
  await desk.until('CALL_CLOSED', 20_000)
  await eventually('one is gone', async () => (await of('101')).old === 1)
  const heard = desk.heard()
  // A slow voice begins with a shorter piece.
  t.ok(findClip(heard, speech('New messages')).whole, 'how many there are is said')
  const levels = (hz: number) =>
    Math.max(...Array.from({ length: Math.floor(heard.length / 4000) }, (_, n) => toneLevel(heard.slice(n * 4000, n * 4000 + 4000), hz)))
  t.ok(levels(330) > -30 && levels(520) > -30, 'both messages')
  t.match(await daemon.api('GET', '/api/inbox/voicemails'), { body: { items: [{ ext: '101', from: '+15551230001' }] } })
  const audit = (await daemon.pbx('audit', 'list', '--json')).out
  t.match(audit, /phone:101/, 'who listened and who deleted')
  t.match(audit, /inbox\.delete/)
})

t.test('call back from the mailbox, a general box without a PIN, somebody else’s box', async (t) => {
  await leave('+15550001001', 330)
  const desk = await phone('102')
  const callee = await scene.expect('answer')
  await desk.command('dial', `sip:*98200@${registrar}`)
  await at(desk, /mailbox 200/, '')
  await eventually('heard', async () => (await of('200')).old === 1)
  await desk.command('sndcode', '2')
  await callee.rtp.sound()
  t.match(trunk.invites.at(-1), /^INVITE sip:\+?15551230001@/)
  await desk.command('hangup')
  await desk.until('CALL_CLOSED')
  await desk.command('dial', `sip:*98103@${registrar}`)
  await desk.until('CALL_CLOSED', 20_000, 2)
  t.ok(findClip(desk.heard(), speech('This mailbox cannot be opened from this phone. Goodbye.')).heardMs > 1000)
})

t.test('three wrong PINs end the call, ten lock the box and warn, a restart opens nothing, pbx mailbox unlock does', async (t) => {
  const desk = await phone('103')
  for (let call = 1; call <= 4; call += 1) {
    await desk.command('dial', `sip:*98101@${registrar}`)
    await desk.until('CALL_ESTABLISHED', 8000, call)
    for (let wrong = 0; wrong < (call === 4 ? 1 : 3); wrong += 1)
      for (const key of '9999#') {
        await desk.command('sndcode', key)
        await listens(desk, 200)
      }
    await desk.until('CALL_CLOSED', 30_000, call)
  }
  await eventually('locked', async () => (await of('101')).lockedUntil !== null)
  t.match((await daemon.pbx('status')).out, /mailbox 101 is locked/)
  const refusal = speech('This mailbox is locked for an hour. Goodbye.')
  // The right one opens nothing there either: a caller who guesses does not learn it.
  await desk.command('dial', `sip:*98101@${registrar}`)
  await desk.until('CALL_CLOSED', 20_000, 5)
  t.ok(findClip(desk.heard(), refusal).heardMs > 1000)
  // Another phone has tries of its own, and the owner has all of them: nobody is shut out by those who guess.
  for (const [user, number] of [
    ['102', '*98101'],
    ['101', '*97'],
  ] as const) {
    await leave('+15550001000', 330)
    const { old } = await of('101')
    const other = await phone(user)
    await other.command('dial', `sip:${number}@${registrar}`)
    await at(other, /mailbox 101/, '1234#')
    await eventually(`${user} hears the message`, async () => (await of('101')).old === old + 1)
    await other.command('hangup')
    await other.until('CALL_CLOSED')
  }
  await daemon.kill()
  await daemon.start()
  t.type((await of('101')).lockedUntil, 'string')
  t.equal((await daemon.pbx('mailbox', 'unlock', '101')).code, 0)
  t.equal((await of('101')).lockedUntil, null)
  t.equal((await daemon.pbx('mailbox', 'unlock', '101')).code, 1)
})
