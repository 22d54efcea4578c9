/**
 * npm run proofs container [IMAGE]: the image of Dockerfile, built here unless it is named, and a call in it that an application outside of it
 * drives; then the container ends and another one goes on with its volume. Root, and podman or buildah (apt-get install podman buildah); the base
 * is docker.io/library/debian:trixie-slim, or BASE=NAME of an image that is here (docs/container.md makes one without a registry). CA=FILE is the
 * certificate authority of a proxy that the build goes through.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { box, chosen, menu, node, Pbxd, record, say } from 'pbxd'
import { root } from '../../../daemon/base/root.ts'
import { freePort } from '../../../scripts/demo/processes.ts'
import { eventually } from '../../harness/waiting.ts'
import { canPodman, runBuildah, runPodman } from './engines.ts'

let failed = 0
async function step<T>(name: string, run: () => T | Promise<T>, shows: (value: T) => unknown = () => ''): Promise<T> {
  const began = performance.now()
  try {
    const value = await run()
    process.stdout.write(`ok      ${name}, ${((performance.now() - began) / 1000).toFixed(1)} s ${String(shows(value))}\n`)
    return value
  } catch (error) {
    failed += 1
    process.stdout.write(`MISSED  ${name}: ${String(error)}\n`)
    throw error
  }
}
function is(good: boolean, says: string): void {
  if (!good) throw new Error(says)
}

const [given] = process.argv.slice(2)
const image = given ?? 'localhost/pbxd:proof'
if (given === undefined)
  await step('the image is built', () => {
    const { BASE, CA } = process.env
    const given = [
      ...(BASE === undefined ? [] : ['--build-arg', `BASE=${BASE}`]),
      ...(CA === undefined ? [] : ['--secret', `id=ca,src=${CA}`]),
    ]
    const words = ['bud', '--isolation', 'chroot', '--network', 'host', ...given]
    is(spawnSync('buildah', [...words, '-t', image, root], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0, 'buildah failed')
  })
const podman = canPodman(image)
process.stdout.write(podman.ok ? 'run by podman\n' : `run by buildah in a chroot, since podman says: ${podman.reason}\n`)

const volume = mkdtempSync(join(tmpdir(), 'pbxd-volume-'))
chmodSync(volume, 0o777)
const [port, applicationPort] = [await freePort(), await freePort()]
const heard: string[] = []
const choices = { hours: ['1', 'opening hours'], message: ['2', 'leave a message', 'message'] } as const
const ask = () => menu('For our opening hours, press 1. To leave a message, press 2.', choices)
const pages = {
  '/voice': {
    'call.inbound.pre_route': ask,
    'gather.completed': (event) =>
      chosen(event, choices) === 'message'
        ? [say('Please speak after the tone.'), record({ maxSeconds: 10 })]
        : [say('We are open from nine to five.'), ...ask()],
    'record.completed': ({ mediaUrl }) => (heard.push(String(mediaUrl)), say('Thank you. Goodbye.')),
  },
} satisfies ConstructorParameters<typeof Pbxd>[0]
const application = createServer(node(new Pbxd(pages, { secret: 'whsec_example_0123456789' }))).listen(applicationPort, '127.0.0.1')

const url = `http://127.0.0.1:${port}`
const env = { PBXD_HTTP_LISTEN: `127.0.0.1:${port}`, PBXD_APPLICATION: `http://127.0.0.1:${applicationPort}/voice` }
const start = () => (podman.ok ? runPodman : runBuildah)({ image, volume, env })
const ready = () =>
  eventually(
    'ready',
    () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    60_000,
  )
let container = await start()
try {
  await step('ready', ready)
  const house = box({ url, token: readFileSync(join(volume, 'first-token'), 'utf8').trim() })
  const compilers = ['gcc', 'npm', 'git'].map((name) => `! command -v ${name}`).join(' && ')
  await step(
    'no compiler, no npm, and not root',
    () => container.exec(['sh', '-c', `${compilers} && id -un`]),
    (text) => text.trim(),
  )
  await step('a call from inside: pbx simulate, as docker exec runs it', async () => {
    const shown = await container.exec(['pbx', 'simulate', 'inbound', '--from', '101', '--to', '700', '--keys', '1,2,#', '--speed', '20'])
    is(/nine to five/.test(shown), shown)
  })
  await step('a call by HTTP from outside, with a recording', async () => {
    const lines: unknown[] = []
    for await (const line of house.simulateCall({ from: '101', to: '700', keys: ['2', '#'], say: '', speed: 20 })) lines.push(line)
    await eventually('the application has the recording', () => heard.length === 2)
    is(JSON.stringify(lines).includes('Please speak after the tone'), 'the caller did not hear the prompt')
  })
  await step('the documentation, with its search', async () => {
    const page = await (await fetch(`${url}/docs`)).text()
    for (const [, link] of page.matchAll(/(?:src|href)="(docs\/[^"#]+)"/g)) is((await fetch(`${url}/${link}`)).status === 200, link!)
  })
  await step('docker stop ends it', () => container.stop())
  await container.remove()
  container = await start()
  await step('another container with the same volume', ready)
  await step('has the calls, the recording and the token', async () => {
    const { items } = await house.listCalls({})
    is(items.length === 2 && items.every(({ state }) => state === 'completed'), JSON.stringify(items))
    const sound = await fetch(`${url}${heard[0]}`, {
      headers: { authorization: `Bearer ${readFileSync(join(volume, 'first-token'), 'utf8').trim()}` },
    })
    is(sound.status === 200 && (await sound.arrayBuffer()).byteLength > 44, `the recording: ${sound.status}`)
  })
  await step('and ends', () => container.stop())
} catch {
  await container.stop().catch(() => undefined)
} finally {
  await container.remove()
  application.close()
  rmSync(volume, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)
