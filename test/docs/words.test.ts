/** docs/style.md, counted: the words that are not written, how long a line of a page may be, and that each decision has its day. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../harness/daemon.ts'
import { allCommands, helpOf } from '../harness/help.ts'
import { banned, bannedIn, wordsOf } from '../harness/plain-english.ts'

/** These numbers may only fall: lower them when you rewrite a comment or a text. */
const most = { comments: 4, texts: 32, help: 0 }

const text = (file: string): string => readFileSync(join(root, file), 'utf8')
const below = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => ending.test(file) && statSync(join(root, file)).isFile())
    .toSorted()

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'models', 'test/proofs'].flatMap((folder) => below(folder, /\.md$/)),
  'drivers/sip/PROTOCOL.md',
]
/** The page of the rules shows what not to write, in the first column of its table. */
const withoutExamples = (page: string): string => (page === 'docs/style.md' ? text(page).replaceAll(/^\|.*$/gm, '') : text(page))

t.test('no page has a banned word', async (t) => {
  t.ok(pages.length > 50, `${pages.length} pages`)
  for (const page of pages) t.same(bannedIn(withoutExamples(page)), [], page)
})

t.test('nor has the description of the HTTP interface: its summaries and descriptions are read at /docs', async (t) => {
  const words = text('openapi.json').match(/"(?:summary|description)": "(?:[^"\\]|\\.)*"/g) ?? []
  t.ok(words.length > 1000, `${words.length} summaries and descriptions`)
  t.same(bannedIn(words.join('\n')), [])
})

t.test('banned words in comments, in the help of pbx and in its other texts only become fewer', async (t) => {
  const product = ['daemon', 'drivers', 'scripts'].flatMap((folder) => below(folder, /\.(ts|mjs|cc|h|c)$/))
  const parts = product.map((file) => wordsOf(text(file)))
  const tests = below('test', /\.(ts|mjs|cc|h|c)$/).map((file) => wordsOf(text(file)))
  const commands = new Set(allCommands().flatMap((name) => name.split(' ').map((_, at, path) => path.slice(0, at + 1).join(' '))))
  const found = {
    comments: [...parts, ...tests].flatMap((part) => bannedIn(part.comments)).length,
    texts: parts.flatMap((part) => bannedIn(part.strings)).length,
    help: [...commands].flatMap((name) => bannedIn(helpOf(name.split(' ')))).length,
  }
  for (const [where, count] of Object.entries(found)) t.ok(count <= most[where as keyof typeof most], `${count} in ${where}`)
})

t.test('the count finds what it looks for', async (t) => {
  const { comments, strings } = wordsOf("/** Tells\n * anew. */\nconst a = 'is over' // whoever\nconst b = `beside ${c}`\n")
  t.equal(bannedIn(comments).length, 3)
  t.equal(bannedIn(strings).length, 2)
  t.same(bannedIn('besides, it is overdue; a teller recommends it'), [])
  const page = text('docs/style.md')
  for (const [, instead] of banned) t.ok(page.includes(instead.split(',')[0]!), `docs/style.md says: ${instead}`)
})

/** Written by `npm run generate`. */
const isGenerated = (page: string): boolean => text(page).includes('<!-- Written by `npm run generate`')
const widest = 120
/** A cell cannot go on in the next line. */
const widestRow = 400

t.test(`no line of prose is wider than ${widest} columns, no row of a table than ${widestRow}`, async (t) => {
  for (const page of pages.filter((each) => !isGenerated(each))) {
    // What is shown is as it runs.
    const lines = text(page)
      .replaceAll(/^ *```[^]*?^ *```$|^<!-- Written by npm run generate[^]*?^<!-- End/gm, '')
      .split('\n')
      .filter((line) => !line.startsWith('    '))
    t.same(
      lines.filter((line) => line.length > (line.startsWith('|') ? widestRow : widest)),
      [],
      page,
    )
  }
})

t.test('every decision has the day on which it was taken', async (t) => {
  const entries = [...text('docs/decisions.md').matchAll(/^- .*/gm)].map(([entry]) => entry)
  t.ok(entries.length > 400, `${entries.length} decisions`)
  t.same(
    entries.filter((entry) => !/^- 20\d\d-\d\d-\d\d /.test(entry)),
    [],
  )
  t.same(
    entries.filter((entry, at) => entries.indexOf(entry) !== at),
    [],
    'and stands there once',
  )
})
