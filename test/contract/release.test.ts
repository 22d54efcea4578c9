/** scripts/release in a clone: one commit and an annotated tag, which `git push --follow-tags` takes along; nothing where it refuses. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'

t.setTimeout(120_000)
const clone = mkdtempSync(join(tmpdir(), 'pbxd-release-'))
t.teardown(() => rmSync(clone, { recursive: true, force: true }))
const [name, email] = ['pbxd', 'pbxd@localhost']
// A run of tests names its own checkout.
const env = {
  ...process.env,
  PBXD_ROOT: clone,
  GIT_AUTHOR_NAME: name,
  GIT_COMMITTER_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_EMAIL: email,
}
function run(program: string, ...words: string[]): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: clone, env, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}
const git = (...words: string[]): string => run('git', ...words).text.trim()

t.test('a release', async (t) => {
  t.same(run('git', 'clone', '--quiet', process.cwd(), clone), { status: 0, text: '' })
  // What scripts/setup has made here.
  const node = `.cache/node-${process.version.slice(1)}`
  mkdirSync(join(clone, dirname(node)), { recursive: true })
  for (const made of [node, 'node_modules']) symlinkSync(join(process.cwd(), made), join(clone, made))
  writeFileSync(join(clone, '.git/info/exclude'), '/node_modules\n/.cache\n')
  // A version that may break everything, so that this says nothing about the contract of today.
  const changes = join(clone, 'CHANGELOG.md')
  writeFileSync(changes, readFileSync(changes, 'utf8').replace(/^## .*$/m, '## 9.0.0 (not yet released)'))

  t.match(run('sh', 'scripts/release', '9.0.0'), { status: 1, text: /the checkout has changes/ })
  git('commit', '--quiet', '--all', '--message', 'Begin 9.0.0')
  t.match(run('sh', 'scripts/release', '9.0.1'), { status: 1, text: /and not with "## 9\.0\.1/ })
  t.equal(git('tag', '--list', 'v9*'), '', 'nothing is made where it refuses')

  t.match(run('sh', 'scripts/release', '9.0.0'), { status: 0, text: /v9\.0\.0 is made/ })
  t.equal(git('cat-file', '-t', 'v9.0.0'), 'tag', 'an annotated tag')
  t.equal(git('rev-parse', 'v9.0.0^{commit}'), git('rev-parse', 'HEAD'))
  t.equal(git('log', '-1', '--format=%s'), 'Release 9.0.0')
  t.equal(git('status', '--porcelain'), '')
  t.match(git('show', '--stat', 'HEAD'), 'test/released/9.0/contract.json.gz')
  t.match(readFileSync(changes, 'utf8'), /^## 9\.0\.0 \(\d{4}-\d\d-\d\d\)$/m)
  t.match(JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')), { version: '9.0.0' })
  t.match(run('sh', 'scripts/release', '9.0.0'), { status: 1, text: /v9\.0\.0 is there/ })
})
