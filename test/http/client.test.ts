/** What an integrator does first: try the examples of the description and of docs/getting-started.md, and generate a client. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { Daemon, freePort, root } from '../harness/daemon.ts'
import { eventually } from '../harness/scene.ts'
import { MailServer } from '../mail/server.ts'
import { typesOf } from './generated-types.ts'

const run = promisify(execFile)
// Below the project, so that its packages are found.
mkdirSync(join(root, '.cache'), { recursive: true })
const dir = mkdtempSync(join(root, '.cache', 'client-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))

const mail = await MailServer.open(t, { authOptional: true })
const daemon = await Daemon.create({
  app: `http://127.0.0.1:${await freePort()}`,
  trunkPort: await freePort(),
  settings: (settings) => {
    settings['sms'] = { trunks: [{ id: 'gsm1', kind: 'sim', number: '+15550002000' }] }
    settings['mail'] = { server: `127.0.0.1:${mail.port}`, tls: 'off', from: 'Riverside Clinic <office@example.com>' }
    settings['fax'] = { line: 'main' }
    settings['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    settings['site'] = { ...(settings['site'] as object), timeZone: 'UTC' }
  },
})
t.teardown(() => daemon.close())
await daemon.start()

const served = (await (await fetch(`${daemon.http}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, { operationId: string; requestBody?: { content: Record<string, { example?: unknown }> } }>>
}

t.test('each example of a request in the description does what it is an example of', async (t) => {
  let tried = 0
  for (const [path, methods] of Object.entries(served.paths)) {
    const { operationId, requestBody } = methods['post'] ?? {}
    const example = requestBody?.content['application/json']?.example
    // Those of a call in progress are tried in calls, and those that ring a phone with one: test/e2e/{outbound,click-to-dial}.test.ts.
    // What pages of the box ask, tests of people do: test/people. A configuration is changed in test/config, a box set up in test/console/setup.
    if (
      example === undefined ||
      path.includes('{') ||
      path.includes('/calls/start') ||
      path.includes('/session') ||
      path.includes('/config/') ||
      path.includes('/setup')
    )
      continue
    tried += 1
    const answer = await daemon.api('POST', path, example)
    t.ok([200, 201, 202].includes(answer.status), `${operationId}: ${answer.status} ${JSON.stringify(answer.body)}`)
    if (operationId === 'sendSms') t.match(answer.body, { sent: 2, failed: 0 })
    if (operationId === 'scheduleReminders') t.match(answer.body, { accepted: 1, rejected: 0 })
    if (operationId === 'validateDocument') t.match(answer.body, { valid: true })
  }
  t.equal(tried, 21)
  await eventually('the mail', () => mail.received.length === 1)
})

t.test('the commands of docs/getting-started.md work as they stand', async (t) => {
  const blocks = readFileSync(join(root, 'docs/getting-started.md'), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)
  const commands = Array.from(blocks, ([, text]) => text!).filter((text) => text.includes('curl'))
  t.equal(commands.length, 2)
  const examples = served.paths['/api/fax']!['post']!.requestBody!.content['application/json']!.example as { pdfBase64: string }
  writeFileSync(join(dir, 'letter.pdf'), Buffer.from(examples.pdfBase64, 'base64'))
  const script = commands
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', daemon.http)
    .replaceAll(/^pbx .*$/gm, '')
    .replaceAll('curl ', 'curl -sS -w "\\n%{http_code}\\n" ')
  const env = { ...process.env, TOKEN: daemon.token }
  const { stdout } = await run('sh', ['-eu', '-c', script], { cwd: dir, env })
  const answers = stdout.trim().split('\n')
  t.same(
    answers.filter((_, at) => at % 2 === 1),
    ['202', '200', '200', '200', '200', '200'],
    stdout,
  )
  t.match(JSON.parse(answers[4]!), { sent: 2 }, 'the texts are on their way')
})

t.test('a generated client compiles in strict mode and works, with error bodies and the cursors of the inbox', async (t) => {
  writeFileSync(join(dir, 'interface.ts'), await typesOf(JSON.stringify(served)))
  cpSync(join(import.meta.dirname, 'integrator.txt'), join(dir, 'program.ts'))
  const strict = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--types',
    'node',
  ]
  const compiled = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, 'program.ts'], {
    cwd: dir,
  }).catch((error: { stdout: string }) => error)
  t.equal(compiled.stdout, '', 'nothing to complain of')
  const { stdout } = await run(process.execPath, ['program.ts', daemon.http, daemon.token], { cwd: dir })
  t.match(JSON.parse(stdout), {
    ended: 'caller-hangup',
    sentFax: 3,
    answers: [[{ say: { text: 'You pressed 2.' } }, { hangup: {} }], []],
    error: /number/i,
    code: 'number_invalid',
    where: ['/to'],
    valid: true,
    sent: 2,
    inbox: [
      { from: '+15551230000', body: 'Echo, please.' },
      { from: '+15551230100', body: 'Echo, please.' },
    ],
    polls: 3,
    cursor: null,
    newest: /queued|dialing|failed|no-answer/,
  })
})
