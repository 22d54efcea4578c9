/** Secrets: where they may be written, and how long those must be that sign. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-secrets-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Faults as `line:column path text`. */
function faults(text: string, file = '/srv/pbx/pbxd.yaml'): string[] {
  try {
    parseConfig(text, file)
    return []
  } catch (error) {
    return (error as ConfigError).faults.map(({ line, column, path, text }) => `${line}:${column} ${path} ${text}`)
  }
}

t.test('secrets come from files and credentials, without the line break at the end', async (t) => {
  const dir = folder(t)
  mkdirSync(join(dir, 'credentials'))
  writeFileSync(join(dir, 'phone.txt'), 'read from a file\n')
  writeFileSync(join(dir, 'empty.txt'), '\n')
  writeFileSync(join(dir, 'credentials', 'app'), 'a long one from systemd ...')
  const before = process.env.CREDENTIALS_DIRECTORY
  t.teardown(() => {
    if (before === undefined) delete process.env.CREDENTIALS_DIRECTORY
    else process.env.CREDENTIALS_DIRECTORY = before
  })
  process.env.CREDENTIALS_DIRECTORY = join(dir, 'credentials')
  const text = `extensions: [ { number: "101", password: { file: phone.txt } } ]
callbacks: { secret: { credential: app }, nextSecret: whsec_next_0123456789abcdef }
`
  const { config } = parseConfig(text, join(dir, 'pbxd.yaml'))
  t.equal(config.extensions[0]?.password, 'read from a file')
  t.equal(config.callbacks.secret, 'a long one from systemd ...')
  t.equal(config.callbacks.nextSecret, 'whsec_next_0123456789abcdef')
  t.match(faults('callbacks: { secret: { file: empty.txt } }', join(dir, 'pbxd.yaml')), [/is empty/])
})

t.test('what signs has 24 characters at least, wherever it is written', async (t) => {
  const dir = folder(t)
  writeFileSync(join(dir, 'short.txt'), 'whsec_a\n')
  const short = 'a'.repeat(23)
  const text = `callbacks: { secret: a, nextSecret: "" }
voice:
  endpoints:
    - { id: one, controlUrl: "http://x", secret: { file: short.txt }, nextSecret: ${short} }
sms:
  trunks:
    - { id: gw, kind: http, url: "https://x", template: { send: { path: /x } }, webhook: { secret: shared } }
`
  const make = 'write at least 24, for example from: openssl rand -hex 24'
  t.strictSame(faults(text, join(dir, 'pbxd.yaml')), [
    `1:22 /callbacks/secret a secret of 1 character is easy to guess; ${make}`,
    `1:37 /callbacks/nextSecret the secret is empty; ${make}`,
    `4:50 /voice/endpoints/0/secret ${join(dir, 'short.txt')}: a secret of 7 characters is easy to guess; ${make}`,
    `4:83 /voice/endpoints/0/nextSecret a secret of 23 characters is easy to guess; ${make}`,
    `7:100 /sms/trunks/0/webhook/secret a secret of 6 characters is easy to guess; ${make}`,
  ])
  t.strictSame(faults(`callbacks: { secret: ${short}b }`), [])
})
