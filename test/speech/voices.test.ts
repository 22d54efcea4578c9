/** Which engine speaks, in which order, and what is heard when one of them is slow, hangs or is gone. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Agent } from 'undici'
import { createLog } from '../../daemon/base/log.ts'
import { PhraseCache } from '../../daemon/speech/cache.ts'
import { words } from '../../daemon/words/words.ts'
import { AudioFetcher } from '../../daemon/speech/fetch-audio.ts'
import { Prompts } from '../../daemon/speech/prompts.ts'
import { isRendered, renderedTexts, renderPrompts } from '../../scripts/render-prompts.ts'
import { openRendered } from '../../daemon/speech/rendered.ts'
import { Speaker, type SpeakerOptions, type UtterancePart } from '../../daemon/speech/speaker.ts'
import { createEspeak, createFlite } from '../../drivers/speech-embedded/engines.ts'
import type { Synthesiser } from '../../drivers/speech.ts'

const log = createLog({ level: 'silent' })
const espeak = createEspeak()
await espeak.check()

/** The same engine under another name, as an installed voice would be. */
function named(id: string, engine: Synthesiser, more: Partial<Synthesiser> = {}): Synthesiser & { readonly asked: string[] } {
  const asked: string[] = []
  return { ...engine, id, ...more, asked, synthesise: (request) => (asked.push(request.text), engine.synthesise(request)) }
}
const speaker = (engines: readonly Synthesiser[], more: Partial<SpeakerOptions> = {}): Speaker =>
  new Speaker({ engines, language: 'en-US', cache: new PhraseCache(1 << 22, null), log, ...more })
const engineOf = (part: UtterancePart | undefined): string | undefined => (part !== undefined && 'engine' in part ? part.engine : undefined)

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'pbx-voices-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

t.test('the configured order decides by language, and a named voice or engine before it', async (t) => {
  const flite = createFlite()
  const amy = named('piper-amy-low', flite, {
    voices: () => [{ name: 'amy', language: 'en-US' }],
    speaks: (language) => language.startsWith('en'),
  })
  const box = speaker([flite, espeak, amy], { preferred: (language) => (language.startsWith('en') ? ['piper-amy-low', 'flite'] : []) })
  const who = async (request: { voice?: string; language?: string }) => {
    const { parts, warnings } = box.prepare({ text: 'One.', callId: 'a', ...request })
    return [engineOf(await parts[0]), ...warnings]
  }
  t.same(await who({}), ['piper-amy-low'])
  t.same(await who({ language: 'de-DE' }), ['espeak-ng-1.51'])
  t.same(await who({ voice: 'rms' }), ['flite-2.2'])
  t.same(await who({ voice: 'amy' }), ['piper-amy-low'])
  t.same(await who({ voice: 'flite-2.2' }), ['flite-2.2'])
  t.same(await who({ voice: 'de' }), ['espeak-ng-1.51'], 'a foreign voice brings its language')
  t.same(await who({ voice: 'bob' }), ['piper-amy-low', 'There is no voice "bob"; the default voice is used'])
  box.replace({ engines: [flite, espeak] })
  t.same(await who({}), ['flite-2.2'], 'after a voice was removed')
})

t.test('what is cached of one engine is never heard of another', async (t) => {
  const cache = new PhraseCache(1 << 22, null)
  const one = named('one', createFlite())
  const two = named('two', espeak)
  for (const engine of [one, two, one, two]) await Promise.all(speaker([engine], { cache }).prepare({ text: 'Hello.', callId: 'a' }).parts)
  t.same([one.asked, two.asked], [['Hello.'], ['Hello.']])
})

t.test('only for a slow engine is a long beginning cut, and only that of the document', async (t) => {
  const text = 'Thank you for calling the North Valley Family Clinic, we are open today from nine to five, please listen.'
  const quick = named('quick', createFlite())
  await Promise.all(speaker([quick]).prepare({ text, callId: 'a' }).parts)
  t.same(quick.asked, [text])
  const slow = named('slow', createFlite(), { slow: true })
  const box = speaker([slow])
  await Promise.all(
    [box.prepare({ text, callId: 'a' }), box.prepare({ text: text.replace('Thank', 'Thanking'), callId: 'a' })].flatMap(
      ({ parts }) => parts,
    ),
  )
  t.same(slow.asked, [
    'Thank you for calling the North Valley Family Clinic,',
    'we are open today from nine to five, please listen.',
    text.replace('Thank', 'Thanking'),
  ])
})

t.test('what a caller hears next is made first, over all calls, and phrases nobody waits for come last', async (t) => {
  const engine = named('one', createFlite())
  const box = speaker([engine], { concurrency: 1 })
  const all = [
    box.prepare({ text: 'Own.', callId: 'prompts', ahead: true }),
    box.prepare({ text: 'A first sentence. A second sentence.', callId: 'a' }),
    box.prepare({ text: 'The next text of the same document.', callId: 'a' }),
    box.prepare({ text: 'Another caller waits. And waits.', callId: 'b' }),
  ]
  await Promise.all(all.flatMap(({ parts }) => parts))
  t.same(engine.asked, [
    'A first sentence.',
    'Another caller waits.',
    'A second sentence.',
    'And waits.',
    'The next text of the same document.',
    'Own.',
  ])
})

t.test('phrases spoken at installation need no engine afterwards', async (t) => {
  const path = join(directory(), 'prompts')
  const flite = createFlite()
  const phrases = [...Object.values(words().prompts), 'Goodbye.', 'Press one.', 'Press two.']
  const texts = renderedTexts(phrases)
  t.equal(await isRendered(path, flite.id, phrases), false)
  const few = named(flite.id, flite)
  t.equal(await renderPrompts(path, few, phrases), texts.length)
  t.equal(few.asked.length, texts.length)
  t.equal(await isRendered(path, flite.id, phrases), true)
  t.equal(await isRendered(path, 'another', phrases), false)
  t.equal(readdirSync(path).length, texts.length + 1)
  const open = async () => (await openRendered(path, (error) => t.comment(String(error))))!
  const rendered = await open()

  const missing = createFlite({ command: '/nowhere/flite' })
  const idle = named(flite.id, missing)
  const box = speaker([idle], { rendered })
  const prompts = new Prompts({ speaker: box, fetcher: new AudioFetcher({ dispatcher: new Agent() }), language: 'en-US' })
  await prompts.warm()
  const apology = await Promise.all(prompts.prepare({ prompt: 'apology', callId: 'a' }).parts)
  const said = apology.flatMap((part) => ('samples' in part ? [part.text] : []))
  t.equal(said.join(' '), words().prompts.apology)
  t.same(idle.asked, [], 'flite itself was not asked')
  const other = speaker([named('piper-amy-low', missing)], { rendered }).prepare({ text: 'Goodbye.', callId: 'a' })
  t.equal(engineOf(await other.parts[0]), flite.id, 'nor is anybody else needed')
  t.match(await other.late, [/could not speak/])
  const preferred = named('piper-amy-low', flite)
  await Promise.all(speaker([preferred, flite], { rendered }).prepare({ text: 'Goodbye.', callId: 'a' }).parts)
  t.same(preferred.asked, ['Goodbye.'], 'a better voice says them itself')

  writeFileSync(
    join(
      path,
      readdirSync(path).find((name) => name.endsWith('.wav'))!,
    ),
    'damaged',
  )
  const damaged = await open()
  const read = await Promise.all(texts.map((text) => damaged.read(text)))
  t.equal(read.filter((samples) => samples === null).length, 1, 'a damaged file is not played')
  writeFileSync(join(path, 'manifest.json'), '{')
  t.equal(await openRendered(path, () => undefined), null)
})

t.test('an engine that hangs is left, and the next one speaks', { timeout: 20_000 }, async (t) => {
  const hanging = named('hanging', createFlite(), { synthesise: () => new Promise(() => undefined) })
  let asked = 0
  const stuck: Synthesiser = {
    ...hanging,
    synthesise: ({ signal }) => {
      asked += 1
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('left'))))
    },
  }
  const box = speaker([stuck, createFlite()])
  const first = box.prepare({ text: 'Hi.', callId: 'a' })
  t.equal(engineOf(await first.parts[0]), 'flite-2.2')
  t.match(await first.late, [/stuck|hanging.*no answer in 5 s/])
  t.equal(engineOf(await box.prepare({ text: 'Again.', callId: 'a' }).parts[0]), 'flite-2.2')
  t.equal(asked, 1, 'it is not asked again at once')
})
