/** The Python package: what its applications answer in each server, what a type checker refuses, and its client with a real box. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packPython } from '../../scripts/sdk/pack.ts'
import { accepts } from '../../scripts/demo/processes.ts'
import { Daemon, freePort } from '../harness/daemon.ts'
import { eventually } from '../harness/waiting.ts'
import { obeys } from './rules.ts'
import { secret } from './samples.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbxd-wheel-'))
t.teardown(() => rmSync(folder, { recursive: true }))
/** The Python of Debian has the packages of Debian. */
const program = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
/** A wheel is a zip file: Python reads it where it lies. */
const wheel = join(folder, packPython(folder))
const python = (...words: string[]) =>
  spawnSync(program, words, { encoding: 'utf8', cwd: folder, env: { ...process.env, PYTHONPATH: wheel } })
const missing = (module: string): string | false =>
  python('-c', `import ${module}`).status === 0 ? false : `there is no python3-${module}`

for (const [server, mount, skip] of [
  ['http.server', '', false],
  ['flask', '/telephone', missing('flask')],
  ['fastapi', '/telephone', missing('fastapi') || missing('uvicorn')],
] as const)
  t.test(`an application in ${server} answers by the rules of all helper packages`, { skip }, async (t) => {
    const port = await freePort()
    const application = spawn(program, ['test/sdk/sample.py', server, String(port)], {
      env: { ...process.env, PYTHONPATH: wheel },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.teardown(async () => {
      application.kill()
      await once(application, 'exit')
    })
    let said = ''
    application.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    await eventually('it listens', () => accepts(port))
    await obeys(t as never, `http://127.0.0.1:${port}${mount}`)
    t.match(said, /caller-hangup/)
  })

t.test('signatures: the vector of docs/webhooks.md, its age, another body, another secret', async (t) => {
  const code = `
from pbxd import genuine, Application
given = ("1772460311", "sha256=918621c4cdfaff87b4c8b6c695bf31c0ef8e1e694cd6f56438eac27075207135", b'{"event":"fax.sent"}')
at = 1772460311
print(genuine("whsec_example", *given, now=at), genuine(["new", "whsec_example"], *given, now=at + 300), genuine("whsec_example", *given, now=at + 301),
      genuine("other", *given, now=at), genuine("whsec_example", "", "", b"", now=at), genuine("whsec_example", "١", "é", b"", now=at))
for what in (lambda: Application(secret=""), lambda: Application(secret="s").on("gather.complete")):
    try:
        what()
    except ValueError as error:
        print(error)
`
  const { stdout, stderr } = python('-c', code)
  t.equal(stdout.split('\n')[0], 'True True False False False False', stderr)
  t.match(stdout, /secret is missing/)
  t.match(stdout, /there is no event gather.complete/)
})

const wrong: readonly (readonly [what: string, code: string])[] = [
  ['a verb', 'pbxd.speak("x")'],
  ['an option', 'pbxd.gather(num_digit=1)'],
  ['a value of an option', 'pbxd.gather(input="keys")'],
  ['an event', '@app.on("gather.complete")\ndef f(event): return []'],
  ['an answer', '@app.on("call.answered")\ndef f(event: CallAnsweredEvent) -> int: return 1'],
  [
    'a member of an event',
    '@app.on("gather.completed")\ndef f(event: GatherCompletedEvent) -> list[pbxd.Verb]: return [pbxd.say(event["digit"])]',
  ],
  ['a body', 'box.originate_call({"number": "101"})'],
  ['a route', 'box.send_faxes({"to": "1"})'],
]

t.test(
  'mypy accepts what is right, and refuses what is wrong',
  { skip: python('-m', 'mypy', '--version').status === 0 ? false : 'there is no mypy' },
  async (t) => {
    const head = `import pbxd
from pbxd.schemas import CallAnsweredEvent, GatherCompletedEvent
app = pbxd.Application(secret="s")
box = pbxd.Box("http://127.0.0.1:8080", "token")
`
    writeFileSync(
      join(folder, 'right.py'),
      `${head}box.originate_call({"to": "101", "document": [pbxd.say("x")]})\npbxd.menu("x", {"a": ["1"]}, timeout=3)\n
@app.on("call.answered")\ndef f(event: CallAnsweredEvent) -> pbxd.Verb: return pbxd.say(event["from"])\n`,
    )
    for (const [at, [, code]] of wrong.entries()) writeFileSync(join(folder, `wrong${at}.py`), `${head}${code}\n`)
    spawnSync(program, ['-m', 'zipfile', '-e', wheel, folder])
    const { stdout } = python(
      '-m',
      'mypy',
      '--no-error-summary',
      '--enable-incomplete-feature=Unpack',
      'pbxd',
      'right.py',
      ...wrong.map((_, at) => `wrong${at}.py`),
    )
    t.notMatch(stdout, /^(right|pbxd).*error/m)
    for (const [at, [what]] of wrong.entries())
      t.match(stdout, new RegExp(`^wrong${at}\\.py.*error`, 'm'), `${what} that is wrong is refused`)
  },
)

t.test('the client with a real box: a call, an error, a POST that is repeated', async (t) => {
  const port = await freePort()
  const application = spawn(program, ['test/sdk/sample.py', 'http.server', String(port)], {
    env: { ...process.env, PYTHONPATH: wheel },
    stdio: 'ignore',
  })
  const daemon = await Daemon.create({
    app: `http://127.0.0.1:${port}`,
    trunkPort: 9,
    settings: (base) => {
      const { endpoints } = base['voice'] as { endpoints: object[] }
      Object.assign(endpoints[0]!, { secret })
      ;(base['inbound'] as object[]).push({ extension: '*', to: '750', destination: 'endpoint:reception' })
    },
  })
  t.teardown(async () => {
    application.kill()
    await daemon.close()
  })
  await daemon.start()
  const code = `
import pbxd, sys
box = pbxd.Box(*sys.argv[1:])
lines = list(box.simulate_call({"from": "101", "to": "750", "keys": ["1", "2"], "say": "", "speed": 20}))
print("nine to five" in str(lines), box.list_calls(limit=1)["items"][0]["state"], box.list_received_faxes()["nextSince"])
print(box.import_parties({"customers": [{"id": "c1", "name": "Ana", "phones": [{"number": "+15551230001", "label": "mobile"}]}]}, dry_run=True)["created"])
try:
    box.get_call("CA" + "0" * 32)
except pbxd.BoxError as error:
    print(error.status, error.code)
`
  const { stdout, stderr } = python('-c', code, daemon.http, daemon.token)
  t.equal(stdout, 'True completed 0\n1\n404 call_unknown\n', stderr)
})
