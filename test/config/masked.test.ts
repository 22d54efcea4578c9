/** The text of a configuration on a page: no secret of it is shown, whatever the text looks like, and each comes back. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { createLog } from '../../daemon/base/log.ts'
import { ApiError } from '../../daemon/base/errors.ts'
import { ConfigDesk } from '../../daemon/config/desk.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { secretNames, secretsIn, SecretMarks, withoutSecrets } from '../../daemon/config/masked.ts'
import { Revisions } from '../../daemon/config/revisions.ts'
import { ConfigTexts } from '../../daemon/config/texts.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const marks = new SecretMarks(new Uint8Array(32).fill(7))

const text = `# The box of the clinic.
site: { name: Riverside, country: US } # password: of-an-old-box
trunks:
  - { id: main, server: provider.example, username: clinic, password: "main, { secret }", numbers: ["+15550001000"] }
  - id: other
    server: other.example
    username: clinic
    password: plain words, with a comma # of the contract
crm: { baseUrl: "https://crm.example", secret: 'whsec_of_the_crm_with_it''s_quote' }
mail:
  server: "mail.example:587"
  username: office
  from: office@example.com
  password: >-
    folded secret
mailboxes: [ { ext: "101", pin: "4711" } ]
extensions: [ { number: "101", name: Desk, password: { file: desk.password } } ]
`
const secrets = [
  'main, { secret }',
  'plain words, with a comma',
  "whsec_of_the_crm_with_it's_quote",
  'folded secret',
  '4711',
  'of-an-old-box',
]

t.test('every secret is a mark, comments and everything else stay, and the marks mean the same secrets', async (t) => {
  const masked = marks.masked(text)
  for (const secret of secrets) t.notOk(masked.includes(secret), secret)
  t.notOk(masked.includes("it''s_quote"))
  t.ok(masked.includes('# The box of the clinic.') && masked.includes('# of the contract'), 'comments are kept')
  t.ok(masked.includes('{ file: desk.password }'), 'a secret that is read from a file is named by its file')
  t.match(masked, /pin: \(kept [0-9a-f]{4}\)/)
  const { text: back, faults } = marks.unmasked(masked, [text], 'x')
  t.same(faults, [])
  t.same(
    parseConfig(back.replace('{ file: desk.password }', 'a-long-password'), '/etc/pbxd/pbxd.yaml').config,
    parseConfig(text.replace('{ file: desk.password }', 'a-long-password'), '/etc/pbxd/pbxd.yaml').config,
  )
})

t.test('a mark says nothing without the key of the box', async (t) => {
  t.not(new SecretMarks(new Uint8Array(32).fill(8)).masked(text), marks.masked(text))
})

t.test('no text shows a secret, whole, cut off anywhere, or with a line in a wrong place', async (t) => {
  const lines = text.split('\n')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.nat({ max: text.length }).map((at) => text.slice(0, at)),
        fc.nat({ max: text.length }).map((at) => text.slice(at)),
        fc
          .tuple(fc.nat({ max: text.length }), fc.constantFrom('{', '[', '"', "'", ': ', '\t', '- ', '&a ', '\n'))
          .map(([at, odd]) => text.slice(0, at) + odd + text.slice(at)),
        fc
          .tuple(fc.nat({ max: lines.length - 1 }), fc.nat({ max: 12 }))
          .map(([at, by]) => lines.with(at, ' '.repeat(by) + lines[at]!.trimStart()).join('\n')),
        fc.shuffledSubarray(lines).map((some) => some.join('\n')),
      ),
      (broken) => {
        const masked = marks.masked(broken)
        // A secret that was itself cut or broken in two is not one any more, and neither is one whose name is gone.
        for (const secret of ['whsec_of_the_crm', '4711']) {
          const named = new RegExp(`(secret|pin|password): ["']?[^\\n]*${secret}`).exec(broken)
          if (named !== null) t.notOk(new RegExp(`(secret|pin): ["']${secret}`).test(masked), `${secret} in ${JSON.stringify(broken)}`)
        }
        t.equal(marks.unmasked(masked, [broken], 'x').faults.length, 0, 'and every mark is known')
      },
    ),
    { numRuns: 400, seed: 5 },
  )
})

t.test('any secrets go and come back, also those that look alike', async (t) => {
  const secret = fc.oneof(
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.constantFrom('(kept ab12)', 'yes', '0123', '# no comment', 'a: b', '- c'),
  )
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 40 }),
      fc.constantFrom<'BLOCK_LITERAL' | 'PLAIN' | 'QUOTE_DOUBLE'>('BLOCK_LITERAL', 'PLAIN', 'QUOTE_DOUBLE'),
      (values, type) => {
        const written = stringify(
          { extensions: values.map((password, n) => ({ number: String(n), password })) },
          { defaultStringType: type, defaultKeyType: 'PLAIN' },
        )
        const masked = marks.masked(written)
        const { text: back, faults } = marks.unmasked(masked, [written], 'x')
        t.same(faults, [])
        t.same(
          secretsIn(back).map(({ value }) => value),
          secretsIn(written).map(({ value }) => value),
        )
      },
    ),
    { numRuns: 150, seed: 9 },
  )
})

t.test('a mark outside the places of secrets is what is written there, and one that means nothing is a fault at its place', async (t) => {
  const [mark] = /\(kept [0-9a-f]+\)/.exec(marks.masked('mail: { password: hidden-thing }'))!
  const moved = marks.unmasked(`site: { name: ${mark} }\nmail: { username: ${mark} }\n`, ['mail: { password: hidden-thing }'], 'x')
  t.notOk(moved.text.includes('hidden-thing'))
  const asPin = marks.unmasked(`mailboxes: [ { ext: "101", pin: ${mark} } ]`, ['mail: { password: hidden-thing }'], 'x')
  t.notOk(asPin.text.includes('hidden-thing'), 'a password is no PIN')
  const { faults } = marks.unmasked('mail:\n  password: (kept 0000)\n', ['mail: { password: hidden-thing }'], 'pbxd.yaml')
  t.match(faults, [{ file: 'pbxd.yaml', line: 2, column: 13, text: /write it, or load/ }])
})

t.test('no setting that is not secret has the name of one', async (t) => {
  const { ConfigSchema } = await import('../../daemon/schema/config.ts')
  const open: string[] = []
  const look = (shape: Record<string, any>, path: string): void => {
    for (const [name, inner] of Object.entries<Record<string, any>>(shape['properties'] ?? {})) {
      if (secretNames.has(name) && inner['x-secret'] !== true && inner['type'] !== 'object') open.push(`${path}.${name}`)
      look(inner, `${path}.${name}`)
    }
    for (const inner of [shape['items'], ...(shape['anyOf'] ?? []), ...(shape['allOf'] ?? []).map((one: any) => one.then)])
      if (inner !== undefined) look(inner, path)
  }
  look(ConfigSchema as unknown as Record<string, any>, '')
  t.same(open, [])
  t.ok(secretNames.has('password') && secretNames.has('secret') && secretNames.has('pin'))
})

/** A desk over a file, as a daemon has it that runs on it. */
function openTexts(t: Test, begin: string) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-texts-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'pbxd.yaml')
  writeFileSync(file, begin)
  const clock = new FakeClock()
  const revisions = new Revisions(join(dir, 'config'))
  const { config } = parseConfig(begin, file)
  const desk = new ConfigDesk({
    configFile: file,
    revisions,
    clock,
    log: createLog({ level: 'silent' }),
    restart: async () => undefined,
    keep: () => undefined,
  })
  desk.attach({
    config,
    reconfigure: (next) => void Object.assign(config, next),
    facts: () => ({ parts: [], trunks: [] }),
    wouldCut: () => 0,
    settled: () => undefined,
    takenBack: () => undefined,
  })
  desk.found(begin)
  const settled = async (): Promise<void> => {
    while (!desk.isIdle) {
      clock.advance(300)
      await new Promise(setImmediate)
    }
  }
  return { desk, file, settled, texts: new ConfigTexts({ desk, revisions }) }
}

const small = `site: { name: Riverside }
extensions: # phones
  - { number: "101", name: Desk, password: a-long-password }
`

function refusal(work: () => unknown): ApiError {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was not refused')
}

t.test('a page changes a name, and the secret and the comment stay as they were', async (t) => {
  const { texts, desk, settled } = openTexts(t, small)
  const { text: shown, base, ok } = texts.read()
  t.ok(ok)
  t.notOk(shown.includes('a-long-password'))
  const changed = shown.replace('Desk', 'Front desk')
  t.same(
    texts.check({ text: changed, base }).changes.map(({ path }) => path),
    ['extensions[101].name'],
  )
  texts.apply({ text: changed, base, by: 'person:ted' })
  await settled()
  t.equal(desk.textInUse, small.replace('Desk', 'Front desk'), 'nothing else is otherwise, to the byte')
})

t.test('of two writers the second gets the changes of both', async (t) => {
  for (const byRevision of [true, false]) {
    const { texts, settled } = openTexts(t, small)
    const first = texts.read()
    const second = texts.read()
    texts.apply({ text: first.text.replace('Desk', 'Front desk'), base: first.base, by: 'person:ted' })
    await settled()
    const base = byRevision ? second.revision! : second.base
    for (const deed of [texts.check.bind(texts), texts.apply.bind(texts)]) {
      const error = refusal(() => deed({ text: second.text.replace('Riverside', 'Lakeside'), base, by: 'person:tina' }))
      t.equal(error.code, 'revision_changed')
      const { theirs, yours } = error.extra as any
      t.same(
        theirs.map(({ path, after }: any) => [path, after]),
        [['extensions[101].name', 'Front desk']],
      )
      t.same(
        yours.map(({ path }: any) => path),
        ['site.name', 'extensions[101].name'],
      )
      t.notOk(JSON.stringify(error.extra).includes('a-long-password'))
    }
  }
})

t.test('what somebody writes into the file itself is not overwritten either', async (t) => {
  const { texts, file } = openTexts(t, small)
  const { text: shown, base } = texts.read()
  writeFileSync(file, small.replace('Riverside', 'Lakeside'))
  const error = refusal(() => texts.apply({ text: shown, base, by: 'person:ted' }))
  t.equal(error.code, 'revision_changed')
  t.same(
    (error.extra as any).theirs.map(({ path }: any) => path),
    ['site.name'],
  )
})

t.test('a refused, an emptied and a missing file are shown with their faults, without secrets', async (t) => {
  const files: readonly (readonly [string, string | null, RegExp, number, number])[] = [
    ['not YAML', small.replace('name: Desk,', 'name: "Desk,'), /not valid YAML/, 3, 1],
    ['a wrong key', small.replace('site: {', 'site: { nmae: x,'), /did you mean "name"/, 1, 9],
    ['a secret without quotes', small.replace('a-long-password', '123456789012345'), /was read as a number/, 3, 44],
    [
      'after a secret in its line',
      small.replace('password: a-long-password', 'password: a-long-password, classs: none'),
      /no key "classs"/,
      3,
      0,
    ],
    ['empty', '', /empty/, 1, 1],
    ['missing', null, /cannot be read/, 1, 1],
  ]
  for (const [name, content, fault, line, column] of files) {
    const { texts, file } = openTexts(t, small)
    if (content === null) rmSync(file)
    else writeFileSync(file, content)
    const shown = texts.read()
    t.equal(shown.ok, false, name)
    t.match(shown.faults[0], { text: fault, ...(column > 1 ? { line, column } : {}) }, name)
    t.notOk(/a-long-password|123456789012345/.test(JSON.stringify(shown)), `${name}: no secret`)
    const again = texts.check({ text: shown.text })
    if (content !== null && content !== '') {
      t.same(
        again.faults,
        shown.faults.map(({ text: words, ...place }) => ({ ...place, text: words })),
        `${name}: the page that sends it back gets the same, at the same places`,
      )
      const [first] = again.faults
      if (name.startsWith('after'))
        t.equal(
          shown.text.split('\n')[2]!.slice(first!.column - 1, first!.column + 5),
          'classs',
          'the column is that of the text that is shown',
        )
    }
  }
})

t.test('a fault keeps its words where a password is one of them, and quotes no password', async (t) => {
  const texts = ['mail: { password: secret }', 'crm: { secret: whsec_7_of_the_crm }']
  const cannotRead = '/extensions/1/password: the secret cannot be read from /run/gone.secret'
  t.equal(withoutSecrets(cannotRead, texts), cannotRead)
  t.equal(withoutSecrets('"secret" is too short, and so is whsec_7_of_the_crm', texts), '"(secret)" is too short, and so is (secret)')
})
