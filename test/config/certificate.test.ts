/** The check reports a certificate and a key that do not fit together, before a listener is opened with them. */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import { freshCertificate } from '../harness/processes.ts'

t.test('a pair, the key of another one, and what is neither', async (t) => {
  const folders = [t.testdir({ one: {}, other: {} })].flatMap((dir) => [join(dir, 'one'), join(dir, 'other')]) as [string, string]
  for (const folder of folders) await freshCertificate(folder)
  const [one, other] = folders
  const none = join(one, 'none.pem')
  writeFileSync(none, 'no certificate\n')
  const warnings = (cert: string, key: string): string[] =>
    parseConfig(`http: { listen: 127.0.0.1:8080, tls: { cert: ${cert}, key: ${key} } }\n`, '/srv/pbx/pbxd.yaml')
      .warnings.filter(({ path }) => path.startsWith('/http/tls'))
      .map(({ path, text }) => `${path}: ${text}`)
  t.same(warnings(join(one, 'cert.pem'), join(one, 'key.pem')), [])
  t.match(warnings(join(one, 'cert.pem'), join(other, 'key.pem')), [/^\/http\/tls\/key: .* does not belong to the certificate /])
  t.match(warnings(none, join(one, 'key.pem')), [/^\/http\/tls\/cert: .* are not a certificate and a key/])
})
