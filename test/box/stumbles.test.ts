/** What people meet on their first day: an engine without its library, models that are not there, a slash too many, a misspelt member. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Daemon } from '../harness/daemon.ts'
import { eventually } from '../harness/scene.ts'

t.setTimeout(200_000)
const dir = mkdtempSync(join(tmpdir(), 'pbxd-stumbles-'))
const engine = join(dir, 'engine')
writeFileSync(
  engine,
  '#!/bin/sh\necho "$0: error while loading shared libraries: libsrtp2.so.1: cannot open shared object file: No such file" >&2\nexit 127\n',
)
chmodSync(engine, 0o755)
const daemon = await Daemon.create({
  app: 'http://127.0.0.1:9',
  trunkPort: 9,
  env: { PBXD_ENGINE: engine },
  settings: (base) => {
    base['speech'] = { recogniser: 'whisper-tiny.en', voice: 'piper-amy-low' }
    base['mail'] = { server: '127.0.0.1:9', tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
    base['console'] = 'off'
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
  },
})
await daemon.start(false)
t.teardown(async () => {
  await daemon.close()
  rmSync(dir, { recursive: true, force: true })
})
await eventually('it answers', async () => (await fetch(`${daemon.http}/healthz`).catch(() => undefined))?.status === 200)

t.test('an engine without its library is not a port that is taken', async (t) => {
  await eventually('the reason', async () => (await daemon.pbx('status')).out.includes('the shared library libsrtp2.so.1 is not installed'))
  const doctor = await daemon.pbx('doctor')
  t.equal(doctor.code, 1)
  t.match(doctor.out, /fix: apt-get install libsrtp2-1/)
  t.notMatch(doctor.out, /port is in use/)
  t.ok(daemon.log.some(({ level, msg }) => level === 'error' && /libsrtp2/.test(msg ?? '')))
})

t.test('models that are configured and not there are warnings, with their own names', async (t) => {
  const status = (await daemon.pbx('status')).out
  t.match(status, /speech\.recogniser names whisper-tiny\.en, which is not installed\n {2}fix: pbx models install whisper-tiny\.en/)
  t.match(status, /speech\.voice names piper-amy-low, which is not installed/)
  const [speech = ''] = (await daemon.pbx('speech')).out.split('Recommended for this box')
  t.notMatch(speech, /flite; chosen in the configuration/)
  t.notMatch(speech, /parakeet/)
})

t.test('the front page says how the box is, and leads on; a slash too many finds its way', async (t) => {
  const front = await fetch(`${daemon.http}/`)
  const page = await front.text()
  t.equal(front.status, 200)
  t.match(page, /It is not ready:/)
  t.match(page, /<li>engine: the SIP engine is not running<\/li>/)
  t.notMatch(page, /libsrtp2/, 'strangers need not know')
  for (const [, link] of page.matchAll(/href="([^"]+)"/g))
    t.ok([200, 503].includes((await fetch(new URL(link!, `${daemon.http}/`))).status), `${link}`)
  const docs = await fetch(`${daemon.http}/docs/`)
  t.equal(docs.status, 200)
  t.equal(docs.url, `${daemon.http}/docs`)
})

t.test('a member that nobody knows is named where something is missing', async (t) => {
  const of = async (path: string, body: object) =>
    (await daemon.api('POST', path, body)).body.details as { path: string; message: string }[]
  t.match(await of('/api/sms', { to: '+15551230001', msg: 'a' }), [
    { path: '/message' },
    { path: '/msg', message: 'is not known here: was "message" meant?' },
  ])
  t.match(await of('/api/sms', { to: '+15551230001', xyz: 'a' }), [{ path: '/message' }, { path: '/xyz', message: 'is not known here' }])
  t.match(
    (await daemon.api('POST', '/api/sms', { to: '+15551230001', msg: 'a' })).body.error,
    /must not be empty\. "msg" is not known here\.$/,
  )
  t.match(await of('/api/sms', { to: '+15551230001', mesage: 'a' }), [{}, { path: '/mesage', message: /was "message" meant\?/ }])
  t.match(await of('/api/alarms/acknowledge', { eventID: 'x' }), [{ message: 'must not have the member "eventID": was "eventId" meant?' }])
})

t.test('a mail server that is away is told before the first mail', async (t) => {
  await eventually('the warning', async () => (await daemon.pbx('status')).out.includes('The mail server 127.0.0.1:9 cannot be reached'))
  t.match((await daemon.pbx('mail', 'list')).out, /none/)
})
