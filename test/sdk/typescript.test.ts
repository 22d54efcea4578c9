/** The TypeScript package: what its applications answer, and what does not compile. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { express, fetchHandler, genuine, node, serve } from 'pbxd'
import t from 'tap'
import { signedHeaders } from '../../daemon/base/signing.ts'
import { packTypescript } from '../../scripts/sdk/pack.ts'
import { obeys, workDone } from './rules.ts'
import { post, sample, secret } from './samples.ts'

async function listening(t: Test, listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener!).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
type Test = typeof t

t.test('an application in node:http does the work of an event once, and reports what failed', async (t) => {
  const seen: unknown[] = []
  await obeys(t, await listening(t as Test, node(sample(seen))))
  t.equal(seen.filter((one) => typeof one === 'object').length, workDone)
  t.ok(seen.includes('caller-hangup'))
  t.ok(seen.includes('Error: the disk is full'))
})

t.test('mounted as middleware, its addresses have the mount', async (t) => {
  const middleware = express(sample())
  const here = await listening(t as Test, (request, response) => {
    const url = request.url ?? ''
    if (!url.startsWith('/telephone/')) return response.writeHead(418).end('{}')
    Object.assign(request, { url: url.slice('/telephone'.length), baseUrl: '/telephone' })
    return void middleware(request, response, () => response.writeHead(404).end('{}'))
  })
  await obeys(t, `${here}/telephone`)
  const parsed = await listening(t as Test, async (request, response) => {
    for await (const _ of request);
    await middleware(request, response, (error) => response.writeHead(500).end(JSON.stringify({ error: String(error) })))
  })
  t.match(await post(`${parsed}/voice`, {}), { status: 500, body: { error: /before express.json/ } })
})

t.test('as a function from Request to Response, below a mount and behind a proxy', async (t) => {
  const handle = fetchHandler(sample(), '/telephone')
  const body = JSON.stringify({ event: 'gather.completed', eventId: '1', digits: '1', speech: '', reason: 'digits' })
  const headers = { ...signedHeaders(secret, Date.now(), body), 'x-forwarded-proto': 'https' }
  const answer = await handle(new Request('http://app.example/telephone/voice', { method: 'POST', body, headers }))
  t.match(await answer.json(), [{}, { redirect: { url: 'https://app.example/telephone/again' } }])
  t.equal((await handle(new Request('http://app.example/telephone/voice', { method: 'POST', body }))).status, 403)
})

t.test('a signature is accepted for 300 seconds, with either of two secrets, and never without one', async (t) => {
  const at = 1_772_460_311_000
  const headers = {
    'x-service-timestamp': '1772460311',
    'x-service-signature': 'sha256=918621c4cdfaff87b4c8b6c695bf31c0ef8e1e694cd6f56438eac27075207135',
  }
  const body = '{"event":"fax.sent"}'
  t.equal(genuine('whsec_example', headers, body, at), true, 'the vector of docs/webhooks.md')
  t.equal(genuine(['new', 'whsec_example'], new Headers(headers), body, at + 300_000), true)
  t.equal(genuine('whsec_example', headers, body, at + 301_000), false)
  t.equal(genuine('whsec_example', headers, `${body} `, at), false)
  t.equal(genuine('whsec_example', {}, body, at), false)
  t.throws(() => serve({}, { secret: '' }), /secret is missing/)
})

const wrong: readonly (readonly [what: string, code: string, fault: RegExp])[] = [
  ['a verb', "serve({ '/v': { 'call.answered': () => [{ speak: { text: 'x' } }] } }, { secret: 's' })", /speak/],
  ['an option', 'gather({ numDigit: 1 })', /numDigit/],
  ['a value of an option', "gather({ input: 'keys' })", /keys/],
  ['an event', "serve({ '/v': { 'gather.complete': () => [] } }, { secret: 's' })", /gather.complete/],
  ['a member of an event', "serve({ '/v': { 'gather.completed': ({ digit }) => say(digit) } }, { secret: 's' })", /digit/],
  ['a page without a slash', "serve({ voice: {} }, { secret: 's' })", /voice/],
  ['a body', "box({ url: '', token: '' }).originateCall({ number: '101' })", /number/],
  ['a route', "box({ url: '', token: '' }).sendFaxes({ to: '1' })", /sendFaxes/],
]

t.test('the packed package compiles in a folder of its own, and what is wrong does not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-packed-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = packTypescript(folder)
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  spawnSync('tar', ['xzf', join(folder, file), '-C', join(folder, 'node_modules')])
  spawnSync('mv', [join(folder, 'node_modules/package'), join(folder, 'node_modules/pbxd')])
  symlinkSync(resolve('node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/pbxd/package.json'), 'utf8')) as Record<string, unknown>
  t.equal(manifest['dependencies'], undefined)
  const head = "import { box, gather, hangup, say, serve } from 'pbxd'\n"
  writeFileSync(
    join(folder, 'right.ts'),
    `${head}export const right = [say('x', { loop: 2 }), gather({ numDigits: 1 }), hangup(), box, serve]\n`,
  )
  for (const [at, [, code]] of wrong.entries())
    writeFileSync(join(folder, `wrong${at}.ts`), `${head}export const all = [gather, say, box, serve]\n${code}\n`)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const options = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  const { stdout } = spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  t.notMatch(stdout, /right\.ts|node_modules/)
  for (const [at, [what, , fault]] of wrong.entries())
    t.match(
      stdout
        .split('\n')
        .filter((line) => line.startsWith(`wrong${at}.ts`))
        .join('\n'),
      fault,
      `${what} that is wrong does not compile`,
    )
  writeFileSync(join(folder, 'run.js'), `${head}console.log(JSON.stringify([say('x'), hangup()]))\n`)
  t.equal(spawnSync(process.execPath, ['run.js'], { cwd: folder, encoding: 'utf8' }).stdout, '[{"say":{"text":"x"}},{"hangup":{}}]\n')
})
