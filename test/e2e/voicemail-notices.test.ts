/** Notices of messages that real callers left: by mail with the recording, by text, while the mail server is dead, and over kill -9. */
import t from 'tap'
import { findClip, readWav, toEightKhz, tone } from '../harness/audio.ts'
import { Scene, eventually } from '../harness/scene.ts'
import { MailServer } from '../mail/server.ts'

const mail = await MailServer.open(t)
const scene = await Scene.open({
  settings: (base) => {
    base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
    base['mailboxes'] = [
      { ext: '101', greeting: 'Speak.', notify: { mail: 'front@example.com', attach: true, sms: '+15555550123' } },
      { ext: '200', greeting: 'Speak.', notify: { mail: 'nurse@example.com' } },
    ]
    base['inbound'] = [
      { trunk: 'main', to: '+15550001001', destination: 'voicemail:101' },
      { trunk: 'main', to: '+15550001002', destination: 'voicemail:200' },
    ]
  },
})
const { daemon } = scene
t.setTimeout(240_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

async function leave(to: string, from: string): Promise<void> {
  const caller = await scene.call({ to, from })
  await caller.rtp.sound()
  await caller.rtp.press('1')
  caller.rtp.say(tone(330, 4500, 9000))
  await caller.rtp.said()
  await caller.hangup()
}
const items = async () => (await daemon.api('GET', '/api/inbox/voicemails')).body.items as { from: string }[]
const texts = async () => JSON.parse((await daemon.pbx('sms', 'list', '--json')).out) as { to: string }[]

t.test('two messages at once: each box has its own mail, with the recording where that is wanted, and its text', async (t) => {
  await Promise.all([leave('+15550001001', '+15551230001'), leave('+15550001002', '+15551230002')])
  await eventually('both mails', () => mail.received.length >= 2)
  const of = (to: string) => mail.received.find((one) => one.to.includes(to))?.text ?? ''
  t.match(of('front@example.com'), /Subject: Voicemail for Front desk \(101\) from ANN LEE, \+15551230001/)
  t.match(of('nurse@example.com'), /Subject: Voicemail for 200 from ANN LEE, \+15551230002/)
  t.match(of('nurse@example.com'), /Length: 0:0[45]/)
  t.notMatch(of('nurse@example.com'), /audio\/|base64/)
  const encoded = /audio\/[\s\S]*?\r?\n\r?\n([A-Za-z0-9+/=\r\n]+)/.exec(of('front@example.com'))?.[1] ?? ''
  const { samples, sampleRate } = readWav(Buffer.from(encoded, 'base64'))
  t.ok(findClip(toEightKhz(samples, sampleRate), tone(330, 1000)).heardMs >= 400, 'what was said')
  await eventually('its text', async () => (await texts()).length === 1)
  t.match(await texts(), [{ to: '+15555550123' }])
  t.equal(mail.received.length, 2)
})

t.test('a dead mail server delays nothing; kill -9 meanwhile: the mail comes once the server is back, and once', async (t) => {
  const before = mail.received.length
  await mail.stop()
  await leave('+15550001001', '+15551230003')
  await eventually('it is in the inbox', async () => (await items()).some(({ from }) => from === '+15551230003'))
  await eventually('its text is sent', async () => (await texts()).length === 2)
  await daemon.kill()
  await mail.start()
  await daemon.start()
  await daemon.pbx('mail', 'retry', 'all')
  await eventually('the mail', () => mail.received.length > before, 90_000)
  const states = async () =>
    (JSON.parse((await daemon.pbx('mail', 'list', '--json')).out) as { status: string }[]).map(({ status }) => status)
  await eventually('it is through', async () => (await states()).every((state) => state === 'delivered'))
  await daemon.stop()
  await daemon.start()
  t.equal(mail.received.length, before + 1)
  t.equal((await texts()).length, 2)
})
