/** The applications of docs/getting-started.md, each as its own process: they answer what pbxd sends, and nobody else. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { signedHeaders } from '../../daemon/base/signing.ts'
import { accepts, freePort } from '../../scripts/demo/processes.ts'
import { eventually } from '../harness/waiting.ts'

const secret = 'whsec_test_0123456789abcdef'
const hasPython = spawnSync('python3', ['--version']).status === 0
const applications: readonly (readonly [program: string, file: string, skip: string | false])[] = [
  [process.execPath, 'scripts/examples/app.ts', false],
  ['python3', 'scripts/examples/app.py', hasPython ? false : 'there is no python3'],
]

async function started(t: Test, program: string, file: string): Promise<string> {
  const port = await freePort()
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: String(port), SECRET: secret }
  const application = spawn(program, [file], { env, stdio: ['inherit', 'inherit', 'ignore'] })
  t.teardown(async () => {
    application.kill()
    await once(application, 'exit')
  })
  await eventually('it listens', () => accepts(port))
  return `http://127.0.0.1:${port}`
}

async function post(here: string, page: string, event: object, key = secret): Promise<{ status: number; body: unknown }> {
  const body = JSON.stringify(event)
  const headers = { 'Content-Type': 'application/json', ...signedHeaders(key, Date.now(), body) }
  const response = await fetch(`${here}${page}`, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json() }
}

for (const [program, file, skip] of applications)
  t.test(`${file}: a caller is led through the menu, and whoever has another secret is refused`, { skip }, async (t) => {
    const here = await started(t, program, file)
    const menu = [{ say: { text: String } }, { gather: { numDigits: 1, actionUrl: `${here}/choice` } }]
    t.match(await post(here, '/voice', { event: 'call.inbound.pre_route', from: '1' }), { status: 200, body: menu })
    t.match(await post(here, '/choice', { event: 'gather.completed', digits: '1', reason: 'digits' }), {
      body: [{}, { redirect: { url: `${here}/voice` } }],
    })
    t.match(await post(here, '/choice', { digits: '2', reason: 'digits' }), { body: [{}, { record: { actionUrl: `${here}/message` } }] })
    t.match(await post(here, '/choice', { digits: '', reason: 'timeout' }), { body: menu }, 'no key: the menu again')
    t.match(await post(here, '/message', { event: 'record.completed', reason: 'finish-key' }), { body: [{}, { hangup: {} }] })
    t.same((await post(here, '/choice', { digits: '', reason: 'hangup' })).body, [], 'a caller who left is acknowledged')
    t.match(await post(here, '/voice', {}, 'other'), { status: 403, body: { error: String } })
    const plain = await fetch(`${here}/voice`, { method: 'POST', body: '{}' })
    t.equal(plain.status, 403)
  })
