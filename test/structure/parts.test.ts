/** scripts/deb/sbom.mjs: the list of parts names each npm package that the box runs on, whatever npm the machine has. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'

interface Part {
  readonly 'bom-ref': string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

t.test('the list of parts', async (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/deb/sbom.mjs', '1.0', 'amd64', '.cache', 'nowhere', 'libc6'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', SOURCE_DATE_EPOCH: '1' },
  })
  t.equal(status, 0, stderr)
  const { components } = JSON.parse(stdout) as { components: readonly Part[] }
  const refs = components.map((part) => part['bom-ref'])
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  const missing = Object.entries(dependencies).filter(([name, version]) => !refs.includes(`${name}@${version}`))
  t.same(missing, [], 'what package.json names')
  t.ok(
    refs.some((ref) => ref.startsWith('pkg:deb/debian/libc6')),
    'packages of Debian',
  )
  const hash = components.find((part) => part['bom-ref'].startsWith('ws@'))?.hashes?.[0]
  t.match(hash, { alg: 'SHA-512', content: /^[0-9a-f]{128}$/ })
})
