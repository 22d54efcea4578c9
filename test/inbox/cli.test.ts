/** `pbx inbox` and `pbx mail` against the control socket of a box with an inbox and a mail account. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { systemClock } from '../../daemon/base/clock.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { emailRoutes } from '../../daemon/mail/routes.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { newId } from '../../daemon/base/ids.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { eraseMail } from '../../daemon/mail/part.ts'
import { createMail } from '../../daemon/mail/mail.ts'
import { openStore } from '../../daemon/store/store.ts'
import { pbxOn } from '../harness/pbx.ts'
import { MailServer } from '../mail/server.ts'

const log = createLog({ level: 'silent' })

t.test('pbx inbox and pbx mail', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-cli-'))
  const server = await MailServer.open(t)
  const account = { server: `127.0.0.1:${server.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'office@example.com' }
  const { config } = parseConfig(JSON.stringify({ storage: { dir }, mail: account }), join(dir, 'pbxd.yaml'))
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: ['101'] })
  const mail = createMail({ config, store, clock: systemClock, log })
  mail.start()
  const socket = join(dir, 'pbxd.sock')
  const routes = [
    ...inboxRoutes(
      inbox,
      eraseItem(store, inbox, () => undefined),
    ),
    ...emailRoutes({ ...mail, site: 'the clinic' }, eraseMail(store, mail.queue)),
  ]
  const control = await startSocket({ socket, routes, log })
  t.teardown(async () => {
    await control.close()
    await mail.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const pbx = pbxOn(socket)

  t.match(await pbx('inbox'), { code: 0, out: /FEED +ITEMS +CURSOR\nfaxes +0 +0\nsms +0 +0\nvoicemails +0 +0\n/ })
  t.match(await pbx('inbox', 'sms'), { code: 0, out: 'none\nnextSince 0\n' })
  const common = { from: '+15551230001', to: '+15550002000', receivedAt: Date.now() }
  await store.transaction(() =>
    inbox.sms.insert({
      ...common,
      id: newId(),
      sha256: '',
      bytes: 0,
      body: 'At ten?\nPat',
      segments: 1,
      encoding: 'GSM-7',
      trunkId: 'gsm1',
    }),
  )
  const missed = { from: '+15551230009', to: '+15550002000', callerName: '', trunkId: 'main', callId: 'CA9' }
  await store.transaction(() =>
    inbox.missed.add({ ...missed, id: newId(), at: Date.now(), durationSeconds: 12, text: 'The call dropped prematurely' }),
  )
  t.match(await pbx('inbox'), { code: 0, out: /1 fax call brought no page/ })
  t.match(await pbx('inbox', 'faxes'), { code: 0, out: /\+15551230009 +\+15550002000 +12s +The call dropped prematurely +CA9/ })
  const id = newId()
  const recording = join(dir, 'new.wav')
  mkdirSync(join(dir, 'inbox'), { recursive: true })
  writeFileSync(recording, 'RIFF and the rest')
  await inbox.publishVoicemail(
    { ...common, id, ext: '101', callerName: '', callId: 'CA00', durationSeconds: 21, transcript: 'Call me.', transcriptStatus: 'done' },
    recording,
  )
  const listed = await pbx('inbox', 'sms')
  t.match(listed, { code: 0, out: /\+15551230001 +\+15550002000 +1 part by gsm1 / })
  t.notMatch(listed.out, /At ten/, 'words are shown only when they are asked for')
  t.match(await pbx('inbox', 'list', 'sms', '--text'), { out: /At ten\? Pat/ })
  const page = JSON.parse((await pbx('inbox', 'sms', '--since', '0', '--json')).out) as { items: { body: string }[]; nextSince: number }
  t.match(page, { items: [{ body: 'At ten?\nPat' }] })
  t.match(await pbx('inbox', 'sms', '--since', String(page.nextSince)), { out: `none\nnextSince ${page.nextSince}\n` })
  t.match(await pbx('inbox', 'sms', '--since', String(page.nextSince + 48 * 3_600_000)), { code: 1, error: /future/ })
  t.match(await pbx('inbox', 'voicemails'), { out: /mailbox 101, 21s, transcript done/ })
  const copy = join(dir, 'copy.wav')
  t.match(await pbx('inbox', 'save', id, copy), { code: 0, out: `${copy}\n` })
  t.equal(readFileSync(copy, 'utf8'), 'RIFF and the rest')
  t.match(await pbx('inbox', 'save', id, copy), { code: 1, error: /already exists/ })
  t.match(await pbx('inbox', 'save', newId()), { code: 1, error: /There is no fax and no voicemail/ })
  t.match(await pbx('inbox', 'letters'), { code: 2 })

  t.match(await pbx('mail', 'list'), { code: 0, out: 'none\n' })
  t.match(await pbx('mail', 'test'), { code: 0, out: /can be reached and accepts the login/ })
  t.match(await pbx('mail', 'test', 'pat@example.org'), { code: 0, out: /accepted the mail to pat@example.org: 250/ })
  server.refuse = () => '450 4.2.0 later'
  t.match(await pbx('mail', 'test', 'pat@example.org'), { code: 1, out: /deferred the mail: 450 4\.2\.0 later.*Next try at/ })
  t.match(await pbx('mail', 'list'), { out: /retrying +1 .*later[^]*delivered +1 / })
  server.refuse = () => undefined
  const arrived = server.next()
  t.match(await pbx('mail', 'retry', 'all'), { code: 0, out: /will be (sent|called) now/ })
  await arrived
  t.match(await pbx('mail', 'retry', 'ffffffff'), { code: 1, error: /There is no mail/ })
  t.match(await pbx('mail', 'test', 'nobody'), { code: 1, error: /mail address/ })
})
