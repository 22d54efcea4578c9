/** pbx config: what it prints at 80 columns, edit with a real editor program, and a first configuration. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig, parseConfig } from '../../daemon/config/load.ts'
import { Daemon, root } from '../harness/daemon.ts'
import type { Ran } from '../harness/pbx.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-config-cli-'))
const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9 })
await daemon.start()
t.setTimeout(300_000)
t.teardown(async () => {
  await daemon.close()
  rmSync(dir, { recursive: true })
})

function pbx(words: readonly string[], { editor = '', input = '' } = {}): Promise<Ran> {
  const env = { ...process.env, PBXD_CONFIG: daemon.configFile, NO_COLOR: '1', VISUAL: '', EDITOR: editor }
  const child = spawn(join(root, 'scripts', 'pbx'), ['config', ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  let [out, error] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })))
}

/** A program that does this to the file that it is given. */
function editor(name: string, script: string): string {
  const file = join(dir, name)
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

t.test('edit: a good change is applied, a broken one is told, and none is none', async (t) => {
  const before = readFileSync(daemon.configFile, 'utf8')
  const good = await pbx(['edit', '--note', 'a doctor'], { editor: editor('good', `sed -i s/Nurse/Doctor/ "$1"`) })
  t.equal(good.code, 0, good.error)
  t.match(good.out, /~ extensions\[102\]\.name: Nurse -> Doctor/)
  t.match(readFileSync(daemon.configFile, 'utf8'), /Doctor/)
  const broken = await pbx(['edit'], { editor: editor('broken', `echo '  - [' >> "$1"`) })
  t.equal(broken.code, 1)
  t.match(broken.error, /valid YAML/)
  t.equal((await pbx(['edit'], { editor: 'true' })).out, 'nothing was changed\n')
  t.equal((await pbx(['edit'], { editor: 'false' })).code, 1, 'an editor that fails')
  t.equal(readFileSync(daemon.configFile, 'utf8'), before.replace('Nurse', 'Doctor'))
  t.match((await pbx(['history'])).out, /a doctor/)
})

t.test('apply from standard input; --check changes nothing; faults name what was given', async (t) => {
  const text = readFileSync(daemon.configFile, 'utf8')
  const checked = await pbx(['apply', '-', '--check'], { input: text.replace('Doctor', 'Midwife') })
  t.equal(checked.code, 0)
  t.equal(checked.out, '~ extensions[102].name: Doctor -> Midwife\ntakes effect without interrupting calls\n')
  t.equal(readFileSync(daemon.configFile, 'utf8'), text)
  t.equal((await pbx(['apply', '-', '--yes'], { input: text.replace('Doctor', 'Midwife') })).code, 0)
  t.match(readFileSync(daemon.configFile, 'utf8'), /Midwife/)
  const broken = await pbx(['apply', '-'], { input: text.replace('number: "102"', 'number: 102') })
  t.match(broken.error, /^-:\d+:\d+: \/extensions\/1\/number: /)
  t.equal((await pbx(['apply', join(dir, 'none.yaml')])).code, 2)
  t.equal((await pbx(['revert', 'x'])).code, 2)
  t.match(await pbx(['revert', '99']), { code: 1, error: /no revision 99/ })
  t.match(await pbx(['confirm']), { code: 1, error: /waits for confirmation/ })
})

t.test('a comment is a change of the file alone', async (t) => {
  const text = `# for the clinic\n${readFileSync(daemon.configFile, 'utf8')}`
  t.equal((await pbx(['apply', '-', '--yes'], { input: text })).code, 0)
  t.equal(readFileSync(daemon.configFile, 'utf8'), text)
})

t.test('nothing is wider than 80 columns', async (t) => {
  const tables = [await pbx(['history']), await pbx(['diff', '1']), await pbx(['diff']), await pbx(['apply', '--yes'])]
  for (const { out } of tables) for (const line of out.split('\n')) t.ok(line.length <= 80, `${line.length}: ${line}`)
})

t.test('the lines of docs/getting-started.md make a good configuration of what init writes', async (t) => {
  const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')
  const own = /```yaml\n(callbacks:[\s\S]*?)```/.exec(page)![1]!
  const { out } = await pbx(['init', '-', '--name', 'Riverside Clinic', '--country', 'US'])
  const { config } = parseConfig(out.replace(/^inbound: .*$/m, own), join(root, 'my.yaml'))
  t.match(config.voice, { trace: 'full', endpoints: [{ id: 'mine', controlUrl: 'http://127.0.0.1:4000/voice' }] })
  t.match(config.inbound, [{ extension: '*', to: '750' }, { to: '+15550001000' }])
})

t.test('init: a first configuration is good as it is, with passwords of its own, and replaces none', async (t) => {
  const file = join(dir, 'first.yaml')
  const made = await pbx(['init', file, '--name', 'Dr. "O\'Hara"', '--country', 'ie', '--time-zone', 'Europe/Dublin'])
  t.equal(made.code, 0, made.error)
  t.equal(statSync(file).mode & 0o007, 0)
  const { config, warnings } = loadConfig(file)
  t.match(config.site, { name: 'Dr. "O\'Hara"', country: 'IE', timeZone: 'Europe/Dublin' })
  t.not(config.extensions[0]!.password, config.extensions[1]!.password)
  t.same(
    warnings.filter(({ path }) => path !== '/extensions'),
    [],
  )
  t.match(await pbx(['init', file]), { code: 1, error: /already exists/ })
  t.match(await pbx(['init', '-', '--country', 'XX']), { code: 2, error: /not a country/ })
  t.match(await pbx(['init', '-', '--time-zone', 'Mars']), { code: 2, error: /not a time zone/ })
})
