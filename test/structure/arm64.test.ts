/** What can be held of arm64 without building for it: npm installs there, nothing that the box uses is of x86 alone, the script says what it does. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

interface Package {
  readonly cpu?: readonly string[]
  readonly os?: readonly string[]
  readonly optional?: boolean
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly integrity?: string
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Package> }
const runs = Object.entries(packages).filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)

t.test('npm installs on arm64: a package of one kind of processor is optional', async (t) => {
  const bound = runs.filter(([, { cpu, optional }]) => cpu !== undefined && optional !== true)
  t.same(
    bound.map(([name]) => name),
    [],
  )
})

t.test('what has machine code for Linux on x64 has it for arm64, with its hash', async (t) => {
  const here = runs.filter(([name, { os }]) => name.includes('linux-x64') && os?.includes('linux')).map(([name]) => name)
  t.ok(here.length >= 4, here.join(', '))
  const missing = here.filter((name) => packages[name.replace('linux-x64', 'linux-arm64')]?.integrity === undefined)
  t.same(missing, ['node_modules/@uwsjs/linux-x64-22'], 'but for the bare server of the benchmark')
})

t.test('programs name no processor', async (t) => {
  const named = ['daemon', 'drivers', 'scripts/cli', 'systemd']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((name) => /\.(ts|mjs|cc|c|h|service|socket)$/.test(name))
    .filter((name) => /linux-x64|x86_64|-march=|immintrin|emmintrin|\bx64\b/.test(readFileSync(name, 'utf8')))
  t.same(named, [])
})

t.test('scripts/cross-arm64', async (t) => {
  for (const script of [
    'scripts/cross-arm64',
    'scripts/package-deb',
    'systemd/install',
    'test/proofs/box/arm64.sh',
    'test/proofs/box/steps.sh',
  ])
    t.equal(spawnSync('sh', ['-n', script]).status, 0, script)
  const help = spawnSync('sh', ['scripts/cross-arm64', '--help'], { encoding: 'utf8' })
  t.match(help, { status: 0, stdout: /--package/ })
  t.notMatch(help.stdout, /set -eu/)
  t.match(spawnSync('sh', ['scripts/cross-arm64', '--arm32'], { encoding: 'utf8' }), { status: 2, stderr: /--arm32/ })
  t.match(spawnSync('sh', ['scripts/package-deb', '--arch', 'mips'], { encoding: 'utf8' }), { status: 1, stderr: /arm64/ })
})
