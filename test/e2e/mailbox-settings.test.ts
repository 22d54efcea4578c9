/** What people set about their mailbox at a real phone: greetings apart for busy and no answer, the PIN, a copy for another mailbox; and kill -9. */
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findClip, readWav, speech, toEightKhz, tone, toneLevel, writeWav } from '../harness/audio.ts'
import { Baresip } from '../harness/baresip.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { listens } from '../harness/ears.ts'

const password = 'a-long-password'
const scene = await Scene.open(
  {
    settings: (base) => {
      base['extensions'] = ['101', '102'].map((number) => ({
        number,
        password,
        onBusy: `voicemail:${number}`,
        onNoAnswer: `voicemail:${number}`,
      }))
      base['voice'] = { ...(base['voice'] as object), trace: 'full' }
      base['mailboxes'] = [
        { ext: '101', transcribe: false, greeting: 'Speak.', pin: '1234' },
        { ext: '102', transcribe: false, greeting: { file: 'door.wav' } },
        { ext: '200', transcribe: false, greeting: 'Speak.' },
      ]
      base['inbound'] = [
        { trunk: 'main', to: '+15550001000', destination: 'voicemail:101' },
        { trunk: 'main', to: '+15550001001', destination: '101' },
        { trunk: 'main', to: '+15550001002', destination: 'voicemail:102' },
      ]
    },
  },
  false,
)
const { daemon } = scene
writeFileSync(join(daemon.dir, 'door.wav'), writeWav(tone(700, 2000, 9000)))
await daemon.start()
t.setTimeout(300_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())
const registrar = `127.0.0.1:${daemon.sipPort}`
const folder = join(daemon.dir, 'var', 'greetings')

async function phone(user: string, hz = 410): Promise<Baresip> {
  const started = scene.keep(await Baresip.start({ registrar, user, password, voice: tone(hz, 120_000, 9000) }))
  await started.until('REGISTER_OK')
  return started
}
async function press(desk: Baresip, keys: string): Promise<void> {
  for (const key of keys) {
    await desk.command('sndcode', key)
    await listens(desk, 200)
  }
}
/** Opens the own mailbox and presses these keys. */
async function open(desk: Baresip, keys: string): Promise<void> {
  const before = desk.events.filter(({ type }) => type === 'CALL_ESTABLISHED').length
  await desk.command('dial', `sip:*97@${registrar}`)
  await desk.until('CALL_ESTABLISHED', 8000, before + 1)
  await press(desk, keys)
}
async function leave(desk: Baresip): Promise<void> {
  const before = desk.events.filter(({ type }) => type === 'CALL_CLOSED').length
  await desk.command('hangup')
  await desk.until('CALL_CLOSED', 8000, before + 1)
}
/** Waits until the phone has been played this, in the current call. */
const told = (phrase: string): Promise<void> => daemon.traced(new RegExp(phrase.replaceAll('.', '\\.')))
const drafts = () => readdirSync(folder).filter((name) => name.includes('.new.wav'))
const grown = () => drafts().some((name) => statSync(join(folder, name)).size > 32_000)
const louder = (heard: Int16Array, hz: number) => {
  const window = 1600
  return Math.max(
    -100,
    ...Array.from({ length: Math.floor(heard.length / window) }, (_, n) => toneLevel(heard.slice(n * window, (n + 1) * window), hz)),
  )
}
/** What a caller from outside hears first. */
async function greeted(to: string, hz: number): Promise<void> {
  const caller = await scene.call({ to, from: '+15551230001' })
  await caller.rtp.until(`${hz} Hz`, () => louder(caller.rtp.heard(), hz) > -25, 30_000)
  await caller.hangup()
}
async function said(to: string, text: string): Promise<void> {
  const caller = await scene.call({ to, from: '+15551230001' })
  await caller.rtp.until(text, () => findClip(caller.rtp.heard(), speech(text)).heardMs > 200, 20_000)
  await caller.hangup()
}

t.test('a WAV file is the greeting', () => greeted('+15550001002', 700))

t.test('greetings recorded at the phone, that for busy apart; deleted ones give way to the text', async (t) => {
  const desk = await phone('101')
  await open(desk, '1234#*12')
  await eventually('it is recorded', grown)
  await press(desk, '#1')
  await eventually('it is kept', () => existsSync(join(folder, '101-usual.wav')))
  const { samples, sampleRate } = readWav(readFileSync(join(folder, '101-usual.wav')))
  t.ok(samples.length / sampleRate >= 1, 'whole')
  await leave(desk)
  await greeted('+15550001000', 410)
  const other = await phone('101', 520)
  await open(other, '1234#*22')
  await eventually('it is recorded', grown)
  await press(other, '#1')
  await eventually('it is kept', () => existsSync(join(folder, '101-busy.wav')))
  await leave(other)
  await daemon.pbx('extensions', '101', 'dnd', 'on')
  await greeted('+15550001001', 520)
  await daemon.pbx('extensions', '101', 'dnd', 'off')
  await greeted('+15550001000', 410)
  await open(desk, '1234#*13')
  await eventually('it is gone', () => !existsSync(join(folder, '101-usual.wav')))
  await leave(desk)
  await said('+15550001000', 'Speak.')
  t.same(drafts(), [])
  t.match((await daemon.pbx('audit', 'list', '--json')).out, /mailbox\.greeting/)
})

t.test(
  'kill -9, and a hang-up, in the middle of a recording: the greeting that was there stays; nothing is left of the other',
  async (t) => {
    const desk = await phone('102')
    await open(desk, '*12')
    await eventually('it is recorded', grown)
    await press(desk, '#1')
    await eventually('it is kept', () => existsSync(join(folder, '102-usual.wav')))
    await leave(desk)
    const before = statSync(join(folder, '102-usual.wav')).mtimeMs
    const other = await phone('102', 600)
    await open(other, '*12')
    await eventually('another one is recorded', grown)
    await leave(other)
    await eventually('nothing is left of it', () => drafts().length === 0)
    await open(other, '*12')
    await eventually('and another one', grown)
    await daemon.kill()
    await daemon.start()
    await eventually('nothing is left of it', () => drafts().length === 0)
    t.equal(statSync(join(folder, '102-usual.wav')).mtimeMs, before)
    await greeted('+15550001002', 410)
  },
)

t.test('a disk that takes nothing is said, and what was there stays', async (t) => {
  const desk = await phone('102')
  renameSync(folder, `${folder}-away`)
  writeFileSync(folder, 'no folder')
  try {
    await open(desk, '*12')
    await told('That could not be saved.')
    await press(desk, '*')
    await leave(desk)
  } finally {
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
  }
  t.ok(existsSync(join(folder, '102-usual.wav')))
})

t.test('a PIN set at the phone opens the mailbox and the old one does not, also after kill -9', async (t) => {
  const desk = await phone('101')
  await open(desk, '1234#*3')
  await press(desk, '24680#24680#')
  await eventually('it is set', async () => /mailbox\.pin/.test((await daemon.pbx('audit', 'list', '--json')).out))
  await leave(desk)
  await daemon.kill()
  await daemon.start()
  await desk.command('uareg')
  await open(desk, '1234#')
  await told('That is not right.')
  await press(desk, '24680#')
  await told('To change your greeting')
  await leave(desk)
  // Hashes and ids hold such digits by chance.
  t.notMatch((await daemon.pbx('audit', 'list', '--json')).out, /(?<![\da-f])24680(?![\da-f])/)
})

t.test('a message forwarded to another mailbox is a message of its own there, once in the feed, and lights the other lamp', async (t) => {
  const caller = await scene.call({ to: '+15550001002', from: '+15551230009' })
  await caller.rtp.sound()
  await caller.rtp.press('1')
  caller.rtp.say(tone(330, 4000, 9000))
  await caller.rtp.said()
  await caller.hangup()
  const counts = async () => JSON.parse((await daemon.pbx('mailbox', '--json')).out) as { ext: string; fresh: number; old: number }[]
  const of = async (ext: string) => (await counts()).find((box) => box.ext === ext)!
  await eventually('it is there', async () => (await of('102')).fresh === 1)
  const desk = await phone('102')
  await open(desk, '8999#')
  await told('There is no such mailbox.')
  await press(desk, '8200#')
  await eventually('the copy is there', async () => (await of('200')).fresh === 1)
  t.match(await of('102'), { fresh: 0, old: 1 }, 'whoever presses a key has heard enough')
  await leave(desk)
  const { items } = (await daemon.api('GET', '/api/inbox/voicemails')).body as { items: Record<string, string>[] }
  t.equal(items.length, 2)
  const [original, copy] = items
  t.match(copy, {
    ext: '200',
    forwardedFrom: '102',
    from: '+15551230009',
    callId: original!['callId'],
    receivedAt: original!['receivedAt'],
  })
  t.not(copy!['id'], original!['id'])
  t.equal(original!['forwardedFrom'], undefined)
  const audio = async (item: Record<string, string>) => {
    const answer = await fetch(daemon.http + item['mediaUrl'], { headers: { authorization: `Bearer ${daemon.token}` } })
    return Buffer.from(await answer.arrayBuffer())
  }
  const whole = await audio(original!)
  t.same(await audio(copy!), whole)
  t.equal((await daemon.pbx('mailbox', 'delete', original!['id']!)).code, 0)
  const { samples, sampleRate } = readWav(await audio(copy!))
  t.ok(findClip(toEightKhz(samples, sampleRate), tone(330, 1000)).heardMs >= 400, 'each is deleted by itself')
  t.same(readdirSync(join(daemon.dir, 'var', 'recordings')), [])
  t.match((await daemon.pbx('audit', 'list', '--json')).out, /mailbox\.forward/)
})
