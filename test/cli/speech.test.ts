/** The commands of speech as a technician's shell sees them, against a control socket in this process. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { startSocket } from '../../daemon/http/socket.ts'
import { createLog } from '../../daemon/base/log.ts'
import { readWav } from '../../drivers/wav.ts'
import { overLine, speak } from '../../scripts/cli/selftest/corpus.ts'
import { startSpeech } from '../../scripts/cli/selftest/processes.ts'
import { verdicts } from '../../scripts/cli/selftest/selftest.ts'
import { inMemoryServices } from '../control/in-memory-services.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-cli-speech-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))
const services = inMemoryServices()
t.teardown(() => rmSync(services.speech.uploads, { recursive: true, force: true }))
const control = await startSocket({ socket: join(dir, 'pbxd.sock'), routes: services.routes(), log: createLog({ level: 'silent' }) })
t.teardown(() => control.close())

interface Ran {
  code: number | null
  out: Buffer
  text: string
  err: string
}

function pbx(args: string[], options: { input?: string; terminal?: boolean } = {}): Promise<Ran> {
  const env = { PATH: process.env['PATH'], HOME: dir, PBXD_SOCKET: control.socket }
  const program = resolve('scripts/pbx')
  // script(1) gives a program the terminal it looks for.
  const command = options.terminal ? ['script', '-qec', [program, ...args].join(' '), '/dev/null'] : [program, ...args]
  const child = spawn('env', ['-u', 'NODE_OPTIONS', ...command], { env, cwd: dir })
  const out: Buffer[] = []
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.end(options.input ?? '')
  return new Promise((done) =>
    child.once('close', (code) => done({ code, out: Buffer.concat(out), text: String(Buffer.concat(out)), err })),
  )
}

t.test('say writes a WAV file and tells who spoke', async (t) => {
  const out = join(dir, 'a.wav')
  t.match(await pbx(['say', 'Hello <there>', '--out', out, '--voice', 'bob', '--language', 'en-US', '--rate', '1.5']), {
    code: 0,
    text: '',
    err: /no voice "bob"[^]*a\.wav: flite-2\.2, 1\.0 s of speech in 50 ms/,
  })
  t.equal(readWav(readFileSync(out)).samples.length, 8000)
  t.same(services.said, { text: 'Hello <there>', voice: 'bob', language: 'en-US', rate: 1.5 })
  t.same(JSON.parse((await pbx(['say', 'x', '--out', out, '--json'])).text), {
    file: out,
    bytes: 16_044,
    engine: 'flite-2.2',
    firstMs: 30,
    ms: 50,
    seconds: 1,
    warnings: [],
  })
  const piped = await pbx(['say', 'x'])
  t.equal(readWav(piped.out).samples.length, 8000, 'into a pipe the sound itself')
  t.match(piped.err, /flite-2\.2/)
  t.match(await pbx(['say', 'x'], { terminal: true }), { code: 2, text: /cannot play[^]*--out FILE/ })
  t.match(await pbx(['say', 'nobody', '--out', out]), { code: 1, err: /flite is missing/ })
  for (const args of [
    ['say', ' '],
    ['say', 'x', '--rate', '9'],
    ['say', 'x', '--language', '/'],
    ['say', 'x', '--json'],
    ['say', 'x', '--out', '/nowhere/a.wav'],
  ]) {
    t.equal((await pbx(args)).code, 2, args.join(' '))
  }
})

t.test('transcribe prints the words alone', async (t) => {
  const file = join(dir, 'message.wav')
  const bytes = Buffer.alloc(700_000, 3)
  writeFileSync(file, bytes)
  t.match(await pbx(['transcribe', file, '--hint', 'Dr. Lee', 'billing', '--language', 'en-US']), {
    code: 0,
    text: 'move my appointment\n',
    err: /^parakeet-110m, in 0\.0 s/,
  })
  t.ok(services.heard?.bytes.equals(bytes))
  t.same(services.heard?.options, { hints: ['Dr. Lee', 'billing'], language: 'en-US' })
  t.match(await pbx(['transcribe', '-'], { input: 'RIFF' }), { code: 0 })
  t.equal(String(services.heard?.bytes), 'RIFF', 'from standard input')
  t.match(await pbx(['transcribe', file], { terminal: true }), { code: 0, text: /transcribing █+░+ 50 %[^]*move my appointment/ })
  services.transcript = { status: 'empty', text: '', reason: '', engine: 'parakeet-110m' }
  t.match(await pbx(['transcribe', file]), { code: 0, text: '', err: /no speech/ })
  services.transcript = { status: 'failed', text: '', reason: 'engine-failed', engine: '' }
  t.match(await pbx(['transcribe', file]), { code: 1, text: '', err: /the recogniser failed/ })
  services.transcript = { ...services.transcript, reason: 'audio-unreadable: The file is MP3; only WAV can be played' }
  t.match(JSON.parse((await pbx(['transcribe', file, '--json'])).text), {
    code: 'audio-unreadable',
    error: /not a supported WAV file.* \(The file is MP3/,
  })
  services.heard = undefined
  services.transcript = { status: 'off', text: '', reason: 'model-missing', engine: '' }
  t.match(await pbx(['transcribe', file]), { code: 1, text: '', err: /no model for recordings[^]*try: pbx models install parakeet-110m/ })
  t.equal(services.heard, undefined, 'nothing was sent in vain')
  t.match(JSON.parse((await pbx(['transcribe', file, '--json'])).text), { code: 'model-missing', fix: /pbx models install/ })
  t.match(await pbx(['transcribe', file, '--language', 'de']), { code: 1, err: /recognises this language/ })
  t.match(await pbx(['transcribe', join(dir, 'none.wav')]), { code: 2, err: /cannot be read/ })
})

t.test('the verdict of the selftest is a sentence for each engine, with what was missed', (t) => {
  const result = (engine: string, name: string, pass: boolean) => ({ engine, name, target: '>= 80 %', measured: '75 % of 20', pass })
  t.same(verdicts([]), [])
  t.same(verdicts([result('a', 'digits exact', true), result('b', 'digits exact', false), result('a', 'memory', true)]), [
    { engine: 'a', pass: true, verdict: 'a does what its figures say' },
    { engine: 'b', pass: false, verdict: 'b does not do what its figures say: digits exact 75 % of 20 (>= 80 %)' },
  ])
  t.end()
})

t.test('the selftest starts its process on a box without a model', async (t) => {
  const tested = await startSpeech('embedded-grammar', { kind: 'webrtc' }, [], new AbortController().signal)
  t.teardown(() => tested.close())
  t.equal(tested.recogniser.vocabulary, 'closed')
  t.ok((tested.memoryBytes() ?? 1) > 0)
  const { samples } = overLine(await speak('yes', 'yes-no', 'slt'), 'quiet', 0, 1)
  t.match(await tested.recogniser.recognise(samples, { language: 'en-US', hints: ['yes', 'no'], digits: null }), { text: 'yes' })
})

t.test('speech tells who serves, why, and what would be better', async (t) => {
  const { code, text } = await pbx(['speech'])
  t.equal(code, 0)
  for (const wanted of [
    /call +embedded-grammar \(closed grammars only\) {2}no model for calls is installed\n +better: pbx models install conformer-small/,
    /recording +nobody\n/,
    /call +running +77 +120 MB +900 MB +1 +killed: SIGKILL/,
    /recording +idle +- +-/,
    /en-US +flite-2\.2, espeak-ng-1\.51/,
    /whisper-tiny: crashed .* twice[^]*fix: pbx models verify/,
    /espeak-ng is missing\n {2}fix: apt-get install espeak-ng/,
    /conformer-small +understands callers, writes down voicemail +.*MB.*\n[^]*install them: pbx models install recommended/,
  ]) {
    t.match(text, wanted)
  }
  t.match(JSON.parse((await pbx(['speech', '--json'])).text), { roles: [{ role: 'call' }], processes: [{ pid: 77 }] })
  t.match(JSON.parse((await pbx(['speech', 'reload', '--json'])).text), { roles: [{ role: 'call' }] })
  t.equal(services.reloads, 1)
  t.match((await pbx(['status'])).text, /ok +speech +calls: closed grammar only \(no speech model: pbx models install conformer-small\); /)
  t.match(await pbx(['speech', 'selftest', '--model', 'nothing']), { code: 1, err: /nothing is not installed/ })
  for (const args of [['say'], ['transcribe'], ['speech'], ['speech', 'reload'], ['speech', 'selftest']]) {
    t.match(await pbx([...args, '--help']), { code: 0, text: /--json[^]*Examples:\n {2}/ }, args.join(' '))
  }
})
