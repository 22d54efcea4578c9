/** The application of docs/getting-started.md, as its own process: it answers what pbxd sends, and nobody else. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { signedHeaders } from '../../daemon/signing.ts'
import { accepts, freePort } from '../../scripts/demo/processes.ts'

const secret = 'whsec_test_0123456789abcdef'
const port = await freePort()
const application = spawn(process.execPath, ['scripts/examples/app.ts'], { env: { PORT: String(port), SECRET: secret }, stdio: 'inherit' })
t.teardown(async () => {
  application.kill()
  await once(application, 'exit')
})
while (!(await accepts(port))) await pause(20)

const here = `http://127.0.0.1:${port}`

async function post(page: string, event: object, key = secret): Promise<{ status: number; body: unknown }> {
  const body = JSON.stringify(event)
  const headers = { 'Content-Type': 'application/json', ...signedHeaders(key, Date.now(), body) }
  const response = await fetch(`${here}${page}`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json() }
}

t.test('a caller is led through the menu', async (t) => {
  const menu = [{ say: { text: String } }, { gather: { numDigits: 1, actionUrl: `${here}/choice` } }]
  t.match(await post('/voice', { event: 'call.inbound.pre_route', from: '1' }), { status: 200, body: menu })
  t.match(await post('/choice', { event: 'gather.completed', digits: '1', reason: 'digits' }), {
    body: [{}, { redirect: { url: `${here}/voice` } }],
  })
  t.match(await post('/choice', { digits: '2', reason: 'digits' }), { body: [{}, { record: { actionUrl: `${here}/message` } }] })
  t.match(await post('/choice', { digits: '', reason: 'timeout' }), { body: menu }, 'no key: the menu again')
  t.match(await post('/message', { event: 'record.completed', reason: 'finish-key' }), { body: [{}, { hangup: {} }] })
  t.same((await post('/choice', { digits: '', reason: 'hangup' })).body, [], 'a caller who left is acknowledged')
})

t.test('a request with another secret, or without a signature, is refused', async (t) => {
  t.match(await post('/voice', {}, 'other'), { status: 403, body: { error: String } })
  const plain = await fetch(`${here}/voice`, { method: 'POST', body: '{}' })
  t.equal(plain.status, 403)
})
