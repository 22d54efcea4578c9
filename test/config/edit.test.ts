/** Values set within the text of a configuration: nothing else of the text is otherwise, and sections that a route sets become a change like any other. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { ApiError } from '../../daemon/base/errors.ts'
import { ConfigDesk } from '../../daemon/config/desk.ts'
import { valuesOf, withValues, sectionsOf } from '../../daemon/config/edit.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { Revisions, stampOf } from '../../daemon/config/revisions.ts'
import { ConfigTexts } from '../../daemon/config/texts.ts'
import { ofRoot } from '../../scripts/cli/config/write.ts'
import { FakeClock } from '../harness/fake-clock.ts'

type Tree = Record<string, any>

/** In every way in which people write. */
const text = `# The box of the clinic.
site: { name: Riverside } # here
hours:
  # the office
  - id: office # main
    open:
      mon-fri: ["08:30-12:30", "13:30-17:00"] # with lunch
      sat: ["09:00-12:00"]
    closedOn:
      - "2026-12-25" # Christmas
      # and the first day
      - "2027-01-01"
    special: { "2026-12-24": ["08:30-12:00"] } # half a day
    whenOpen: "101"
    whenClosed: "102"
extensions: # phones
  - { number: "101", name: Front desk, password: a-long-password } # desk
  - number: "102" # the nurse
    name: 'Nurse'
    password: another-long-one

mailboxes: [] # none yet
`
const comments = [...text.matchAll(/#.*/g)].map(([comment]) => comment)

/** The text with a section as the change makes it. */
function edited(name: string, change: (section: any) => unknown, of = text): string {
  return withValues(of, { [name]: change(structuredClone((valuesOf(of) as Tree)[name])) })
}

const office = (change: (hours: Tree) => void) =>
  edited('hours', (hours) => {
    change(hours[0])
    return hours
  })

const cases: readonly (readonly [string, () => string, readonly string[], readonly string[]])[] = [
  ['a holiday more', () => office((hours) => hours.closedOn.push('2027-04-05')), ['      - "2027-04-05"'], []],
  ['a holiday less', () => office((hours) => hours.closedOn.shift()), [], ['      - "2026-12-25" # Christmas']],
  [
    'a half day more',
    () => office((hours) => (hours.special['2026-12-31'] = ['08:30-12:00'])),
    ['    special: { "2026-12-24": ["08:30-12:00"], "2026-12-31": ["08:30-12:00"] } # half a day'],
    ['    special: { "2026-12-24": ["08:30-12:00"] } # half a day'],
  ],
  [
    'another time of the week',
    () => office((hours) => (hours.open['mon-fri'][1] = '13:30-18:00')),
    ['      mon-fri: ["08:30-12:30", "13:30-18:00"] # with lunch'],
    ['      mon-fri: ["08:30-12:30", "13:30-17:00"] # with lunch'],
  ],
  ['a day of the week more', () => office((hours) => (hours.open.sun = ['10:00-12:00'])), ['      sun: ["10:00-12:00"]'], []],
  ['a day of the week less', () => office((hours) => delete hours.open.sat), [], ['      sat: ["09:00-12:00"]']],
  [
    'a name, in the quotes that it has',
    () => edited('extensions', (list) => ((list[1].name = 'Nurse Ann'), list)),
    ['    name: "Nurse Ann"'],
    ["    name: 'Nurse'"],
  ],
  [
    'an extension more',
    () => edited('extensions', (list) => [...list, { number: '103', name: 'Lab: 2', password: 'yes' }]),
    ['  - { number: "103", name: "Lab: 2", password: "yes" }'],
    [],
  ],
  [
    'an extension less',
    () => edited('extensions', (list) => list.slice(1)),
    [],
    ['  - { number: "101", name: Front desk, password: a-long-password } # desk'],
  ],
  [
    'the first of a list',
    () => edited('mailboxes', () => [{ ext: '101', pin: '0123' }]),
    ['mailboxes: # none yet', '  - { ext: "101", pin: "0123" }'],
    ['mailboxes: [] # none yet'],
  ],
  ['a section more', () => withValues(text, { log: { level: 'debug' } }), ['log: { level: debug }'], []],
]

t.test('a text in which * names nothing, or too much, has no values to change', async (t) => {
  for (const broken of ['featureCodes: { echo: *43 }\n', `a: &a [x, x]\nb: &b [${'*a, '.repeat(20)}]\nc: [${'*b, '.repeat(20)}]\n`]) {
    t.equal(valuesOf(broken), null)
    t.throws(() => withValues(broken, { site: {} }), ApiError)
  }
})

t.test('a form changes the lines of what it changes, and no other', async (t) => {
  for (const [what, change, more, less] of cases) {
    const lines = change().split('\n')
    const before = text.split('\n')
    t.same(
      lines.filter((line) => !before.includes(line)),
      more,
      `${what}: new lines`,
    )
    t.same(
      before.filter((line) => !lines.includes(line)),
      less,
      `${what}: lines that are gone`,
    )
  }
})

t.test('the last of a list may go, and comments in between stay', async (t) => {
  const empty = office((hours) => Object.assign(hours, { closedOn: [], special: {}, open: {} }))
  t.match(valuesOf(empty), { hours: [{ closedOn: [], special: {}, open: {} }] })
  t.ok(empty.includes('# and the first day') && empty.includes('# half a day'))
})

const time = fc.constantFrom('08:00-12:00', '13:00-17:30', '22:00-06:00')
const date = fc.constantFrom('2026-12-24', '2026-12-25', '2026-12-26/2027-01-02', '2027-05-01')
const times = fc.record({
  open: fc.dictionary(fc.constantFrom('mon', 'mon-fri', 'tue-thu', 'sat', 'sun'), fc.array(time, { maxLength: 2 })),
  closedOn: fc.uniqueArray(date),
  special: fc.dictionary(date, fc.array(time, { maxLength: 2 })),
})
const extensions = fc.uniqueArray(
  fc.record({ number: fc.constantFrom('101', '102', '103', '0104'), name: fc.string({ minLength: 1 }), password: fc.string() }),
  { selector: ({ number }) => number, maxLength: 4 },
)

t.test('whatever is set, the text says it, and comments outside of what went away stay', async (t) => {
  fc.assert(
    fc.property(times, extensions, (hours, list) => {
      const withHours = office((one) => Object.assign(one, hours))
      t.same(JSON.parse(JSON.stringify((valuesOf(withHours) as Tree)['hours'][0])), {
        ...(valuesOf(text) as Tree)['hours'][0],
        ...JSON.parse(JSON.stringify(hours)),
      })
      const after = withValues(withHours, { extensions: list })
      t.same((valuesOf(after) as Tree)['extensions'], list)
      const stay = comments.filter((comment) => !/Christmas|with lunch|desk|the nurse|half a day/.test(comment))
      t.same(
        stay.filter((comment) => !after.includes(comment)),
        [],
        after,
      )
    }),
    { numRuns: 200 },
  )
})

t.test('a text with aliases, anchors and texts of several lines says what was set, too', async (t) => {
  const odd = `defaults: &phone { record: none } # for all\nextensions:\n- { <<: *phone, number: "101", name: A }\n- number: "102"\n  name: >-\n    of two\n    lines\n`
  const list = (valuesOf(odd) as Tree)['extensions']
  const after = withValues(odd, { extensions: [list[0], { ...list[1], name: 'One line' }] })
  t.match((valuesOf(after) as Tree)['extensions'][1], { number: '102', name: 'One line' })
  t.ok(after.includes('# for all'))
})

t.test('a text that is no YAML of sections is shown as such, and not edited', async (t) => {
  for (const broken of ['site: { name: "x', '- a\n- b\n', 'just words', `${'['.repeat(100)}`]) {
    t.equal(valuesOf(broken), null)
    t.throws(() => withValues(broken, { site: {} }), { code: 'validation_failed' })
  }
  t.same(valuesOf(''), {})
  t.equal(withValues('', { extensions: [{ number: '101' }] }), 'extensions:\n  - { number: "101" }\n')
})

interface Stage {
  readonly desk: ConfigDesk
  readonly file: string
  readonly clock: FakeClock
  readonly revisions: Revisions
  readonly run: string
  readonly trunks: { name: string; ok: boolean; reason: string }[]
  /** Lets what is under way come to its end. */
  settle(promise: Promise<unknown>): Promise<ApiError | undefined>
}

/** A desk over a file, as a daemon has it that runs on it. `closed`: the file cannot be written. */
function stage(t: Test, { closed = false } = {}): Stage {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-edit-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'pbxd.yaml')
  const run = join(dir, 'run')
  mkdirSync(run)
  const begin = `${text}trunks: [{ id: main, server: provider.example, username: a, password: secret-of-main }]\ncontrol: { socket: ${run}/pbxd.sock }\n`
  writeFileSync(file, begin)
  // What it is written into first is a folder that is in use.
  if (closed) mkdirSync(join(`${file}.part`, 'in-use'), { recursive: true })
  const clock = new FakeClock()
  const revisions = new Revisions(join(dir, 'config'))
  const { config } = parseConfig(begin, file)
  const log = createLog({ level: 'silent' })
  const desk = new ConfigDesk({ configFile: file, revisions, clock, log, restart: async () => undefined, keep: () => undefined })
  const trunks = [{ name: 'main', ok: true, reason: '' }]
  desk.attach({
    config,
    reconfigure: (next) => void Object.assign(config, next),
    facts: () => ({ parts: [], trunks: structuredClone(trunks) }),
    wouldCut: () => 0,
    settled: () => undefined,
    takenBack: () => undefined,
  })
  desk.found(begin)
  const settle = async (promise: Promise<unknown>): Promise<ApiError | undefined> => {
    let over = false
    const ended = promise.then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof ApiError) return error
        throw error
      },
    )
    void ended.finally(() => (over = true))
    while (!over) {
      clock.advance(300)
      await new Promise(setImmediate)
    }
    return ended
  }
  return { desk, file, clock, revisions, run, trunks, settle }
}

const holiday = (date: string) => (values: Tree) => ({
  hours: (values['hours'] as Tree[]).map((one) => ({ ...one, closedOn: [...one['closedOn'], date] })),
})

t.test('a section that a route sets is in the file with its comments, in use, and in the history', async (t) => {
  const { desk, file, clock, revisions, settle } = stage(t)
  const sections = sectionsOf({ desk, clock })
  t.equal(await settle(sections.set(holiday('2027-04-05'), { by: 'person:maria', note: 'opening times of office' })), undefined)
  const now = readFileSync(file, 'utf8')
  t.ok(now.includes('"2027-04-05"') && comments.every((comment) => now.includes(comment)))
  t.match(revisions.list()[0], { by: 'person:maria', note: 'opening times of office', outcome: 'applied' })
})

t.test('what does not fit is refused in the words of the check; of a file that somebody edits nothing is applied along', async (t) => {
  const { desk, file, clock, settle } = stage(t)
  const sections = sectionsOf({ desk, clock })
  const order = { by: 'person:maria', note: '' }
  const refused = await settle(sections.set(holiday('25.12.2026'), order))
  t.match(refused, { code: 'validation_failed', message: /"25.12.2026" is not a valid date/ })
  const before = readFileSync(file, 'utf8')
  for (const edit of [before.replace('Riverside', 'Lakeside'), before.replace('site:', 'sight:'), '']) {
    writeFileSync(file, edit)
    t.match(await settle(sections.set(holiday('2027-04-05'), order)), { code: 'config_unapplied' })
    t.equal(readFileSync(file, 'utf8'), edit)
  }
})

t.test('a line that is lost meanwhile takes the change back, and says why', async (t) => {
  const { desk, clock, settle, trunks, file } = stage(t)
  const before = readFileSync(file, 'utf8')
  const change = sectionsOf({ desk, clock }).set(holiday('2027-04-05'), { by: 'x', note: '' })
  Object.assign(trunks[0]!, { ok: false, reason: 'it does not answer' })
  t.match(await settle(change), { code: 'config_taken_back', message: /trunk main: it does not answer/ })
  t.equal(readFileSync(file, 'utf8'), before)
})

t.test('where the file cannot be written: root is asked, the revision stays in use, and changes build on it', async (t) => {
  const { desk, file, clock, revisions, run, settle } = stage(t, { closed: true })
  const before = readFileSync(file, 'utf8')
  const sections = sectionsOf({ desk, clock })
  t.equal(await settle(sections.set(holiday('2027-04-05'), { by: 'person:maria', note: '' })), undefined)
  t.equal(readFileSync(file, 'utf8'), before)
  t.equal(readFileSync(join(run, 'config-due'), 'utf8'), '', 'root is asked by a file that says nothing')
  t.match(desk.state(), { fileIsOther: true, fileIsBehind: true })
  t.match(revisions.laterThan(before), { revision: desk.state().revision }, 'a start uses it')
  t.equal(await settle(sections.set(holiday('2027-05-17'), { by: 'person:ted', note: '' })), undefined)
  const { text: shown, changes } = new ConfigTexts({ desk, revisions }).read()
  t.ok(shown.includes('2027-04-05') && shown.includes('2027-05-17'), 'pages show it')
  t.same(changes, [])
  t.same(desk.check().changes, [], 'a reload of the file takes nothing back')
  t.equal(revisions.laterThan(before)!.text, desk.textInUse)
  writeFileSync(file, `${before}# by hand\n`)
  t.equal(revisions.laterThan(readFileSync(file, 'utf8')), null, 'a file that somebody edits since counts')
  t.match(desk.state(), { fileIsBehind: false })
  writeFileSync(file, desk.textInUse!)
  t.match(desk.state(), { fileIsOther: false, fileIsBehind: false })
})

t.test('a revision of which the file has the text is not later than the file', async (t) => {
  const revisions = new Revisions(t.testdir())
  const facts = { at: 0, by: 'x', note: '', outcome: 'applied', reason: '', changes: 1, summary: [] } as const
  revisions.add({ ...facts, text: 'b', over: stampOf('a') })
  t.match(revisions.laterThan('a'), { text: 'b' })
  t.equal(revisions.laterThan('b'), null)
  revisions.add({ ...facts, text: 'c', outcome: 'reverted', over: stampOf('a') })
  t.match(revisions.laterThan('a'), { text: 'b' }, 'what was taken back does not count')
  revisions.add({ ...facts, text: 'd' })
  t.equal(revisions.laterThan('a'), null, 'what was written since counts')
})

t.test('a person is asked before root acts upon something else', async (t) => {
  const before = 'http: { listen: 127.0.0.1:8080, tls: { cert: a.crt, key: a.key } }\nbackup: { to: /var/backups }\n'
  const free = [
    before.replace('8080', '8443'),
    `${before}extensions: [{ number: "101" }]\n`,
    before.replace(', tls: { cert: a.crt, key: a.key }', ''),
  ]
  for (const after of free) t.same(ofRoot(before, after), [], after)
  const asked = [
    ['backup', before.replace('/var/backups', '/tmp')],
    ['storage', `${before}storage: { dir: /tmp/x }\n`],
    ['control', `${before}control: { socket: /tmp/x }\n`],
    ['http.tls.key', before.replace('a.key', '/etc/shadow')],
    ['http.tls.key', before.replace('key: a.key', 'key: a.crt')],
    ['crm.caFile', `${before}crm: { caFile: /etc/shadow }\n`],
    ['mailboxes.0.greeting.file', `${before}mailboxes: [{ ext: "101", greeting: { file: /etc/shadow } }]\n`],
    ['extensions.0.password.file', `${before}extensions: [{ number: "101", password: { file: /etc/shadow } }]\n`],
  ] as const
  for (const [path, after] of asked) t.ok(ofRoot(before, after).includes(path), `${path}: ${ofRoot(before, after).join()}`)
})
