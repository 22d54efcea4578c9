/** What systemd/install lays down: programs compiled and what they read, and no tests, studies or sources. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)

t.test('the installed tree holds what runs, and its pbx runs from it', async (t) => {
  const place = t.testdir()
  await run('sh', ['systemd/install'], { env: { ...process.env, DESTDIR: place } })
  const base = join(place, 'usr/lib/pbxd')
  const tree = join(base, 'package')
  const names = readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^(node_modules|\.cache\/node-[^/]*)\//.test(name),
  )
  for (const needed of [
    'program/daemon/main.js',
    'program/scripts/cli/main.js',
    'scripts/pbx',
    'drivers/speech-grammar/phones.dict',
    'daemon/people/common-passwords.txt',
    'daemon/fax/pages/font/header-font.bin',
    '.cache/console/built.json',
    '.cache/site/built.json',
  ])
    t.ok(names.includes(needed), needed)
  t.same(
    names.filter((name) => /\.(tsx?|cc|o)$|(^|\/)tests?(\/|$)|(^|\/)(proofs|bench|fuzz|attack|generate|demo)(\/|$)/.test(name)),
    [],
    'neither tests nor studies nor TypeScript',
  )
  t.same(readdirSync(join(tree, 'scripts')).toSorted(), ['lib.sh', 'pbx', 'upgrade'], 'of scripts/ only what runs on a box')

  const units = ['pbxd.service', 'pbxd-engine.service', 'pbxd-pages.socket', 'pbxd-pages@.service']
  const laid = readdirSync(join(place, 'lib/systemd/system'))
  for (const unit of units) t.ok(laid.includes(unit) && names.includes(`systemd/${unit}`), unit)

  const { NODE_OPTIONS: _, ...env } = process.env
  const notes = join(place, 'notes')
  await run(join(tree, 'scripts/upgrade'), ['install', '1.0'], { env: { ...env, PBXD_UPGRADE_BASE: base, PBXD_UPGRADE_NOTES: notes } })
  for (const unit of laid.filter((name) => name.endsWith('.service')))
    for (const [, path = ''] of readFileSync(join(place, 'lib/systemd/system', unit), 'utf8').matchAll(/\/usr\/lib\/pbxd\/current\/(\S+)/g))
      t.ok(existsSync(join(base, 'current', path)), `${unit} starts ${path}`)
  const pbx = (...words: string[]) => run(join(place, 'usr/bin/pbx'), words, { env: { ...env, PBXD_SOCKET: resolve(place, 'none') } })
  t.match((await pbx('--help')).stdout, /Usage: pbx/)
  await t.rejects(pbx('status'), { code: 3, stderr: /pbxd/ }, 'a command is loaded and asks for the daemon')
  await t.rejects(pbx('speech', 'selftest', '--model', 'nothing'), { code: 1, stderr: /nothing is not installed/ })
})

t.test('a step of setup keeps its log, however many packages its name lists', async (t) => {
  const cache = t.testdir()
  const packages = Array.from({ length: 60 }, (_, n) => `libpackage${n}-dev`).join(' ')
  const script = `. scripts/lib.sh; CACHE=${cache}; step "Installing Debian packages: ${packages}" echo installed`
  const { stderr } = await run('sh', ['-c', script, 'scripts/setup'])
  t.match(stderr, /libpackage59-dev .* done in/)
  const [log = ''] = readdirSync(join(cache, 'log'))
  t.equal(readFileSync(join(cache, 'log', log), 'utf8'), 'installed\n')
})

t.test('a command that fails within a step ends it, and the script with it, or not where the step is optional', async (t) => {
  const script = `set -eu; . scripts/lib.sh; CACHE=${t.testdir()}; broken() { echo before; false; echo after; }; `
  const wanted = { code: 1, stderr: /Breaking.* failed\nbefore\n.*setup stopped at: Breaking/s, stdout: '' }
  await t.rejects(run('sh', ['-c', `${script} step Breaking broken; echo went on`, 'scripts/setup']), wanted)
  const { stdout, stderr } = await run('sh', ['-c', `${script} optional 'Without it' Breaking broken; echo went on`, 'scripts/setup'])
  t.match(stderr, /Breaking.* failed\nbefore\n.*Without it; /s)
  t.equal(stdout, 'went on\n')
})
