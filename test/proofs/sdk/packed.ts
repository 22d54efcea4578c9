/** Both packages as an integrator installs them, in folders of their own: real frameworks, and the samples of docs/sdk.md with a real box. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { accepts } from '../../../scripts/demo/processes.ts'
import { packPython, packTypescript } from '../../../scripts/sdk/pack.ts'
import { freePort } from '../../harness/daemon.ts'
import { eventually } from '../../harness/waiting.ts'
import { openHouse } from '../../sdk/house.ts'
import { obeys, workDone } from '../../sdk/rules.ts'

t.setTimeout(600_000)
const folder = mkdtempSync(join(tmpdir(), 'pbxd-installed-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const run = (program: string, words: readonly string[], cwd = folder): string => execFileSync(program, words, { cwd, encoding: 'utf8' })

/** The application answers as every helper package does; besides it, the framework has a route of its own that reads JSON. */
async function serves(t: Test, program: string, words: readonly string[], port: number, mount: string, own: boolean): Promise<void> {
  const application = spawn(program, words, { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(async () => {
    application.kill()
    if (application.exitCode === null && application.signalCode === null) await once(application, 'exit')
  })
  let said = ''
  application.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const here = `http://127.0.0.1:${port}`
  await eventually('it listens', () => accepts(port), 30_000)
  await obeys(t as never, `${here}${mount}`)
  await eventually('it says how often it worked', () => said.includes(`last-call ${workDone}\n`))
  if (!own) return
  const answer = await fetch(`${here}/other`, { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } })
  t.same(await answer.json(), { a: 1 }, 'the other routes of the framework have their parser')
}
type Test = typeof t

const sampleOf = (language: string): string =>
  [...readFileSync('docs/sdk.md', 'utf8').matchAll(/^```(ts|python)\n([^]*?)^```$/gm)].find(([, of]) => of === language)![2]!

const house = await openHouse(['751', '752'])

async function answersCalls(t: Test, file: string, number: string, python?: string): Promise<void> {
  const program = await house.serving(file, number, { PYTHONPATH: '' }, python)
  t.match(await house.simulated('101', number, '1', '2', '#'), /We are open from nine to five/)
  await eventually('the program has the message', () => /recordings/.test(program.said()))
  await program.stop()
}

t.test('npm install of the package in an empty folder', async (t) => {
  const packed = join(folder, packTypescript(folder))
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}')
  run('npm', ['install', '--silent', '--ignore-scripts', packed])
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object }
  t.same(Object.keys(packages), ['', 'node_modules/pbxd'], 'it brings no other package')
  writeFileSync(join(folder, 'menu.ts'), sampleOf('ts'))
  await answersCalls(t as Test, join(folder, 'menu.ts'), '751')
  run('npm', ['install', '--silent', '--ignore-scripts', 'express@5', 'fastify@5', 'hono@4', '@hono/node-server'])
  copyFileSync(resolve('test/proofs/sdk/application.mjs'), join(folder, 'application.mjs'))
  for (const framework of ['node:http', 'express', 'fastify', 'hono'])
    await t.test(`an application in ${framework} answers by the rules`, async (t) => {
      const port = await freePort()
      const mount = framework === 'node:http' ? '' : '/telephone'
      await serves(t as Test, process.execPath, ['application.mjs', framework, String(port)], port, mount, mount !== '')
    })
})

t.test('pip install of the wheel in an empty environment', async (t) => {
  const wheel = join(folder, packPython(folder))
  const environment = join(folder, 'venv')
  mkdirSync(environment)
  run('/usr/bin/python3', ['-m', 'venv', environment])
  const [pip, python] = [join(environment, 'bin/pip'), join(environment, 'bin/python')]
  run(pip, ['install', '--quiet', wheel])
  t.notMatch(run(pip, ['list', '--format=freeze']), /flask|fastapi/i, 'it brings no other package')
  writeFileSync(join(folder, 'menu.py'), sampleOf('python'))
  await answersCalls(t as Test, join(folder, 'menu.py'), '752', python)
  run(pip, ['install', '--quiet', `${wheel}[flask,fastapi]`, 'uvicorn'])
  copyFileSync(resolve('test/sdk/sample.py'), join(folder, 'sample.py'))
  for (const framework of ['http.server', 'flask', 'fastapi'])
    await t.test(`an application in ${framework} answers by the rules`, async (t) => {
      const port = await freePort()
      const mount = framework === 'http.server' ? '' : '/telephone'
      await serves(t as Test, python, ['sample.py', framework, String(port)], port, mount, false)
    })
})
