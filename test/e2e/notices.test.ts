/**
 * A fax, a text and a call that nobody took, each notified once by a real mail server: with its document or without, in the language of
 * the site, while the server is dead, and over kill -9.
 */
import t from 'tap'
import { Daemon, freePort } from '../harness/daemon.ts'
import { eventually } from '../harness/scene.ts'
import { letter } from '../fax-pages/documents.ts'
import { MailServer } from '../mail/server.ts'

t.setTimeout(420_000)

const mail = await MailServer.open(t, { authOptional: true })
const [own, other] = ['+15551230001', '+15551230002']
const daemon = await Daemon.create({
  app: `http://127.0.0.1:${await freePort()}`,
  trunkPort: await freePort(),
  settings: (base) => {
    base['site'] = { name: 'Praxis', country: 'US', timeZone: 'Europe/Berlin', language: 'de-DE' }
    base['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', from: 'clinic@example.com' }
    base['lines'] = [
      { id: 'line1', kind: 'sim', roles: ['fax'], number: own },
      { id: 'line2', kind: 'sim', roles: ['fax'], number: other },
    ]
    base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    base['fax'] = { line: 'line1', notify: { mail: 'house@example.com', attach: true } }
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003', notify: { mail: 'texts@example.com' } }] }
    base['extensions'] = [{ number: '101', name: 'Empfang', password: 'a-long-password', notifyMissed: { mail: 'missed@example.com' } }]
    base['inbound'] = [{ to: '+15550001000', destination: '101' }]
  },
})
t.teardown(() => daemon.close())
await daemon.start()

const of = (to: string) => mail.received.filter((one) => one.to.includes(to))
const waiting = async () => ((await daemon.api('GET', '/api/inbox/faxes')).body.items as unknown[]).length

async function fax(): Promise<void> {
  const answer = await daemon.api('POST', '/api/fax', { to: other, pdfBase64: Buffer.from(await letter()).toString('base64') })
  t.equal(answer.status, 202)
}

t.test('a fax: its mail has the PDF, in German and by the clock of Berlin', async (t) => {
  await fax()
  await eventually('the mail', () => of('house@example.com').length === 1, 120_000)
  const { text } = of('house@example.com')[0]!
  t.match(text, /Subject: =\?UTF-8\?/)
  t.match(text, /Content-Type: application\/pdf/)
  t.match(text, /filename=fax-[\dT-]+Z\.pdf/)
})

t.test('a text: no word of it; a call that nobody took', async (t) => {
  await daemon.api('POST', '/api/sms', { to: '+15551230000', message: 'Echo, please.' })
  await eventually('the mail of the text', () => of('texts@example.com').length === 1, 60_000)
  t.notMatch(of('texts@example.com')[0]!.text, 'Echo')
  await daemon.pbx('simulate', 'inbound', '--from', 'anonymous', '--to', '+15550001000', '--speed', '20')
  await eventually('the mail of the call', () => of('missed@example.com').length === 1, 60_000)
  const { text } = of('missed@example.com')[0]!
  t.match(text, /^Von: unterdr=C3=BCckte Nummer/m)
  t.notMatch(text, /anonymous/)
})

t.test('the server is dead and pbxd is killed: each comes once', async (t) => {
  await mail.stop()
  await fax()
  await eventually('it is in the inbox', async () => (await waiting()) === 2, 120_000)
  await daemon.kill()
  await mail.start()
  await daemon.start()
  await daemon.pbx('mail', 'retry', 'all')
  await eventually('its mail', () => of('house@example.com').length === 2, 90_000)
  await daemon.stop()
  await daemon.start()
  await daemon.pbx('mail', 'retry', 'all')
  t.equal(of('house@example.com').length, 2)
  t.equal(mail.received.length, 4)
})

t.test('a mail that the server refuses for good is a warning that stays for a day', async (t) => {
  mail.refuse = (to) => (to === 'texts@example.com' ? '550 5.1.1 no such user' : undefined)
  await daemon.api('POST', '/api/sms', { to: '+15551230000', message: 'Echo, please.' })
  const codes = async () => (JSON.parse((await daemon.pbx('status', '--json')).out) as { warnings: { code: string }[] }).warnings
  await eventually('it is said', async () => (await codes()).some(({ code }) => code === 'mail-lost'), 60_000)
  await daemon.kill()
  await daemon.start()
  await eventually('it is said after a restart', async () => (await codes()).some(({ code }) => code === 'mail-lost'), 60_000)
})
