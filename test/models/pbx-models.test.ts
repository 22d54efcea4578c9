/** pbx models as a technician's shell sees it, with and without a daemon, killed in the middle and begun again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import t from 'tap'
import { piperConfig, rawPiper, tinyCtc } from '../speech-sherpa/onnx.ts'
import { archived, boxOf, content, loose, manifestFile, pack, serveModels, sha256, sizeOf, temporaryFolder, write } from './stage.ts'
import { eventually } from '../harness/waiting.ts'

const server = await serveModels()
t.teardown(() => server.close())
const home = temporaryFolder(t)
const models = [
  archived(server, 'conformer-small', boxOf(temporaryFolder(t), content(300_000))),
  loose(server, 'big', { encoder: content(2_000_000), tokens: content(500) }, { note: 'Take care.', licence: 'CC-BY-4.0' }),
]
const manifest = manifestFile(home, models)

interface Ran {
  code: number | null
  out: string
  err: string
}

function start(line: string, env: Record<string, string> = {}): { child: ChildProcess; ran: Promise<Ran> } {
  const child = spawn('env', ['-u', 'NODE_OPTIONS', resolve('scripts/pbx'), ...line.split(' ')], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, PBXD_SOCKET: join(home, 'nobody'), ...env },
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  return { child, ran: new Promise((done) => child.once('close', (code) => done({ code, out, err }))) }
}

let folder = ''
const pbx = (line: string, env?: Record<string, string>): Promise<Ran> =>
  start(`models ${line} --manifest ${manifest} --dir ${folder}`, env).ran
t.beforeEach((t) => {
  folder = temporaryFolder(t)
  server.faults.length = 0
  server.asked.length = 0
  server.pace = 0
})

t.test('what suits this machine is installed by one word', async (t) => {
  // Archives of the same names as those of the other tests.
  const other = await serveModels()
  t.teardown(() => other.close())
  const suiting = ['conformer-small', 'parakeet-110m', 'whisper-base', 'silero-vad'].map((id) =>
    archived(other, id, boxOf(temporaryFolder(t), content(3000))),
  )
  const own = manifestFile(temporaryFolder(t), suiting)
  const { code, out } = await start(`models install recommended --no-trial --manifest ${own} --dir ${folder}`).ran
  t.equal(code, 0, out)
  t.match(out, /installed: (conformer-small|parakeet-110m) in [^]*installed: silero-vad in /)
  t.notMatch(out, /whisper-base/, 'the site speaks English')
})

t.test('list, install, verify, damage, remove', async (t) => {
  t.match(await pbx('list'), { code: 0, out: /conformer-small +call recording +- .*MIT/ })
  const installed = await pbx('install conformer-small big --no-trial')
  t.match(installed, {
    code: 0,
    out: /licence: MIT .*\n[^]*Nobody in particular[^]*installed: conformer-small in [^]*licence: CC-BY-4.0[^]*Take care/,
  })
  t.match(installed.err, /conformer-small: downloading \d+ %/)
  t.notOk(installed.err.includes('\r'), 'no bar into a pipe')
  t.match(await pbx('install big --no-trial'), { code: 0, out: /big is already installed/ })
  t.match(await pbx('list'), { code: 0, out: /big +call recording +installed/ })
  t.match(await pbx('verify'), { code: 0, out: /ok +conformer-small\nok +big/ })

  const file = join(folder, 'big/encoder.bin')
  const bytes = readFileSync(file)
  bytes[77] = (bytes[77] ?? 0) ^ 1
  writeFileSync(file, bytes)
  t.match(await pbx('list'), { code: 0, out: /big +call recording +damaged[^]*encoder.bin was changed[^]*pbx models verify big/ })
  t.match(await pbx('verify'), { code: 1, out: /damaged +big: encoder.bin is not what was installed/ })
  t.match(JSON.parse((await pbx('verify --json')).out), [
    { id: 'conformer-small', state: 'installed' },
    { id: 'big', state: 'damaged' },
  ])
  t.match(await pbx('remove big'), { code: 0, out: /big is removed/ })
  t.match(await pbx('remove big'), { code: 1, err: /not installed/ })
  t.notOk(existsSync(join(folder, 'big')))
})

t.test('JSON for programs', async (t) => {
  const { code, out, err } = await pbx('install conformer-small --no-trial --json')
  t.equal(code, 0)
  t.equal(err, '', 'nothing but the answer')
  t.match(JSON.parse(out), {
    installed: [{ id: 'conformer-small', state: 'installed', already: false, files: [{ role: 'model' }, { role: 'tokens' }] }],
  })
  t.match(JSON.parse((await pbx('list --json')).out), [
    { id: 'conformer-small', state: 'installed', inUse: null, pinned: true },
    { id: 'big', state: 'not-installed' },
  ])
  server.files.delete('/gone')
  server.faults.push({ status: 404 })
  const failed = await pbx('install big --no-trial --json')
  t.match([failed.code, JSON.parse(failed.out)], [1, { code: 'network', error: /404/ }])
})

t.test('wrong usage', async (t) => {
  t.match(await pbx('install conformer-smal'), { code: 2, err: /did you mean "conformer-small"/ })
  t.match(await pbx('install'), { code: 2 })
  t.match(await start('models list --manifest nowhere.json').ran, { code: 2, err: /nowhere.json cannot be read/ })
  t.match(await pbx('import nowhere'), { code: 1, err: /there is no .*nowhere/ })
})

t.test('a killed installation leaves nothing installed, and the next goes on', async (t) => {
  server.pace = 1_000_000
  const { child, ran } = start(`models install big --no-trial --manifest ${manifest} --dir ${folder}`)
  const part = join(folder, '.incoming/big/encoder.bin.part')
  await eventually('some of it is there', () => sizeOf(part) >= 400_000, undefined, 5)
  child.kill('SIGKILL')
  await ran
  t.match(await pbx('list'), { code: 0, out: /big +call recording +- / })
  server.pace = 0
  server.asked.length = 0
  t.match(await pbx('install big --no-trial'), { code: 0, out: /installed: big/ })
  t.match(server.asked[0]?.range, /^bytes=[4-9]\d{5}-$|^bytes=1\d{6}-$/)
  t.match(await pbx('verify big'), { code: 0 })
})

t.test('^C stops at once and says how it goes on', async (t) => {
  server.pace = 500_000
  const { child, ran } = start(`models install big --no-trial --manifest ${manifest} --dir ${folder}`)
  await eventually('some of it is there', () => sizeOf(join(folder, '.incoming/big/encoder.bin.part')) >= 100_000, undefined, 5)
  child.kill('SIGINT')
  t.match(await ran, { code: 1, err: /continues from here/ })
})

t.test("through the environment's proxy", async (t) => {
  let asked = 0
  const proxy = createServer((request, response) => {
    asked += 1
    response.end(server.files.get(new URL(request.url ?? '').pathname))
  })
  proxy.on('connect', (request, client: Socket) => {
    asked += 1
    const [host = '', port] = (request.url ?? '').split(':')
    const there = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    there.pipe(client).pipe(there)
    there.on('error', () => client.destroy())
    client.on('error', () => there.destroy())
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  t.teardown(() => proxy.close())
  const http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  t.match(await pbx('install big --no-trial', { http_proxy }), { code: 0, out: /installed: big/ })
  t.ok(asked > 0, 'the proxy was used')
})

t.test('without a connection: the addresses, and the import', async (t) => {
  t.match(await pbx('list --urls'), {
    code: 0,
    out: new RegExp(`big\n +http.*/big/encoder.bin\n +2000000 bytes, sha256 ${models[1]?.files[0]?.sha256}`),
  })
  server.faults.push({ status: 404 })
  t.match(await pbx('install big --no-trial'), { code: 1, err: /another computer[^]*pbx models import FOLDER[^]*\/big\/tokens.bin/ })
  const stick = write(
    temporaryFolder(t),
    Object.fromEntries(['encoder', 'tokens'].map((name) => [`${name}.bin`, server.files.get(`/big/${name}.bin`) ?? ''])),
  )
  server.asked.length = 0
  t.match(await pbx(`import ${stick} --no-trial`), { code: 0, out: /installed: big/ })
  t.equal(server.asked.length, 0)
})

t.test('what is no model is refused by the trial, in a process that may die of it', async (t) => {
  t.match(await pbx('install conformer-small'), { code: 1, err: /conformer-small cannot be loaded: / })
  t.notOk(existsSync(join(folder, 'conformer-small')))
})

t.test('what the engines can load is installed: a recogniser, and a Piper voice as it is published', async (t) => {
  const box = temporaryFolder(t)
  const { directory, files } = tinyCtc(box)
  const model = readFileSync(join(directory, files['model'] ?? ''))
  const archive = pack(
    write(temporaryFolder(t), { 'box/model.onnx': model, 'box/tokens.txt': readFileSync(join(directory, files['tokens'] ?? '')) }),
    ['box'],
  )
  const voice = { model: rawPiper(), config: Buffer.from(JSON.stringify(piperConfig)) }
  const file = manifestFile(temporaryFolder(t), [
    archived(server, 'tiny-ctc', archive),
    loose(server, 'tiny-piper', voice, { kind: 'piper', roles: ['voice'], languages: ['en-US'] }),
  ])
  const ran = await start(`models install tiny-ctc tiny-piper --manifest ${file} --dir ${folder}`).ran
  t.match(ran, { code: 0, out: /installed: tiny-ctc[^]*installed: tiny-piper/, err: /tiny-piper: test loading/ })
  t.match(readFileSync(join(folder, 'tiny-piper/tokens.txt'), 'utf8'), /^\S+ \d+\n/)
  t.ok(sizeOf(join(folder, 'tiny-piper/model.bin')) > voice.model.length, 'the metadata the engine wants was added')
  t.match(await start(`models verify --manifest ${file} --dir ${folder}`).ran, { code: 0, out: /ok +tiny-ctc\nok +tiny-piper/ })
})

t.test('the folder of the configuration, and a daemon that is told', async (t) => {
  const config = join(home, 'pbxd.yaml')
  writeFileSync(config, 'speech: { models: { dir: my-models } }\n')
  const told: string[] = []
  const socket = join(home, 'pbxd.sock')
  const daemon = createServer((request, response) => {
    told.push(`${request.method} ${request.url}`)
    if (request.method === 'POST') response.writeHead(200).end('{}')
    else response.writeHead(200).end(JSON.stringify({ roles: [{ role: 'call', engine: 'conformer-small' }], voices: [] }))
  })
  await new Promise<void>((done) => daemon.listen(socket, done))
  t.teardown(() => daemon.close())
  const env = { PBXD_SOCKET: socket, PBXD_CONFIG: config }
  const { code, out } = await start(`models install conformer-small --no-trial --manifest ${manifest}`, env).ran
  t.match({ code, out }, { code: 0, out: /the daemon has loaded the change/ })
  t.ok(existsSync(join(home, 'my-models/conformer-small/INSTALLED.json')))
  t.same(told, ['POST /api/speech/reload'])
  t.match((await start(`models list --manifest ${manifest}`, env).ran).out, /conformer-small +call recording +in use/)
  t.equal(statSync(join(home, 'my-models/conformer-small/model.onnx')).mode & 0o777, 0o644)
})

t.test('the detector that comes with the program is told by its sha256', async (t) => {
  const own = resolve('.cache/models/silero-vad/silero_vad.onnx')
  if (!existsSync(own)) return void t.pass('its sha256', { skip: 'scripts/setup has not put it there' })
  t.match(sha256(readFileSync(own)), /^1a153a22/)
  const stick = write(temporaryFolder(t), { 'silero_vad.onnx': readFileSync(own) })
  t.match(await start(`models import ${stick} --no-trial --dir ${folder}`).ran, { code: 0, out: /installed: silero-vad/ })
})
