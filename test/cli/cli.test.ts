/** The pbx program as a technician's shell sees it: text, JSON, exit codes; against a control socket in this process. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startSocket } from '../../daemon/http/socket.ts'
import { createLog } from '../../daemon/base/log.ts'
import { callId, eventId, inMemoryServices } from '../control/in-memory-services.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-cli-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))
const program = resolve('scripts/pbx')
const services = inMemoryServices()
const control = await startSocket({ socket: join(dir, 'pbxd.sock'), routes: services.routes(), log: createLog({ level: 'silent' }) })
t.teardown(() => control.close())

interface Ran {
  code: number | null
  out: string
  err: string
}

function run(
  args: string[],
  options: { socket?: string | null; input?: string; as?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: dir, ...options.env }
  if (options.socket !== null) env['PBXD_SOCKET'] = options.socket ?? control.socket
  // The test runner looks into every child through NODE_OPTIONS, which takes longer than the program itself.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', options.as ?? program, ...args], { env, cwd: dir })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.end(options.input ?? '')
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })))
}

const pbx = (line: string): Promise<Ran> => run(line.split(' '))

t.test('status is one screen that names what is wrong and what mends it', async (t) => {
  const { code, out } = await pbx('status')
  t.equal(code, 0)
  for (const wanted of [
    /^pbxd 0\.1\.0 {2}not ready {2}\d problems, see below/,
    /up 1d 2h/,
    /down {2}trunks +main: the provider refused the password/,
    /✗ +trunk +main +refused/,
    /calls: 1 in progress, 0 queued, 7 since the start/,
    /callbacks: 2 waiting, the oldest for 1m 0s, 1 given up/,
    /12\.0 GB free/,
    /not synchronised/,
    /! 1 callback was given up\n {2}fix: pbx callbacks retry --dead/,
  ]) {
    t.match(out, wanted)
  }
  const [, counted] = /(\d+) problems, see below/.exec(out) ?? []
  t.equal(out.match(/^[!✗] .*\n {2}fix: /gm)?.length, Number(counted), 'what is counted is listed, each with what mends it')
  t.equal((await pbx('status --check')).code, 1, 'for scripts: something is wrong')
  t.match(JSON.parse((await pbx('status --check --json')).out), {
    ready: false,
    warnings: [{ code: 'callbacks-dead', severity: 'warning' }],
  })
  t.ok(out.split('\n').length <= 40, 'fits a screen')
  t.notOk(out.includes('\u001b'), 'no colours into a pipe')
})

t.test('calls and their traces', async (t) => {
  t.match((await pbx('calls')).out, new RegExp(`${callId}.*\\+15551230001 +\\+15550001000 +- +in-progress \\(app\\)`))
  for (const id of ['last', callId, callId.slice(0, 8)]) {
    const { code, out } = await pbx(`trace ${id}`)
    t.equal(code, 0)
    t.match(out, /0\.003 .*──▶ app {2}event +call\.inbound\.pre_route/)
    t.match(out, /say, gather {2}in 18 ms/)
    t.match(out, /\{"gather":\{"numDigits":1\}\}/, 'the document is shown whole')
    t.match(out, /1\.900 +caller ──▶ +key +1 /)
  }
  t.match(await pbx('trace CA00'), { code: 1, err: /no call id contains CA00\n {2}try: pbx calls --all/ })
})

t.test('a command that a group does not have is told as one', async (t) => {
  t.match(await pbx('alarms acknowledge'), { code: 2, err: /pbx alarms has no command acknowledge/ })
})

t.test('lines', async (t) => {
  t.match(await pbx('lines'), { code: 0, out: /main +refused .*1\/30 +the provider refused the password/ })
})

t.test('callbacks are listed, shown and sent again', async (t) => {
  t.match(await pbx('callbacks list --state pending'), { code: 0, out: /^none/ })
  t.match(await pbx(`callbacks show ${eventId}`), { code: 0, out: /body +\{"event":"call.ended"\}/ })
  t.match(await pbx('callbacks retry'), { code: 2, err: /--dead/ })
  t.match(await pbx('callbacks retry --dead'), { code: 0, out: /^1 will be sent now/ })
  t.match(await pbx('callbacks list --state pending'), { code: 0, out: new RegExp(eventId) })
  t.match(await pbx('callbacks retry nope'), { code: 1, err: /no callback nope/ })
})

t.test('a token is printed alone, so that a script can keep it', async (t) => {
  t.same(await pbx('token create --name booking'), { code: 0, out: 'pbx_booking\n', err: '' })
  t.match(JSON.parse((await pbx('token create --name two --scope voice inbox --json')).out), {
    token: 'pbx_two',
    scopes: ['voice', 'inbox'],
  })
  t.match(await pbx('token create --name three --scope root'), { code: 2, err: /scopes are send, inbox/ })
  t.match(await pbx('token list'), { code: 0, out: /booking +send inbox voice crm admin/ })
  t.match(await pbx('token revoke booking'), { code: 0 })
  t.match(await pbx('token revoke booking'), { code: 1 })
})

t.test('a simulated call is told as it happens', async (t) => {
  const simulated = await pbx('simulate inbound --from 5551230001 --to 5550001000 --keys 1,12# --speed 20')
  t.match(simulated, { code: 0, out: /simulated call .*\n[^]*"Press one\."[^]*document-end: talked 2s/ })
  t.same(services.simulated, { from: '5551230001', to: '5550001000', keys: ['1', '12#'], say: '', speed: 20 })
  t.match(await run(['simulate', 'inbound', '--from', '1', '--to', '2', '--say', 'book a visit']), { code: 0 })
  t.match(services.simulated, { say: 'book a visit', speed: 1 })
  t.equal((await pbx('simulate inbound --from 1 --to dead-app')).code, 1, 'an application that failed is a failure')
  t.equal((await pbx('simulate inbound --from 1 --to broken')).code, 1)
  t.match(await pbx('simulate inbound --from 1 --to 2 --keys 1,x'), { code: 2, err: /Keys are/ })
  const lines = (await pbx('simulate inbound --from 1 --to 2 --json')).out.trimEnd().split('\n')
  t.same(
    lines.map((line) => JSON.parse(line).type),
    ['started', 'trace', 'trace', 'trace', 'trace', 'ended'],
  )
})

t.test('the doctor fails when something fails, and looks at the machine when the daemon is down', async (t) => {
  t.match(await pbx('doctor'), { code: 1, out: /✗ endpoint reception: refused\n {2}fix: start it/ })
  const down = await run(['doctor', '--json'], { socket: join(dir, 'nobody') })
  t.equal(down.code, 3)
  t.match(JSON.parse(down.out), [{ name: 'daemon', level: 'failure' }, { name: 'engine' }, { name: 'real time' }])
  const config = join(dir, 'refused.yaml')
  writeFileSync(config, 'nonsense: 1\n')
  const refused = await run(['doctor'], { socket: join(dir, 'nobody'), env: { PBXD_CONFIG: config } })
  t.match(refused, { code: 3, out: /configuration: .* has faults\n {2}fix: pbx config check/ })
})

t.test('signatures', async (t) => {
  const body = '{"event":"fax.sent"}'
  const signature = 'sha256=918621c4cdfaff87b4c8b6c695bf31c0ef8e1e694cd6f56438eac27075207135'
  const signed = await run(['sign', '--secret', 'whsec_example', '--timestamp', '1772460311'], { input: body })
  t.match(signed, { code: 0, out: `X-Service-Signature: ${signature}` })
  const fresh = JSON.parse((await run(['sign', '--json'], { input: body, env: { PBX_SECRET: 's' } })).out)
  const verify = (changed: string): Promise<Ran> =>
    run(['verify', '--secret', 's', '--timestamp', fresh['X-Service-Timestamp'], '--signature', fresh['X-Service-Signature']], {
      input: changed,
    })
  t.equal((await verify(body)).code, 0)
  t.match(await verify(`${body} `), { code: 1, out: /secrets differ/ })
  t.match(await run(['sign'], { input: body }), { code: 2, err: /--secret/ })
})

t.test('exit codes', async (t) => {
  await t.test('2: what was typed makes no sense, and the help is named', async (t) => {
    for (const line of ['frobnicate', 'status --nope', 'simulate inbound', 'callbacks', 'trace', 'calls --limit x']) {
      const { code, err } = await pbx(line)
      t.equal(code, 2, line)
      t.match(err, /help|Usage/i, line)
    }
    t.equal((await run([])).code, 2)
  })
  await t.test('3: the daemon does not exist, and how to start it is named', async (t) => {
    const socket = join(dir, 'nobody')
    t.match(await run(['status'], { socket }), { code: 3, out: '', err: /not reachable on .*nobody: the socket does not exist\n {2}try: / })
    const told = await run(['calls', '--json'], { socket })
    t.match(told, { code: 3, err: '' })
    t.match(JSON.parse(told.out), { code: 'unreachable' })
  })
  await t.test('0: help and version', async (t) => {
    t.match(await pbx('--version'), { code: 0, out: /^\d+\.\d+\.\d+\n$/ })
    t.match(await pbx('--help'), { code: 0, out: /doctor[^]*status[^]*Exit codes/ })
    for (const line of [
      'status',
      'calls',
      'trace',
      'lines list',
      'lines bans',
      'lines unban',
      'callbacks list',
      'callbacks show',
      'callbacks retry',
      'token create',
      'token list',
      'token revoke',
      'config check',
      'simulate inbound',
      'doctor',
      'sign',
      'verify',
    ]) {
      t.match(await pbx(`${line} --help`), { code: 0, out: /--json[^]*Examples:\n {2}/ }, line)
    }
  })
})

t.test('the socket is found', async (t) => {
  const named = join(dir, 'box.yaml')
  writeFileSync(named, `control: { socket: ${control.socket} }\nsite: { nmae: typo }\n`)
  t.equal((await run(['lines', '--socket', control.socket], { socket: null })).code, 0, 'by --socket')
  t.equal((await run(['lines', '--config', named], { socket: null })).code, 0, 'by the configuration, even one with a fault elsewhere')
  t.equal((await run(['lines'], { socket: null, env: { PBXD_CONFIG: named } })).code, 0, 'by $PBXD_CONFIG')
  const byStorage = join(dir, 'storage.yaml')
  writeFileSync(byStorage, 'storage: { dir: there }\n')
  t.match(
    await run(['lines', '--config', byStorage], { socket: null }),
    { code: 3, err: join(dir, 'there/run/pbxd.sock') },
    'below storage.dir',
  )
  t.equal((await run(['lines', '--socket', control.socket], { socket: join(dir, 'nobody') })).code, 0, '--socket wins over the environment')
})

t.test('the program runs through a symbolic link from anywhere', async (t) => {
  const link = join(dir, 'pbx')
  symlinkSync(program, link)
  t.match(await run(['lines', '--json'], { as: link }), { code: 0, out: /"refused"/ })
})

t.test('a configuration is checked without the daemon', async (t) => {
  const good = join(dir, 'good.yaml')
  const bad = join(dir, 'bad.yaml')
  writeFileSync(good, 'site: { name: Riverside Clinic, country: US }\n')
  writeFileSync(bad, 'site: { nmae: Riverside Clinic }\nhttp: { listen: 12 }\n')
  const options = { socket: join(dir, 'nobody') }
  t.match(await run(['config', 'check', good], options), { code: 0, out: /good/ })
  const { code, err } = await run(['config', 'check', bad], options)
  t.equal(code, 1)
  t.match(err, /bad\.yaml:1:\d+: [^\n]+\n.*bad\.yaml:2:\d+: /, 'all faults at once, each with line and column')
  t.match(JSON.parse((await run(['config', 'check', '--json', bad], options)).out), { ok: false, faults: [{ line: 1 }, { line: 2 }] })
  t.equal((await run(['config', 'check', join(dir, 'none.yaml')], options)).code, 2)
})

t.test('the program starts fast', async (t) => {
  /** The best of five, since the machine may have other work. */
  const best = async (work: () => Promise<unknown>): Promise<number> => {
    const times: number[] = []
    for (let n = 0; n < 5; n++) {
      const began = performance.now()
      await work()
      times.push(performance.now() - began)
    }
    return Math.min(...times)
  }
  await pbx('lines')
  const [bare, ours] = [await best(() => promisify(execFile)(process.execPath, ['-e', '0'])), await best(() => pbx('lines'))]
  t.comment(`pbx lines: ${Math.round(ours)} ms; Node alone: ${Math.round(bare)} ms`)
  t.ok(ours < 20 * bare, 'little more than Node itself')
})
