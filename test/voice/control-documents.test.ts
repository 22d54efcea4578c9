import fc from 'fast-check'
import t from 'tap'
import { controlDocumentSchema, maxDocumentBytes, parseDocument, type ParsedDocument } from '../../daemon/voice/document.ts'
import { hangup } from '../../daemon/voice/verbs/hangup.ts'
import { verbs, verbTable } from '../../daemon/voice/verbs/index.ts'
import { collectParams, type GatherParams } from '../../daemon/voice/verbs/gather.ts'

const context = { destinations: new Set(['101']) }
const parse = (document: unknown) => parseDocument(document, context)
const errorsOf = (parsed: ParsedDocument) => (parsed.ok ? [] : parsed.errors)
const errorPaths = (document: unknown) => errorsOf(parse(document)).map((error) => error.path)
const warningPaths = (document: unknown) => parse(document).warnings.map((warning) => warning.path)
const only = (document: unknown) => {
  const parsed = parse(document)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.verbs[0]!.params
}
const gatherOf = (params: Record<string, unknown>) => collectParams(only([{ gather: params }]) as unknown as GatherParams)

t.test('a document from bytes, from text and already parsed is the same document', async (t) => {
  const document = [{ say: { text: 'Hello ünïcode' } }, { hangup: {} }]
  const text = JSON.stringify(document)
  const expected = {
    ok: true,
    warnings: [],
    verbs: [
      { name: 'say', params: { text: 'Hello ünïcode', loop: 1 } },
      { name: 'hangup', params: { cause: 'normal' } },
    ],
  }
  for (const form of [document, text, Buffer.from(text), `\uFEFF${text}`, Buffer.from(`\uFEFF${text}`)]) t.same(parse(form), expected)
})

t.test('the documents of the interface run without a warning', async (t) => {
  for (const document of [
    [],
    [{ say: { text: 'Press one' } }, { gather: { numDigits: 1, timeout: 6, actionUrl: 'http://app/menu?x=1' } }],
    [{ say: { text: 'Tell me' } }, { gather: { input: 'dtmf speech', numDigits: 1, speechTimeout: 8, actionUrl: 'https://app/a' } }],
    [{ record: { maxSeconds: 60, finishOnKey: '#', transcribe: true, playBeep: true, actionUrl: 'http://127.0.0.1:3000/r' } }],
    [{ say: { text: 'Sorry' } }, { redirect: { url: 'http://app/again' } }],
    [{ hangup: {} }],
  ])
    t.match(parse(document), { ok: true, warnings: [] }, JSON.stringify(document))
})

t.test('every error of a document is reported at once, each at its place', async (t) => {
  const parsed = parse([
    'say',
    { say: { text: 'a' }, play: { prompt: 'b' } },
    {},
    { saay: { text: 'x' } },
    { say: {} },
    { say: 'hello' },
    { play: { url: '/relative.wav' } },
    { play: {} },
    { play: { url: 'ftp://host/a.wav', loop: 'often' } },
    { gather: { actionUrl: 'voice/next', numDigits: 'x', partialUrl: `http://h/${'a'.repeat(2048)}` } },
  ])
  t.same(
    errorsOf(parsed).map((error) => error.path),
    [
      '/0',
      '/1',
      '/2',
      '/3/saay',
      '/4/say/text',
      '/5/say',
      '/6/play/url',
      '/7/play',
      '/8/play/url',
      '/8/play/loop',
      '/9/gather/numDigits',
      '/9/gather/partialUrl',
      '/9/gather/actionUrl',
    ],
  )
  t.match(errorsOf(parsed)[3]!.message, /did you mean say/)
})

t.test('what is no document at all is refused with its reason', async (t) => {
  for (const [document, message] of [
    ['{"say":{"text":"x"}}', /is an array of verbs, not an object/],
    ['not json', /not JSON/],
    ['', /not JSON/],
    ['null', /not null/],
    [undefined, /not null/],
    [null, /not null/],
    ['42', /not a number/],
    [Array.from({ length: 101 }, () => ({ hangup: {} })), /101 verbs; at most 100/],
    [JSON.stringify([{ say: { text: 'x'.repeat(maxDocumentBytes) } }]), /bytes; at most 65536/],
    [[{ say: { text: 'x'.repeat(maxDocumentBytes) } }], /bytes; at most 65536/],
  ] as const)
    t.match(errorsOf(parse(document))[0], { path: '', message })
})

t.test('exactly 100 verbs, 4,096 characters and a URL of 2,048 pass; one more does not', async (t) => {
  t.ok(parse(Array.from({ length: 100 }, () => ({ say: { text: 'x' } }))).ok)
  t.ok(parse([{ say: { text: 'x'.repeat(4096) } }]).ok)
  t.same(errorPaths([{ say: { text: 'x'.repeat(4097) } }]), ['/0/say/text'])
  const url = (length: number) => `http://h/${'a'.repeat(length - 9)}`
  t.ok(parse([{ redirect: { url: url(2048) } }]).ok)
  t.same(errorPaths([{ redirect: { url: url(2049) } }]), ['/0/redirect/url'])
})

t.test('the verbs that leave the box are open to all', async (t) => {
  t.same(errorsOf(parse([{ route: { to: '101' } }])), [], 'route is open to all')
  t.same(errorsOf(parse([{ forward: { to: '+15550001000' } }])), [])
  t.match(errorsOf(parse([{ forward: { to: '911' } }])), [{ path: '/0/forward/to' }], 'E.164 alone: no emergency number can be written')
  t.same(errorsOf(parse([{ stream: { url: 'wss://app/s' } }, { say: { text: 'x' } }])), [])
  t.same(errorPaths([{ stream: { url: 'https://app/s' } }]), ['/0/stream/url'])
  t.same(errorPaths([{ stream: { url: 'wss://app/s', track: 'both', background: true } }]), [])
  t.same(errorPaths([{ stream: { url: 'wss://app/s', track: 'both' } }]), ['/0/stream/track'])
  t.same(errorPaths([{ stream: { url: 'wss://app/s', transcribe: true } }]), ['/0/stream/transcribe'])
  t.same(errorPaths([{ stream: { url: 'wss://app/s', parameters: { a: 'x'.repeat(500) } } }]), ['/0/stream/parameters/a'])
})

t.test('a route target that the endpoint does not publish is a problem of the route', async (t) => {
  const seen: string[] = []
  const report = { error: (path: string) => seen.push(path), warn: () => undefined }
  verbs.get('route')!.check!({ to: '102' } as never, context, report as never)
  verbs.get('route')!.check!({ to: '101' } as never, context, report as never)
  t.same(seen, ['/to'])
})

t.test('unknown parameters are ignored with a warning that names the likely one', async (t) => {
  const parsed = parse([{ gather: { numdigits: 1, actionURL: 'http://a/', 'x/y~z': 1 } }])
  t.ok(parsed.ok)
  t.match(parsed.warnings, [
    { path: '/0/gather/numdigits', message: /did you mean numDigits/ },
    { path: '/0/gather/actionURL', message: /did you mean actionUrl/ },
    { path: '/0/gather/x~1y~0z', message: /is ignored/ },
  ])
})

t.test('numbers out of range are moved to the limit with a warning', async (t) => {
  for (const [verb, given, expected] of [
    ['gather', { timeout: 500 }, { timeout: 120 }],
    ['gather', { timeout: -1 }, { timeout: 0 }],
    ['gather', { speechTimeout: 8000 }, { speechTimeout: 60 }],
    ['gather', { numDigits: 33 }, { numDigits: 32 }],
    ['gather', { numDigits: 0 }, { numDigits: 1 }],
    ['gather', { interDigitTimeout: 0.1 }, { interDigitTimeout: 0.5 }],
    ['gather', { endSilence: 9 }, { endSilence: 5 }],
    ['record', { maxSeconds: 0 }, { maxSeconds: 1 }],
    ['record', { maxSeconds: 99999 }, { maxSeconds: 3600 }],
    ['record', { silenceTimeout: 31 }, { silenceTimeout: 30 }],
    ['pause', { seconds: 0 }, { seconds: 0.1 }],
    ['pause', { seconds: 100 }, { seconds: 60 }],
    ['say', { text: 'x', loop: 0 }, { loop: 1 }],
    ['say', { text: 'x', loop: 11 }, { loop: 10 }],
    ['gather', { numDigits: 2.4 }, { numDigits: 2 }],
  ] as const) {
    const document = [{ [verb]: given }]
    t.match(only(document), expected, JSON.stringify(document))
    t.equal(warningPaths(document).length, 1, `one warning for ${JSON.stringify(document)}`)
  }
})

t.test('other spellings of values are understood', async (t) => {
  t.match(only([{ gather: { numDigits: '4', timeout: ' 2.5 ' } }]), { numDigits: 4, timeout: 2.5 })
  t.same(warningPaths([{ gather: { numDigits: '4' } }]), [], 'a number as text needs no warning')
  t.match(only([{ record: { transcribe: 'true', playBeep: 'FALSE' } }]), { transcribe: true, playBeep: false })
  t.same(warningPaths([{ record: { transcribe: 'true' } }]), ['/0/record/transcribe'])
  t.match(only([{ gather: { numDigits: null, bargeIn: null, timeout: null } }]), { bargeIn: 'any' })
  t.match(only([{ say: { text: 42 } }]), { text: '42' })
  t.same(only([{ hangup: null }]), { cause: 'normal' })
  t.match(only([{ gather: { speechTimeout: 'auto' } }]), { input: 'dtmf' })
  t.match(only([{ gather: { hints: 'one, two' } }]), { hints: ['one', 'two'] })
  t.equal(only([{ say: { text: '' } }]).text, '')
})

t.test('what cannot be read as its type refuses the document', async (t) => {
  for (const params of [
    { numDigits: 'four' },
    { numDigits: {} },
    { numDigits: '' },
    { timeout: true },
    { bargeIn: 'sometimes' },
    { input: 'video' },
    { typeAhead: 'yes' },
    { hints: 7 },
    { finishOnKey: 'x' },
    { language: 'english please' },
  ])
    t.same(errorPaths([{ gather: params }]), [`/0/gather/${Object.keys(params)[0]}`], JSON.stringify(params))
})

t.test('hints are an aid: too many and too long ones are left out', async (t) => {
  const hints = [...Array.from({ length: 199 }, (_, index) => `word ${index}`), 'x'.repeat(101), 'one too many']
  const document = [{ gather: { hints } }]
  t.equal((only(document).hints as string[]).length, 199)
  t.same(warningPaths(document), ['/0/gather/hints', '/0/gather/hints/199'])
})

t.test('nothing may follow a verb that ends the document, so at most one gather runs', async (t) => {
  for (const end of [{ gather: {} }, { record: {} }, { redirect: { url: 'http://a/' } }, { hangup: {} }]) {
    const name = Object.keys(end)[0]!
    const parsed = parse([{ say: { text: 'a' } }, end, { gather: {} }, { unknown: {} }])
    t.ok(parsed.ok)
    t.same(parsed.ok && parsed.verbs.map((verb) => verb.name), ['say', name])
    t.match(parsed.warnings, [
      { path: '/2', message: new RegExp(`nothing may follow ${name}`) },
      { path: '/3', message: /ignored/ },
    ])
  }
})

t.test('gather: forms of input', async (t) => {
  for (const [input, keys, speech, warns] of [
    [undefined, true, false, false],
    ['dtmf', true, false, false],
    ['speech', false, true, false],
    ['dtmf speech', true, true, false],
    ['speech dtmf', true, true, false],
    [['digits', 'speech'], true, true, true],
    ['DTMF', true, false, true],
  ] as const) {
    t.match(gatherOf({ input }), { keys, speech }, String(input))
    t.equal(warningPaths([{ gather: { input } }]).length, warns ? 1 : 0, String(input))
  }
})

t.test('gather: which input interrupts the prompts', async (t) => {
  for (const [bargeIn, keysInterrupt, speechInterrupts] of [
    [undefined, true, true],
    ['any', true, true],
    [true, true, true],
    ['dtmf', true, false],
    ['speech', false, true],
    ['none', false, false],
    [false, false, false],
    ['false', false, false],
  ] as const)
    t.match(gatherOf({ input: 'dtmf speech', bargeIn }), { keysInterrupt, speechInterrupts }, String(bargeIn))
  t.match(gatherOf({ input: 'speech' }), { keysInterrupt: false }, 'keys that are not collected interrupt nothing')
})

t.test('gather: the finish key is # unless one key is wanted or the application says otherwise', async (t) => {
  t.equal(gatherOf({}).finishKeys, '#')
  t.equal(gatherOf({ numDigits: 4 }).finishKeys, '#')
  t.equal(gatherOf({ numDigits: 1 }).finishKeys, '')
  t.equal(gatherOf({ maxDigits: 1 }).finishKeys, '')
  t.equal(gatherOf({ numDigits: 4, finishOnKey: '' }).finishKeys, '')
  t.equal(gatherOf({ numDigits: 1, finishOnKey: '*#' }).finishKeys, '*#')
})

t.test('gather: how many keys are enough', async (t) => {
  t.match(gatherOf({}), { maxDigits: 32, minDigitsBeforePause: 1, minDigitsBeforeFinish: 0 })
  t.match(gatherOf({ numDigits: 4 }), { maxDigits: 4, minDigitsBeforePause: 4, minDigitsBeforeFinish: 0 })
  t.match(gatherOf({ minDigits: 3, maxDigits: 6 }), { maxDigits: 6, minDigitsBeforePause: 3, minDigitsBeforeFinish: 3 })
  t.match(gatherOf({ minDigits: 9, maxDigits: 6 }), { maxDigits: 6, minDigitsBeforePause: 6, minDigitsBeforeFinish: 6 })
  t.match(gatherOf({ numDigits: 4, maxDigits: 6 }), { maxDigits: 4 })
  t.same(warningPaths([{ gather: { minDigits: 9, maxDigits: 6 } }]), ['/0/gather/minDigits'])
  t.same(warningPaths([{ gather: { numDigits: 4, maxDigits: 6 } }]), ['/0/gather/maxDigits'])
})

t.test('gather: without timeout, speechTimeout is also the wait for the first word', async (t) => {
  t.match(gatherOf({}), { timeoutMs: 5000, speechMs: 15_000 })
  t.match(gatherOf({ timeout: 7 }), { timeoutMs: 7000, speechMs: 15_000 })
  t.match(gatherOf({ speechTimeout: 8 }), { timeoutMs: 8000, speechMs: 8000 })
  t.match(gatherOf({ timeout: 0, speechTimeout: 8 }), { timeoutMs: 0, speechMs: 8000 })
})

t.test('record takes one finish key', async (t) => {
  t.match(only([{ record: { finishOnKey: '*#' } }]), { finishOnKey: '*' })
  t.same(warningPaths([{ record: { finishOnKey: '*#' } }]), ['/0/record/finishOnKey'])
  t.match(only([{ record: { finishOnKey: '' } }]), { finishOnKey: '' })
})

t.test('two verbs with one name stop the program', async (t) => {
  t.throws(() => verbTable([hangup, hangup]), /two verbs are called "hangup"/)
})

t.test('the published schema names every verb', async (t) => {
  const names = (controlDocumentSchema.items as { anyOf: { properties: object }[] }).anyOf.flatMap((item) => Object.keys(item.properties))
  t.same(names, [...verbs.keys()])
})

t.test('whatever arrives, the check answers, and what it lets through has the promised form', async () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('http://a/b', '1', 'true', 'dtmf', '#', null), fc.integer())
  const names = [...verbs.values()].flatMap((verb) => Object.keys(verb.parameters.properties))
  const params = fc.dictionary(fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor'), fc.string()), value)
  const item = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(fc.constantFrom(...verbs.keys(), '__proto__', 'toString'), params).map(([name, given]) => ({ [name]: given })),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), (document) => {
      const parsed = parse(JSON.stringify(document))
      if (!parsed.ok) return parsed.errors.length > 0 && parsed.errors.every((error) => /^(\/\d|$)/.test(error.path))
      const again = parse(parsed.verbs.map((verb) => ({ [verb.name]: verb.params })))
      return (
        again.ok &&
        again.warnings.every((warning) => !/used instead/.test(warning.message)) &&
        JSON.stringify(again.verbs) === JSON.stringify(parsed.verbs)
      )
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof parse(bytes).ok === 'boolean'),
    { numRuns: 500 },
  )
})
