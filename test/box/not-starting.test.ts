/** What keeps the daemon from its start, or from its own configuration, is said where somebody looks: pbx status, the history, the log; word for word. */
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { Daemon } from '../harness/daemon.ts'
import { eventually } from '../harness/scene.ts'

t.setTimeout(240_000)
interface Died {
  readonly code: string
  readonly severity: string
  readonly text: string
}

const state = t.testdir()
const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9, env: { STATE_DIRECTORY: state } })
t.teardown(() => daemon.close())

t.test('a web port that another program has is named by pbx status, and in the history with how often and why', async (t) => {
  const { port } = new URL(daemon.http)
  const other = createServer().listen(Number(port), '127.0.0.1')
  await once(other, 'listening')
  for (let n = 0; n < 2; n++) {
    await daemon.start(false)
    await eventually('it ends', () => daemon.exit !== undefined, 60_000)
  }
  const said = await daemon.pbx('status', '--config', daemon.configFile)
  t.equal(said.code, 3)
  t.match(said.out + said.error, /pbxd is not reachable on .*; http\.listen: tcp 127\.0\.0\.1:\d+ is not available: EADDRINUSE/)
  other.close()
  await daemon.start()
  const died = async (): Promise<Died[]> =>
    ((await daemon.api('GET', '/api/box/events?limit=50')).body as { items: Died[] }).items.filter(({ code }) => code === 'daemon-died')
  await eventually('the history has it', async () => (await died()).length > 0)
  t.match((await died())[0], {
    severity: 'error',
    text: /^pbxd failed to start 2 times and did not run for \d+ s: The web port 127\.0\.0\.1:\d+ is used by another program\.$/,
  })
  await eventually('the configuration is kept', () => existsSync(join(state, 'last-good.json')))
  await daemon.stop()
  await daemon.start()
  t.equal((await died()).length, 1, 'once')
})

t.test('safe mode says word for word what is wrong with the file, and of when the configuration in use is', async (t) => {
  await daemon.stop()
  writeFileSync(daemon.configFile, readFileSync(daemon.configFile, 'utf8').replace('sip:', 'sipp:'))
  await daemon.start()
  const { warnings } = JSON.parse((await daemon.pbx('status', '--json')).out) as { warnings: { code: string; text: string }[] }
  const { text = '' } = warnings.find(({ code }) => code === 'config-refused') ?? {}
  t.match(
    text,
    /has a fault, so the last good configuration, from \d{4}-\d\d-\d\d \d\d:\d\d, is in use: line \d+, .*there is no key "sipp" here; did you mean "sip"\?/,
  )
  t.match(text, daemon.configFile)
  const logged = daemon.log.map(({ msg }) => msg ?? '')
  t.ok(
    logged.some((msg) => msg.includes('there is no key "sipp" here; did you mean "sip"?')),
    'the log',
  )
  await eventually('the history has it', () => daemon.log.some((line) => line['boxEvent'] === 'config-refused'))
  t.equal(daemon.log.find((line) => line['boxEvent'] === 'config-refused')?.msg, text)
})
