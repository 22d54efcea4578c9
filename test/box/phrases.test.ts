/**
 * What the box says of itself is read in its log, its status and its traces as it was written: every sentence of the source is sent there. The
 * sentences are read from the source, so that a new one is tried by itself.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { parse, type Node, type Program, type TemplateLiteral } from 'acorn'
import { full, fullAncestor } from 'acorn-walk'
import fc from 'fast-check'
import t from 'tap'
import { CallTrace } from '../../daemon/calls/trace.ts'
import { forLog, quoted, said, saidOutside, type Ours } from '../../daemon/base/for-log.ts'
import { Health } from '../../daemon/base/health.ts'
import { createLog } from '../../daemon/base/log.ts'
import { root } from '../harness/daemon.ts'

interface Phrase {
  readonly place: string
  /** With a word in the place of each value. */
  readonly plain: string
  readonly given: string | Ours
  /** What stands around its values. */
  readonly words: readonly string[]
}

/** Answers to clients, faults of a configuration, descriptions and pages: they are shown as they are. A pattern is no sentence. */
const answers = /^(RegExp|ApiError|Refusal|AccessRefused|BackupError|refuse|refused|fault|warning|failure|wrong|at|atKey)$/
const described = /^(description|summary|details|example|title|help|prefix|body|realm|fix)$/
const elsewhere =
  /^daemon\/(schema|config|setup|console|http|doctor|description)\/|^daemon\/(welcome|base\/mail-address|base\/for-log)\.ts$|\/routes\.ts$|^daemon\/alarms\/words\.ts$|^drivers\/(sim|gsm)\/|lamp-documents|twilio/
const word = 'main'

interface Source {
  readonly file: string
  readonly code: string
  readonly ast: Program
}

function sourceOf(file: string): Source {
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8'))
  return { file, code, ast: parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }) }
}

function phrasesOf({ file, ast }: Source): Phrase[] {
  const found: Phrase[] = []
  fullAncestor(ast, (node, _, ancestors) => {
    const phrase = phraseOf(node as Node, ancestors as Node[])
    if (phrase !== null) found.push({ ...phrase, place: `${relative(root, file)}:${node.loc?.start.line}` })
  })
  return found
}

function phraseOf(node: Node, ancestors: readonly Node[]): Omit<Phrase, 'place'> | null {
  const words = wordsOf(node)
  if (words === null || !/[a-z]{2,} [a-z]{2,}/.test(words.join(word))) return null
  const above = ancestors.slice(0, -1).toReversed() as unknown as readonly Record<string, any>[]
  if (above.some((one) => described.test(one['key']?.name ?? ''))) return null
  const call = above.find(({ type }) => type === 'CallExpression' || type === 'NewExpression')
  const callee: string = call?.['callee']?.property?.name ?? call?.['callee']?.name ?? ''
  if (answers.test(callee) || call?.['callee']?.object?.name === 'Type') return null
  if (above[0]?.['type'] === 'TaggedTemplateExpression' && above[0]['tag'].name === 'said') {
    const values = words.slice(1).map(() => word)
    const strings = Object.assign([...words], { raw: words }) as unknown as TemplateStringsArray
    return { plain: words.join(word).replaceAll(`"${word}"`, '"***"'), given: said(strings, ...values), words }
  }
  // Between quotes is a value, which goes.
  const plain = words.join(word).replaceAll(`"${word}"`, word)
  return { plain, given: plain, words }
}

function wordsOf(node: Node): readonly string[] | null {
  const { type, value } = node as Node & { value?: unknown }
  if (type === 'Literal') return typeof value === 'string' ? [value] : null
  return type === 'TemplateLiteral' ? (node as TemplateLiteral).quasis.map(({ value: { cooked } }) => cooked ?? '') : null
}

const files = ['daemon', 'drivers'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !elsewhere.test(join(folder, name)))
    .map((name) => sourceOf(join(root, folder, name))),
)
const phrases = files.flatMap(phrasesOf)

t.test('every sentence of ours is in the log, the status and a trace as it was written', async (t) => {
  let line = ''
  const log = createLog({ to: { write: (text) => void (line = text) } })
  const clock = { now: () => 0, elapsed: () => 0 }
  t.ok(phrases.length > 1500, `${phrases.length} sentences`)
  t.ok(phrases.filter(({ given }) => typeof given !== 'string').length > 15)
  for (const { place, plain, given } of phrases) {
    const health = new Health()
    const trace = new CallTrace(0)
    if (typeof given === 'string') log.warn(given)
    else log.warn('%s', given)
    health.warn('x', { severity: 'error', text: given, fix: '' })
    trace.add(clock, 'state', given)
    const shown = [(JSON.parse(line) as { msg: string }).msg, health.warnings()[0]?.text, trace.entries()[0]?.text]
    if (shown.some((text) => text !== plain && text !== `${plain.slice(0, 2000)}…`)) t.same(shown, [plain, plain, plain], place)
  }
})

/** Every value that is marked as ours. What may be a patient's must not come among them. */
const marked: readonly string[] = [
  "[last.extension, name, last.location].filter((text) => text !== '').join(', ')",
  '`${name} has a fault: ${detail}`',
  '`${waiting} wait`',
  '`${warning.file}:${warning.line}:${warning.column}: ${warning.text}`',
  '`The certificate ${file} ${when}`',
  '`over: ${row.text}`',
  '`pbxd ${version} replaced ${last.version}`',
  '`refused: ${fault.file}:${fault.line}:${fault.column}: ${fault.text}`',
  'at(since)',
  'by',
  'end',
  'endpoint',
  'fault.path',
  "file ?? 'the configuration'",
  'fix',
  'forgeableText',
  'found',
  'id',
  'isoTime(glass.until)',
  "lacking.join(', ')",
  'lost.address',
  'name',
  'name.charAt(0).toUpperCase() + name.slice(1)',
  'nameOf(id)',
  "notes.phase === 'refused' ? 'was not started' : `did not come up, and ${from} was restored`",
  "of === 'box' ? 'the box' : `the token ${name}`",
  'often',
  'person.login',
  "phone ? 'Phone' : 'Line'",
  'place',
  'reason',
  'refused.address',
  'row.text',
  'sectionOf(id)',
  "since === null ? 'there is no backup yet' : `the last good backup is from ${wallTime(since, config.site.timeZone)}`",
  'storage.dir',
  'stuck ? `${detail}; no line since ${wallTime(noLineSince, settings.timeZone)}` : detail',
  'text',
  'to',
  'trunk.id',
  'trunk.server',
  'value',
  'version',
  "version || 'is not known and'",
  'wallTime(since, zone)',
  'wanted',
  'warning.path',
  "warning.text.replace(nextTry, '')",
  'what',
]

t.test('what is marked as ours is of the configuration, of files, versions and dates', async (t) => {
  const found = new Set<string>()
  for (const { code, ast } of files) {
    full(ast, (node) => {
      const { type, callee, arguments: given } = node as Node & { callee?: { name?: string }; arguments?: readonly Node[] }
      if (type === 'CallExpression' && callee?.name === 'ours') found.add(code.slice(given![0]!.start, given![0]!.end))
    })
  }
  t.same([...found].toSorted(), marked)
})

/** Files whose sentences quote ids of the configuration and of models, or what quotes were taken out of: everything else is quoted by quoted(), or by said. */
const unquoting: ReadonlySet<string> = new Set([
  'daemon/backup/sftp.ts',
  'daemon/ceilings/ceilings.ts',
  'daemon/outbox/attempt.ts',
  'daemon/numbers/reach.ts',
  'daemon/speech/models/catalogue.ts',
  'daemon/store/table.ts',
  'daemon/voice/verbs/index.ts',
  'daemon/voice/verbs/record.ts',
  'drivers/sip/messages.ts',
  'drivers/sms-http/besides.ts',
  'drivers/sms-http/outcomes.ts',
  'drivers/speech-sherpa/model-files.ts',
  'drivers/speech-sherpa/piper-format.ts',
  'drivers/wap-push.ts',
])

t.test('a value of a patient in any sentence is in none of the log, the status and a trace', async (t) => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 8 }).map((all) => `907155${all.join('')}`)
  const values = fc.oneof(
    digits,
    digits.map((all) => `+${all}`),
    digits.map((all) => `(${all.slice(0, 3)}) ${all.slice(3, 6)}-${all.slice(6)}`),
    digits.map((all) => `tel${all}@patients.example`),
    digits.map((all) => `"Pat ${all.slice(0, 3)}qzx Doe"`),
    digits.map((all) => `http://app.example/x?patient=qzx&n=${all}`),
    digits.map((all) => `550 <pat.qzx@patients.example> "Doe qzx" at ${all}`),
  )
  const secret = /qzx|patients\.example|907\D*155/
  const templates = phrases.filter(({ words }) => words.length > 1 && words.slice(1, -1).every((between) => between !== ''))
  t.ok(templates.length > 300, `${templates.length} sentences with values`)
  let line = ''
  const log = createLog({ to: { write: (text) => void (line = text) } })
  const clock = { now: () => 0, elapsed: () => 0 }
  fc.assert(
    fc.property(fc.constantFrom(...templates), values, ({ place, words, given }, value) => {
      const strings = Object.assign([...words], { raw: words }) as unknown as TemplateStringsArray
      const values = words
        .slice(1)
        .map((word, at) => (unquoting.has(place.split(':')[0]!) && words[at]?.endsWith('"') && word.startsWith('"') ? 'main' : value))
      const text = typeof given === 'string' ? String.raw({ raw: words }, ...values) : said(strings, ...values)
      const health = new Health()
      const trace = new CallTrace(0)
      log.warn({ err: new Error(String(text)), reason: text }, '%s', text)
      health.warn('x', { severity: 'error', text, fix: '' })
      health.part('part', () => ({ ok: false, reason: text }))
      trace.add(clock, 'state', text, { reason: text, spoken: value, message: text })
      const { msg, err, reason } = JSON.parse(line) as { msg: string; err: { message: string }; reason: string }
      const { parts } = health.report()
      const shown = [
        msg,
        err.message,
        reason,
        health.warnings()[0]?.text,
        parts[0]?.reason,
        parts[0]?.detail,
        JSON.stringify(trace.entries().map(({ text, data }) => [text, data])),
      ]
      for (const one of shown) if (secret.test(one ?? '')) throw new Error(`${one}`)
    }),
    { numRuns: 3000 },
  )
})

t.test('what names a patient goes, however other programs write it', async (t) => {
  const written = [
    ...[
      '555 - 907 - 1554',
      '(907) 555\u20111554',
      '907\u00a0555\u00a01554',
      '555\u2013907\u20131554',
      'fax_555_907_1554.pdf',
      '+49 (0) 90 / 755 1554',
    ],
    ...[
      '\u202a+1 907\u2011555\u20111554\u202c',
      '907·555·1554',
      'http://crm.example/x/907%20555%201554/y',
      '907&nbsp;555&nbsp;1554',
      '907\t555\t1554',
    ],
    ...['907.555.155.401', '٩٠٧٥٥٥١٥٥٤', '９０７５５５１５５４'],
    ...[
      'bounce+qzx=patients.example@list.example',
      'qzx＠patients.example',
      'SRS0=AB=patients.example=qzx@relay.example',
      "o'brien.qzx@patients.example",
    ],
    ...[
      '„Qzx Doe“',
      '»Qzx Doe«',
      '«Qzx Doe»',
      '‚Qzx Doe‘',
      '‹Qzx Doe›',
      '「Qzx」',
      '『Qzx』',
      '＂Qzx＂',
      '&quot;Qzx&quot;',
      "'Qzx O'Brien'",
      '{"name":"Qzx"}',
    ],
    ...['Qzx Doe <sip:101@192.0.2.1>', 'Doe, Qzx <tel:911>', 'Qzx Doe-Smith <mailbox@clinic.example>', 'http://crm.example/x;name=Qzx'],
  ]
  for (const text of written) {
    for (const whole of [text, `550 5.1.1 ${text} is unknown`, `refused: ${text}`]) {
      for (const shown of [forLog(whole), saidOutside(`refused (403 ${quoted(whole)})`)])
        t.notMatch(shown, /qzx|patients\.example|907\D*555|555\D*907|٩٠٧٥|９０７５|90 \/ 755/i, whole)
    }
  }
})

t.test('what leads to the cause stays in words of unknown origin', async (t) => {
  for (const text of [
    'connect ECONNREFUSED 192.0.2.255:5060',
    'getaddrinfo EAI_AGAIN sip.provider.example',
    '503 Service Unavailable; Retry-After 120',
    '535 5.7.8 Authentication failed; RCPT TO refused',
    'listen EADDRINUSE: address already in use 0.0.0.0:8443',
    'pbxd 0.1.0_2 wants Node 22.23.3, not 20.19.5',
    'the line of /dev/serial/by-id/usb-Zoom_0000-if00-port0 is gone',
    'the disk of /var/lib/pbxd has 12 MB, of 100 MB',
    'SSL routines::wrong version number (TLSv1.3)',
    'extension 101, then 1024; 14:29:33.123',
    '2026-11-26T14:29:33.123Z revision 20',
    '[2001:db8::1]:5061 does not answer',
    "the provider's answer isn't as agreed",
  ])
    t.equal(forLog(text), text)
  t.equal(saidOutside('refused (403 "Account suspended")'), 'refused (403 "Account suspended")')
})
