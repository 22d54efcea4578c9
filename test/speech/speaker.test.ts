import t from 'tap'
import { Agent } from 'undici'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../daemon/base/log.ts'
import { PhraseCache } from '../../daemon/speech/cache.ts'
import { DiskCache } from '../../daemon/speech/disk-cache.ts'
import { AudioFetcher } from '../../daemon/speech/fetch-audio.ts'
import { Prompts, failureTone } from '../../daemon/speech/prompts.ts'
import { Speaker, type Utterance, type UtterancePart } from '../../daemon/speech/speaker.ts'
import { createEspeak, createFlite } from '../../drivers/speech-embedded/engines.ts'
import { writeWav } from '../../drivers/sim/leg.ts'
import type { Synthesiser } from '../../drivers/speech.ts'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { eventually, found } from '../harness/waiting.ts'

const log = createLog({ level: 'silent' })
const rms = (samples: Int16Array): number => Math.sqrt(samples.reduce((sum, s) => sum + s * s, 0) / samples.length)
const seconds = (parts: readonly UtterancePart[]): number =>
  parts.reduce((sum, part) => sum + ('silenceMs' in part ? part.silenceMs / 1000 : part.samples.length / 8000), 0)
const whole = (utterance: Utterance): Promise<UtterancePart[]> => Promise.all(utterance.parts)
const texts = (parts: readonly UtterancePart[]): (string | undefined)[] =>
  parts.map((part) => ('silenceMs' in part ? `[${part.silenceMs}]` : part.text))

function directory(t: { teardown(fn: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'pbx-speech-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const speaker = (engines: readonly Synthesiser[], cache = new PhraseCache(1 << 20, null)): Speaker =>
  new Speaker({ engines, language: 'en-US', cache, log })

/** Counts what reaches the engine behind it. */
function counted(engine: Synthesiser): Synthesiser & { readonly asked: string[] } {
  const asked: string[] = []
  return { ...engine, asked, synthesise: (request) => (asked.push(request.text), engine.synthesise(request)) }
}

t.test('flite and espeak-ng give 8 kHz speech of a sane length, from any text', async (t) => {
  const flite = createFlite()
  const espeak = createEspeak()
  t.strictSame(await flite.check(), { ok: true, reason: '' })
  t.strictSame(await espeak.check(), { ok: true, reason: '' })
  const ask = (engine: Synthesiser, text: string, language = 'en-US', rate = 1) => engine.synthesise({ text, language, rate, voice: '' })
  const plain = await ask(flite, 'Thank you for calling. Please press one.')
  t.ok(plain.length > 1.5 * 8000 && plain.length < 5 * 8000, `${plain.length / 8000} s`)
  t.ok(rms(plain) > 300)
  t.ok((await ask(flite, 'Thank you for calling. Please press one.', 'en-US', 2)).length < 0.7 * plain.length, 'twice as fast')
  for (const text of ['-o /tmp/x', '--help', '$(reboot); `id`', '/etc/passwd', "it's “quoted” – café", '[[a]] <b>']) {
    t.ok((await ask(flite, text)).length > 2000, `flite: ${text}`)
    t.ok((await ask(espeak, text, 'de-DE')).length > 2000, `espeak-ng: ${text}`)
  }
  t.ok((await ask(flite, 'word '.repeat(250))).length > 40 * 8000, 'a very long text')
  t.type(await ask(flite, 'a'.repeat(1000)), Int16Array)
  t.type(await ask(flite, '...'), Int16Array)
  for (const language of ['de-DE', 'fr-FR', 'es-MX', 'pt-BR', 'zh-CN', 'pl']) {
    t.ok(espeak.speaks(language), language)
    t.ok((await ask(espeak, 'Information 12', language)).length > 4000, language)
  }
  t.notOk(espeak.speaks('xx-YY'))
  t.notOk(flite.speaks('de'))
  await t.rejects(ask(espeak, 'x', 'xx'), { code: 'language-unsupported' })
  t.match(await createFlite({ command: '/nowhere/flite' }).check(), { ok: false, reason: /apt-get install flite/ })
  await t.rejects(ask(createFlite({ command: '/nowhere/flite' }), 'x'), { code: 'engine-missing' })
  await t.rejects(ask(createFlite({ limitMs: 1 }), 'word '.repeat(500)), { code: 'engine-failed', message: /longer than 1 ms/ })
  const stop = new AbortController()
  const aborted = flite.synthesise({ text: 'word '.repeat(500), language: 'en-US', rate: 1, voice: '', signal: stop.signal })
  stop.abort()
  await t.rejects(aborted, { code: 'aborted' })
})

t.test('the program of the next phrase waits for its text, and one that has ended is started once more', async (t) => {
  const flite = createFlite()
  const ask = (text: string, rate = 1) => flite.synthesise({ text, language: 'en-US', rate, voice: '' })
  const waiting = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('flite'))
  const before = waiting()
  const ready = async (): Promise<number> => found('a program that waits', () => waiting().find((pid) => !before.includes(pid)))
  const plain = await ask('Hello there.')
  const first = await ready()
  t.same(await ask('Hello there.'), plain, 'the same words from the program that waited')
  const second = await ready()
  t.not(second, first)
  process.kill(second, 'SIGKILL')
  await eventually('its end', () => !childrenOf(process.pid).includes(second))
  t.same(await ask('Hello there.'), plain)
  const third = await ready()
  t.ok((await ask('Hello there.', 0.5)).length > 1.5 * plain.length, 'at another speed')
  await eventually('the end of the one of the other speed', () => !waiting().includes(third))
})

t.test('a text becomes clips by the sentence, equally loud, with pauses between', async (t) => {
  const said = speaker([createFlite(), createEspeak()]).prepare({
    text: 'Your visit is on 2026-03-05 at 3:30 PM. Press 1 to confirm.',
    callId: 'a',
  })
  const parts = await whole(said)
  t.match(texts(parts).join(' '), /March fifth, twenty twenty-six at three thirty P M\. \[350\] Press one to confirm\./)
  t.ok(seconds(parts) > 4 && seconds(parts) < 9, `${seconds(parts)} s`)
  for (const part of parts) if ('samples' in part) t.ok(rms(part.samples) > 1800 && rms(part.samples) < 4200, `${rms(part.samples)}`)
  t.strictSame(said.warnings, [])
  t.strictSame(await said.late, [])
})

t.test('SSML, languages, voices that do not exist, silence', async (t) => {
  const box = speaker([createFlite(), createEspeak()])
  const ssml = box.prepare({
    text: '<speak>One.<break time="700ms"/><prosody volume="soft">Two.</prosody><prosody volume="silent">x</prosody></speak>',
    callId: 'a',
  })
  const parts = await whole(ssml)
  t.match(parts, [{ text: 'One.' }, { silenceMs: 700 }, { text: 'Two.', key: /-6$/ }, { silenceMs: Number }])
  const german = box.prepare({ text: 'Guten Tag. Bitte warten.', language: 'de-DE', callId: 'a', voice: 'bob' })
  t.ok(seconds(await whole(german)) > 1.2)
  t.match(german.warnings, [/no voice "bob"/])
  t.strictSame(box.prepare({ text: '', callId: 'a' }).parts, [])
  t.strictSame(box.prepare({ text: '  ...  ', callId: 'a' }).parts, [])
  const broken = box.prepare({ text: '<speak>Hello <b', callId: 'a' })
  t.equal(broken.parts.length, 1)
  t.ok(broken.warnings.length > 0)
})

t.test('the first sentence is made first, and the same phrase only once', async (t) => {
  const engine = counted(createFlite())
  const box = new Speaker({ engines: [engine], language: 'en-US', cache: new PhraseCache(1 << 20, null), log, concurrency: 1 })
  const first = box.prepare({ text: 'One one. Two two. Three three.', callId: 'a' })
  const second = box.prepare({ text: 'Four four. Two two.', callId: 'b' })
  await Promise.all([...first.parts, ...second.parts])
  t.strictSame(engine.asked, ['One one.', 'Four four.', 'Two two.', 'Three three.'])
  const again = await whole(box.prepare({ text: 'One one.', callId: 'c' }))
  t.equal(engine.asked.length, 4, 'from memory')
  t.equal('key' in again[0]! && again[0].key, await first.parts[0]!.then((part) => 'key' in part && part.key))
})

t.test('a failing engine is covered by the next, then by a tone; never by an exception', async (t) => {
  const missing = createFlite({ command: '/nowhere/flite' })
  const said = speaker([missing, createEspeak()]).prepare({ text: 'Hello there.', callId: 'a' })
  const parts = await whole(said)
  t.ok(seconds(parts) > 0.4)
  t.match(await said.late, [/could not speak/])
  const nobody = speaker([missing]).prepare({ text: 'Hello there.', callId: 'a' })
  t.match(await whole(nobody), [{ key: failureTone.key, text: 'Hello there.' }])
  t.match(await nobody.late, [/could not speak/, /tone/])
})

t.test('memory is bounded; the disk holds only what three calls have heard, and never what is sensitive', async (t) => {
  const path = directory(t)
  mkdirSync(join(path, 'ab'))
  writeFileSync(join(path, 'ab', 'abcd.part'), 'x')
  const disk = await DiskCache.open(path, 1 << 20, (error) => t.fail(String(error)))
  const cache = new PhraseCache(60_000, disk)
  const engine = counted(createFlite())
  const box = speaker([engine], cache)
  const say = (text: string, callId: string, sensitive = false) => whole(box.prepare({ text, callId, sensitive }))
  const files = async (): Promise<number> => {
    await disk.settled()
    return readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  }
  t.equal(await files(), 0, 'leftovers are gone')
  for (let n = 0; n < 4; n += 1) await say('Secret.', `s${n}`, true)
  for (let n = 0; n < 5; n += 1) await say('Hello.', 'one')
  await say('Hello.', 'two')
  t.equal(await files(), 0)
  const heard = await say('Hello.', 'three')
  t.equal(await files(), 1)
  t.equal(engine.asked.length, 2)
  await say('This is a rather long sentence that fills the whole of the memory there is.', 'x')
  t.ok(cache.bytes <= 60_000)
  const fresh = counted(createFlite())
  const later = speaker([fresh], new PhraseCache(1 << 20, await DiskCache.open(path, 1 << 20, (error) => t.fail(String(error)))))
  t.strictSame(await whole(later.prepare({ text: 'Hello.', callId: 'z' })), heard)
  t.strictSame(fresh.asked, [], 'read from disk after a restart')
  const small = await DiskCache.open(path, 8000, () => undefined)
  small.write('ffff', new Int16Array(900))
  await small.settled()
  t.strictSame([small.has('ffff'), await files()], [true, 1], 'the oldest made room')
})

t.test('the prompt library: built-in phrases, own recordings, files by URL', async (t) => {
  const path = directory(t)
  const engine = counted(createFlite())
  let served = 0
  let fail = false
  const server = createServer((request, response) => {
    served += 1
    if (fail) return void response.writeHead(500).end()
    if (request.url === '/never') return
    if (request.url === '/mp3') return void response.end('ID3\x04aaaaaaaaaaaaaaaa')
    if (request.url === '/big') return void response.end(Buffer.alloc(11 * 1024 * 1024))
    if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end()
    response.setHeader('etag', '"1"')
    const head = Buffer.from('RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\x80\x3e\0\0', 'latin1')
    response.end(Buffer.concat([head, Buffer.alloc(16_000, 5)]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => (server.closeAllConnections(), server.close()))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const prompts = new Prompts({
    speaker: speaker([engine]),
    fetcher: new AudioFetcher({ dispatcher: new Agent(), limitMs: 300 }),
    language: 'en-US',
    directory: path,
  })
  await prompts.warm()
  t.equal(engine.asked.length, 6, engine.asked.join('|'))
  const play = async (request: { prompt?: string; url?: string }) => {
    const utterance = prompts.prepare({ ...request, callId: 'a' })
    return { parts: await whole(utterance), warnings: [...utterance.warnings, ...(await utterance.late)] }
  }
  const apology = await play({ prompt: 'apology' })
  t.ok(seconds(apology.parts) > 2.5)
  t.strictSame(apology.warnings, [])
  writeWav(join(path, 'apology.wav'), new Int16Array(800).fill(9))
  t.match((await play({ prompt: 'apology' })).parts[0], { text: 'apology', samples: { length: 800 } })
  t.match(await play({ prompt: 'nothing' }), { parts: [{ silenceMs: 0 }], warnings: [/no prompt "nothing"/] })
  t.match(await play({ prompt: '../../etc/passwd' }), { parts: [], warnings: [/no prompt/] })
  t.match(await play({ prompt: 'toString' }), { warnings: [/no prompt/] })
  const fetched = await play({ url: `${base}/a.wav?token=secret` })
  t.match(fetched, { parts: [{ samples: { length: 4000 } }], warnings: [] })
  t.notMatch(JSON.stringify(texts(fetched.parts)), /secret/)
  t.strictSame(await play({ url: `${base}/a.wav?token=secret` }), fetched)
  fail = true
  t.match(await play({ url: `${base}/a.wav?token=secret` }), { parts: fetched.parts, warnings: [/answered 500; the copy/] })
  t.match(await play({ url: `${base}/b.wav` }), { parts: [{ silenceMs: 0 }], warnings: [/answered 500/] })
  fail = false
  t.match(await play({ url: `${base}/mp3` }), { warnings: [/MP3; only WAV/] })
  t.match(await play({ url: `${base}/big` }), { warnings: [/larger than 10 MiB/] })
  t.match(await play({ url: `${base}/never` }), { warnings: [/no full answer in time/] })
  t.match(await play({ url: 'http://127.0.0.1:1/x.wav' }), { warnings: [/ECONNREFUSED|connect/] })
  t.equal(served, 7)
})
