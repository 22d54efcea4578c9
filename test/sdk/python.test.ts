/** The Python package: what its applications answer, and its signatures; test/proofs/sdk has the servers of others and what mypy refuses. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packPython } from '../../scripts/sdk/pack.ts'
import { pythonObeys } from './rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbxd-wheel-'))
t.teardown(() => rmSync(folder, { recursive: true }))
/** The Python of Debian has the packages of Debian. */
const program = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
/** A wheel is a zip file: Python reads it where it lies. */
const wheel = join(folder, packPython(folder))
const python = (...words: string[]) =>
  spawnSync(program, words, { encoding: 'utf8', cwd: folder, env: { ...process.env, PYTHONPATH: wheel } })

t.test('an application in http.server answers by the rules of all helper packages', async (t) => {
  await pythonObeys(t as never, { program, wheel, server: 'http.server' })
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
