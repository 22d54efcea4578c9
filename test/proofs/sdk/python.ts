/** The Python package as a wheel: what mypy refuses, and what its applications answer in the servers of Debian. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packPython } from '../../../scripts/sdk/pack.ts'
import { pythonObeys } from '../../sdk/rules.ts'

t.setTimeout(180_000)
const folder = mkdtempSync(join(tmpdir(), 'pbxd-wheel-'))
t.teardown(() => rmSync(folder, { recursive: true }))
/** The Python of Debian has the packages of Debian. */
const program = '/usr/bin/python3'
const wheel = join(folder, packPython(folder))
const python = (...words: string[]) =>
  spawnSync(program, words, { encoding: 'utf8', cwd: folder, env: { ...process.env, PYTHONPATH: wheel } })
const missing = (module: string): string | false =>
  python('-c', `import ${module}`).status === 0 ? false : `apt-get install python3-${module}`

for (const [server, mount, skip] of [
  ['flask', '/telephone', missing('flask')],
  ['fastapi', '/telephone', missing('fastapi') || missing('uvicorn')],
] as const)
  t.test(`an application in ${server} answers by the rules of all helper packages`, { skip }, async (t) => {
    await pythonObeys(t as never, { program, wheel, server, mount })
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

t.test('mypy accepts what is right, and refuses what is wrong', { skip: missing('mypy') }, async (t) => {
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
})
