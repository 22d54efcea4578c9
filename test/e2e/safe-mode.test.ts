/** A configuration that is refused at a start: the telephones go on with the last good one, and every view of the box says so. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually, Scene } from '../harness/scene.ts'

const state = mkdtempSync(join(tmpdir(), 'pbxd-state-'))
const secretFile = join(state, '101.secret')
writeFileSync(secretFile, 'a-long-password')
const scene = await Scene.open({
  env: { STATE_DIRECTORY: state },
  settings: (base) => {
    const [desk] = base['extensions'] as Record<string, unknown>[]
    desk!['password'] = { file: secretFile }
  },
})
const { app, daemon } = scene
t.setTimeout(300_000)
t.teardown(async () => {
  await scene.close()
  rmSync(state, { recursive: true, force: true })
})
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

const good = readFileSync(daemon.configFile, 'utf8')

async function callWorks(t: Test): Promise<void> {
  app.script = () => [{ say: { text: 'Welcome.' } }]
  const caller = await scene.call()
  t.equal(await caller.sip.exit, 0, caller.sip.failure())
  t.same(await scene.finish(), [])
}

t.test('a broken file, a file with a fault, and a secret that is gone: calls are taken, status and journal say why', async (t) => {
  // Kept once it runs, which may be after it is ready.
  const kept = join(state, 'last-good.json')
  await eventually('the configuration is kept', () => existsSync(kept))
  t.equal(statSync(kept).mode & 0o777, 0o600)
  const faults: readonly (readonly [what: string, break_: () => void, said: RegExp])[] = [
    ['nothing: what a power cut leaves', () => writeFileSync(daemon.configFile, ''), /the file is empty/],
    ['no YAML', () => writeFileSync(daemon.configFile, `${good}\n  - [`), /line \d+/],
    ['a fault', () => writeFileSync(daemon.configFile, good.replace('number: "101"', 'number: 101x')), /extensions/],
    ['a secret that is gone', () => rmSync(secretFile), /the secret cannot be read/],
  ]
  for (const [what, breaks, said] of faults) {
    await daemon.stop()
    writeFileSync(daemon.configFile, good)
    breaks()
    await daemon.start()
    const status = await daemon.pbx('status')
    t.match(status.out, /SAFE MODE/, what)
    t.equal((await daemon.pbx('status', '--check')).code, 1, what)
    t.match(status.out, said, what)
    t.match(status.out, /pbx config check/, what)
    t.ok(
      daemon.log.some((line) => line.level === 'error' && /safe mode/.test(line.msg ?? '')),
      `${what}: the journal`,
    )
    await callWorks(t)
  }
  t.equal(readFileSync(daemon.configFile, 'utf8'), good, 'the file is left to people')
})

t.test('a good file again: no safe mode any more', async (t) => {
  await daemon.stop()
  writeFileSync(secretFile, 'a-long-password')
  writeFileSync(daemon.configFile, good)
  await daemon.start()
  const { warnings } = JSON.parse((await daemon.pbx('status', '--json')).out) as { warnings: { code: string }[] }
  t.notOk(warnings.some(({ code }) => code === 'config-refused'))
  await callWorks(t)
})

t.test('safe mode ends without a restart: the mended file is applied, or another one, or an earlier revision', async (t) => {
  const codes = async (): Promise<string[]> =>
    (JSON.parse((await daemon.pbx('status', '--json')).out) as { warnings: { code: string }[] }).warnings.map(({ code }) => code)
  const another = join(state, 'another.yaml')
  writeFileSync(another, good)
  for (const [what, mends] of [
    ['the mended file', () => (writeFileSync(daemon.configFile, good), daemon.pbx('config', 'apply', '--yes'))],
    ['another file', () => daemon.pbx('config', 'apply', another, '--yes')],
    ['the newest revision', () => daemon.pbx('config', 'revert', '--yes')],
  ] as const) {
    await daemon.stop()
    writeFileSync(daemon.configFile, `${good}\n  - [`)
    await daemon.start()
    t.ok((await codes()).includes('config-refused'), what)
    t.match((await daemon.pbx('config', 'apply', '--yes')).code, 1, `${what}: the broken file is refused`)
    const { code, out, error } = await mends()
    t.equal(code, 0, `${what}: ${out} ${error}`)
    t.notOk((await codes()).includes('config-refused'), what)
    t.equal(readFileSync(daemon.configFile, 'utf8'), good, `${what}: the file is good`)
    await callWorks(t)
  }
})

t.test('without a service manager a broken file is refused as before: whoever starts it is there to mend it', async (t) => {
  await daemon.stop()
  writeFileSync(daemon.configFile, `${good}\n  - [`)
  rmSync(join(state, 'last-good.json'))
  await t.rejects(daemon.start(), /ended/)
  t.equal(daemon.exit?.code, 2)
})
