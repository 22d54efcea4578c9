/** drivers/sip/PROTOCOL.md against both ends: every type of message that one of them sends or handles stands there, and nothing else does. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const folder = join('drivers', 'sip')
const engineFolders = ['sip', 'media', 'ipc', 'fax'].map((name) => join(folder, 'engine', name))
const sourcesIn = (where: string, ending: string): string[] =>
  readdirSync(where)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(where, name), 'utf8'))
const engine = engineFolders.flatMap((where) => sourcesIn(where, '.cc')).join('\n')
const driver = sourcesIn(folder, '.ts')
const document = readFileSync(join(folder, 'PROTOCOL.md'), 'utf8')

function section(heading: string): string {
  const from = document.indexOf(`\n## ${heading}\n`)
  if (from === -1) throw new Error(`PROTOCOL.md has no section ${heading}`)
  const to = document.indexOf('\n## ', from + 1)
  return document.slice(from, to === -1 ? undefined : to)
}

/** Names at the beginning of each entry. */
function documented(heading: string): string[] {
  const entries = [...section(heading).matchAll(/^- ((?:`\w+`(?:, )?)+):/gm)].map(([, names = '']) => names)
  return entries.flatMap((names) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).toSorted()
}

function all(text: string, ...patterns: readonly RegExp[]): string[] {
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].flatMap((match) => match.slice(1)))
  return [...new Set(found)].toSorted()
}

/** The types that `switch (message.t)` and comparisons of `message.t` know. */
function handled(text: string): string[] {
  const switches = [...text.matchAll(/^( *)switch \(message\.t\) \{\n([^]*?)\n\1\}/gm)].map(([, , body = '']) => body)
  return [...switches.flatMap((body) => all(body, /^ *case '(\w+)':/gm)), ...all(text, /message\.t [!=]== '(\w+)'/g)]
}

/** Before anything else, both ways: it has a section of its own. */
const withoutHello = (names: readonly string[]): string[] => [...new Set(names)].filter((name) => name !== 'hello').toSorted()

t.test('what the daemon sends and the engine handles', async (t) => {
  const orders = documented('Daemon -> engine')
  t.ok(orders.length > 25, `${orders.length} orders`)
  t.same(withoutHello(all(engine, /\btype == "(\w+)"/g)), orders, 'the engine handles what is documented')
  const source = driver.join('\n')
  const sent = withoutHello(
    all(source, /#order\('(\w+)'/g, /(?:encodeMessage|#ask)\(\{\s*t: '(\w+)'/g, /\bt: '(\w+)' \| '(\w+)', members/g),
  )
  const unsent = /^Not sent by the daemon of this version: (.+)\.$/m.exec(section('Daemon -> engine'))?.[1] ?? ''
  t.same(
    orders.filter((name) => !sent.includes(name)),
    all(unsent, /`(\w+)`/g),
    'the document says which ones the daemon does not send',
  )
  t.same(
    sent.filter((name) => !orders.includes(name)),
    [],
    'the daemon sends nothing that is not documented',
  )
})

t.test('what the engine sends and the daemon handles', async (t) => {
  const events = documented('Engine -> daemon')
  t.ok(events.length > 25, `${events.length} events`)
  const sent = all(engine, /\{"t", "(\w+)"\}/g, /\{"t", \w+ \? "(\w+)" : "(\w+)"\}/g, /\bcommon\("(\w+)",/g)
  t.same(withoutHello(sent), events, 'the engine sends what is documented')
  t.same(withoutHello(driver.flatMap(handled)), events, 'the daemon handles what is documented')
})
