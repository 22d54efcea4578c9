/** The catalogue is in order, and the automatic choice follows from configuration, models and memory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Config } from '../../daemon/schema/config.ts'
import { SpeechSchema } from '../../daemon/schema/config/speech.ts'
import { downloadBytes, pinned, programCatalogue, sourcesOf } from '../../daemon/speech/models/catalogue.ts'
import {
  catalogue,
  choose,
  readCatalogue,
  recommended,
  recommendedView,
  type InstalledModel,
  type SpeechChoice,
} from '../../daemon/speech/models/models.ts'
import { temporaryFolder, write } from './stage.ts'

const GB = 1024 ** 3
/** Of the process with the embedded grammar and no model, at its peak. */
const grammarMB = 207

function stock(installed: readonly string[], damaged: readonly string[] = []): InstalledModel[] {
  return catalogue().models.map((entry) => {
    const { id, kind, languages } = entry
    const there = installed.includes(id)
    return {
      entry,
      state: there ? 'installed' : damaged.includes(id) ? 'damaged' : 'not-installed',
      reason: damaged.includes(id) ? 'model.onnx is missing' : '',
      directory: there ? `/m/${id}` : null,
      own: false,
      files: there ? { id, kind, directory: `/m/${id}`, files: {}, languages } : null,
      record: null,
    }
  })
}

type Speech = Config['speech']
const speech = (changes: Partial<Speech> = {}): Speech => ({
  recogniser: 'auto',
  voice: 'auto',
  detector: 'auto',
  models: { dir: '/m' },
  callMegabytes: SpeechSchema.properties.callMegabytes.default as number,
  recordingMegabytes: SpeechSchema.properties.recordingMegabytes.default as number,
  ...changes,
})
const chosen = (
  installed: readonly string[],
  changes: Partial<Speech> = {},
  memory = 2 * GB,
  damaged: readonly string[] = [],
): SpeechChoice => choose(speech(changes), stock(installed, damaged), memory)

t.test('what is recommended follows from memory, processors and the language of the site', async (t) => {
  const cases: readonly [gigabytes: number, cores: number, language: string, ids: readonly string[]][] = [
    [16, 8, 'en-US', ['parakeet-110m', 'piper-joe-medium', 'silero-vad']],
    [3.7, 2, 'en', ['parakeet-110m', 'piper-joe-medium', 'silero-vad']],
    [8, 1, 'en-GB', ['conformer-small', 'piper-amy-low', 'silero-vad']],
    [1.9, 4, 'en-US', ['conformer-small', 'piper-amy-low', 'silero-vad']],
    [1, 2, 'en-US', ['conformer-small', 'silero-vad']],
    [0.5, 1, 'en-US', ['silero-vad']],
    [8, 4, 'es-US', ['whisper-base', 'silero-vad']],
    [2, 4, 'de', ['whisper-tiny', 'silero-vad']],
    [1, 4, 'eng', ['silero-vad']],
  ]
  for (const [gigabytes, cores, language, ids] of cases) {
    const machine = { memoryBytes: gigabytes * GB, cores, language }
    const entries = recommended(machine, catalogue())
    t.same(
      entries.map(({ id }) => id),
      ids,
      JSON.stringify(machine),
    )
    t.ok(entries.reduce((sum, { ramMB }) => sum + ramMB, 0) * 1e6 < machine.memoryBytes, 'all of them fit into the memory')
    const needed = entries.reduce((sum, { ramMB }) => sum + ramMB, grammarMB)
    t.ok(needed <= speech().callMegabytes, `${ids.join(', ')}: ${needed} MB fit into the process for calls`)
    const choice = choose(speech(), stock(ids), machine.memoryBytes)
    const used = [choice.call.engine, choice.recording.engine, ...choice.voices.models.map(({ id }) => id), `${choice.detector.engine}-vad`]
    for (const id of ids) t.ok(used.includes(id), `${id} is used once it is installed`)
  }
  const [first] = recommendedView(recommended({ memoryBytes: 8 * GB, cores: 2, language: 'en' }, catalogue()), stock(['parakeet-110m']))
  t.match(first, { id: 'parakeet-110m', roles: ['call', 'recording'], memoryBytes: 540_000_000, installed: true })
})

t.test('the catalogue can be read, everything comes over HTTPS, is pinned, and says under which licence', async (t) => {
  const checked = readCatalogue(programCatalogue)
  t.same(catalogue(), checked, 'a start reads it unchecked')
  const ids = checked.models.map(({ id }) => id)
  for (const wanted of [
    'conformer-small',
    'parakeet-110m',
    'moonshine-tiny',
    'whisper-tiny.en',
    'whisper-base.en',
    'piper-amy-low',
    'silero-vad',
  ])
    t.ok(ids.includes(wanted), wanted)
  for (const entry of catalogue().models) {
    t.ok(pinned(entry), `${entry.id} is pinned`)
    for (const { url, bytes } of sourcesOf(entry)) t.ok(url.startsWith('https://') && (bytes ?? 0) > 0, url)
    t.ok(entry.licence.length > 2 && entry.licenceUrl.startsWith('https://') && entry.attribution.length > 10, `${entry.id} has a licence`)
    t.ok(downloadBytes(entry) <= entry.diskMB * 3e6, `${entry.id}: sizes fit one another`)
    const roles = entry.files.map(({ role }) => role).toSorted()
    t.same(
      roles,
      {
        'nemo-ctc': ['model', 'tokens'],
        whisper: ['decoder', 'encoder', 'tokens'],
        moonshine: ['cachedDecoder', 'encoder', 'preprocessor', 'tokens', 'uncachedDecoder'],
        piper: ['config', 'model'],
        silero: ['model'],
      }[entry.kind as string],
      `${entry.id}: the files its engine wants`,
    )
  }
})

t.test('a faulty catalogue is refused with what is wrong', async (t) => {
  const good = JSON.parse(readFileSync('models/manifest.json', 'utf8')) as { models: Record<string, unknown>[] }
  const dir = temporaryFolder(t)
  const refused = (change: (model: Record<string, any>) => void, text: RegExp): void => {
    const copy = structuredClone(good)
    change(copy.models[0] as Record<string, any>)
    write(dir, { 'manifest.json': JSON.stringify(copy) })
    t.throws(() => readCatalogue(join(dir, 'manifest.json')), { code: 'bad-catalogue', message: text })
  }
  refused((model) => (model['source'].url = 'http://example.org/x'), /source\/url/)
  refused((model) => (model['source'].sha256 = 'abc'), /sha256/)
  refused((model) => (model['files'][0].name = '../etc/passwd'), /name/)
  refused((model) => (model['files'][1].name = model['files'][0].name), /two files of one name/)
  refused((model) => delete model['licence'], /licence/)
  refused((model) => (model['id'] = 'parakeet-110m'), /given twice/)
  refused((model) => delete model['source'], /no url/)
  refused((model) => (model['rank'] = {}), /no rank as call/)
  t.throws(() => readCatalogue(join(dir, 'none.json')), { code: 'bad-catalogue' })
  t.throws(() => catalogue().find('conformer-smal'), { code: 'unknown-model', message: /did you mean "conformer-small"/ })
})

t.test('who hears, without a word in the configuration', async (t) => {
  const all = catalogue().models.map(({ id }) => id)
  for (const [installed, memory, call, recording] of [
    [[], 2, 'embedded-grammar', 'none'],
    [['conformer-small'], 2, 'conformer-small', 'conformer-small'],
    [['parakeet-110m'], 2, 'parakeet-110m', 'parakeet-110m'],
    [['conformer-small', 'parakeet-110m'], 2, 'conformer-small', 'parakeet-110m'],
    [['conformer-small', 'parakeet-110m'], 4, 'parakeet-110m', 'parakeet-110m'],
    [['conformer-small'], 4, 'conformer-small', 'conformer-small'],
    [['whisper-tiny.en', 'whisper-base.en', 'moonshine-tiny'], 2, 'moonshine-tiny', 'whisper-base.en'],
    [['whisper-tiny.en'], 2, 'whisper-tiny.en', 'whisper-tiny.en'],
    [['piper-amy-low', 'silero-vad'], 2, 'embedded-grammar', 'none'],
    [all, 2, 'conformer-small', 'parakeet-110m'],
  ] as const) {
    const choice = chosen(installed, {}, memory * GB - 0.2 * GB)
    t.same([choice.call.engine, choice.recording.engine], [call, recording], `${installed.join(' ')} with ${memory} GB`)
    t.equal(choice.call.model?.id ?? 'embedded-grammar', call)
    t.same(choice.problems, [], 'a model that is missing is no problem')
    t.ok(choice.call.why && choice.recording.why)
  }
  t.equal(chosen([]).call.fix, 'pbx models install conformer-small')
  t.equal(chosen([]).recording.fix, 'pbx models install parakeet-110m')
  t.same(
    chosen(['conformer-small', 'whisper-base']).call.further.map(({ id }) => id),
    ['whisper-base'],
    'other languages have somebody too',
  )
  t.same(chosen(['whisper-base']).call.further, [])
})

t.test('who hears, as the configuration says, and what is wrong with that', async (t) => {
  const named = chosen(['conformer-small', 'whisper-tiny.en'], { recogniser: { call: 'whisper-tiny.en', recording: 'off' } })
  t.same([named.call.engine, named.recording.engine, named.problems], ['whisper-tiny.en', 'none', []])
  t.equal(
    chosen(['conformer-small'], { recogniser: { call: 'embedded-grammar' } }).recording.engine,
    'conformer-small',
    'the other role is automatic',
  )
  t.same([chosen([], { recogniser: 'off' }).call.engine, chosen([], { recogniser: 'off' }).recording.engine], ['none', 'none'])
  const grammar = chosen(['conformer-small'], { recogniser: 'embedded-grammar' })
  t.match(grammar, { call: { engine: 'embedded-grammar' }, recording: { engine: 'none', why: /cannot transcribe/ }, problems: [] })

  const missing = chosen(['conformer-small'], { recogniser: 'whisper-base.en' })
  t.same([missing.call.engine, missing.recording.engine], ['conformer-small', 'conformer-small'])
  t.same(missing.problems, [
    { text: 'speech.recogniser names whisper-base.en, which is not installed', fix: 'pbx models install whisper-base.en' },
  ])
  for (const [config, text] of [
    [{ recogniser: { call: 'nothing-such' } }, /speech.recogniser.call names nothing-such, which is not a model/],
    [{ recogniser: { recording: 'embedded-grammar' } }, /which cannot transcribe/],
    [{ recogniser: 'piper-amy-low' }, /cannot serve as call/],
    [{ voice: 'conformer-small' }, /cannot serve as voice/],
    [{ voice: { en: 'piper-amy-low' } }, /speech.voice.en names piper-amy-low, which is not installed/],
    [{ detector: 'silero' as const }, /speech.detector names silero/],
  ] as const)
    t.match(chosen([], config).problems[0]?.text, text)
  const damaged = chosen(['parakeet-110m'], { recogniser: { call: 'conformer-small' } }, 2 * GB, ['conformer-small'])
  t.equal(damaged.call.engine, 'parakeet-110m')
  t.match(damaged.problems, [
    { text: /conformer-small is damaged: model.onnx is missing/ },
    { text: /names conformer-small, which is damaged/ },
  ])
})

t.test('who speaks', async (t) => {
  const embedded = ['flite', 'espeak-ng']
  for (const [installed, voice, otherwise, byLanguage, models] of [
    [[], 'auto', embedded, {}, []],
    [['piper-amy-low', 'piper-lessac-low'], 'auto', ['piper-amy-low', ...embedded], {}, ['piper-amy-low']],
    [['piper-lessac-low'], 'auto', ['piper-lessac-low', ...embedded], {}, ['piper-lessac-low']],
    [['piper-amy-low', 'piper-lessac-low'], 'piper-lessac-low', ['piper-lessac-low', ...embedded], {}, ['piper-lessac-low']],
    [['piper-amy-low'], 'espeak-ng', ['espeak-ng', 'flite'], {}, []],
    [['piper-amy-low'], 'flite', embedded, {}, []],
    [['piper-amy-low'], 'piper-lessac-low', ['piper-amy-low', ...embedded], {}, ['piper-amy-low']],
    [['piper-amy-low'], { es: 'espeak-ng' }, ['piper-amy-low', ...embedded], { es: ['espeak-ng', 'flite'] }, ['piper-amy-low']],
    [['piper-amy-low'], { en: 'piper-amy-low' }, embedded, { en: ['piper-amy-low', ...embedded] }, ['piper-amy-low']],
    [['piper-amy-low'], { 'en-US': 'flite' }, embedded, { 'en-US': embedded }, []],
  ] as const) {
    const { voices } = chosen(installed, { voice: voice as Speech['voice'] })
    const expected = { otherwise, byLanguage, models }
    t.same(
      { otherwise: voices.otherwise, byLanguage: voices.byLanguage, models: voices.models.map(({ id }) => id) },
      expected,
      JSON.stringify([installed, voice]),
    )
    t.ok(voices.why)
  }
  t.equal(chosen([]).voices.fix, 'pbx models install piper-amy-low')
})

t.test('who hears whether somebody speaks', async (t) => {
  t.match(chosen(['silero-vad']).detector, { engine: 'silero', model: { id: 'silero-vad' }, fix: '' })
  t.match(chosen([]).detector, { engine: 'webrtc', model: null, fix: 'pbx models install silero-vad' })
  t.match(chosen(['silero-vad'], { detector: 'webrtc' }).detector, { engine: 'webrtc' })
})
