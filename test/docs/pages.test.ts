/** The pages that are generated say what the schemas say; what any page shows is right. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { configJsonSchema } from '../../daemon/config/json-schema.ts'
import { loadConfig, parseConfig } from '../../daemon/config/load.ts'
import { checker } from '../../daemon/http/validate.ts'
import { ConfigSchema } from '../../daemon/schema/config.ts'
import { eventSpecs } from '../../daemon/schema/events.ts'
import { controlDocumentSchema, parseDocument } from '../../daemon/voice/document.ts'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { exampleFiles, exampleOf, keysOf } from '../../scripts/generate/configuration.ts'
import { goesTo } from '../../scripts/generate/events.ts'
import { stale } from '../../scripts/generate/main.ts'
import { root } from '../harness/daemon.ts'
import { misfitsOf } from '../harness/events-fit.ts'
import { frameMisfitsOf } from '../harness/frames-fit.ts'
import { certificate } from '../harness/processes.ts'

/** From docs/. */
const pages = [
  ...readdirSync(root).map((file) => `../${file}`),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }),
].filter((file) => file.endsWith('.md'))
const text = (page: string): string => readFileSync(join(root, 'docs', page), 'utf8')

t.test('openapi.json and the generated pages are what the schemas say (npm run generate)', async (t) => {
  t.same(stale(), [])
})

t.test('docs/audit.md says of every deed when it is written', async (t) => {
  const sources = readdirSync(join(root, 'daemon'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const written = /(?:\bdeed(?::| =)|bySystem\(|becomes\()\s*(?:[^'\n]*\? )?'([a-z]+)\.([a-z]+)'(?: : '([a-z]+)\.([a-z]+)')?/g
  const deeds = new Set(
    sources.flatMap((file) =>
      [...readFileSync(join(root, 'daemon', file), 'utf8').matchAll(written)].flatMap(([, noun, verb, other, itsVerb]) =>
        other === undefined ? [`${noun}.${verb}`] : [`${noun}.${verb}`, `${other}.${itsVerb}`],
      ),
    ),
  )
  t.ok(deeds.size > 80, `${deeds.size} deeds`)
  const page = text('audit.md')
  const looks = new Set(/^\| (.*) with `list` or `read`/m.exec(page)![1]!.match(/[a-z]+/g))
  const isThere = (deed: string): boolean => {
    const [noun = '', verb = ''] = deed.split('.')
    return page.includes(`\`${deed}\``) || (looks.has(noun) && ['list', 'read'].includes(verb))
  }
  t.same([...deeds].filter((deed) => !isThere(deed)).toSorted(), [])
})

t.test('every verb has an example that fits its schema and runs without a warning, and every event its section', async (t) => {
  const check = checker(controlDocumentSchema, false)
  for (const { name, example } of verbs.values()) {
    t.same(check(structuredClone(example)), undefined, `${name}: as its schema says`)
    t.ok(
      example.some((verb) => Object.hasOwn(verb, name)),
      `${name}: shows itself`,
    )
    t.match(parseDocument(example, { destinations: new Set(['101']) }), { ok: true, warnings: [] }, name)
  }
  const headingOf = (name: string): string => name.replace(/^reminder\..*/, 'reminder.<outcome>').replace(/^alarm\..*/, 'alarm.<news>')
  const headings = new Set([...text('events.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading))
  for (const name of Object.keys(eventSpecs)) t.ok(headings.has(headingOf(name)), name)
})

t.test('an event that goes to an address of its verb, goes to one that the verb has', async (t) => {
  const specs = Object.entries(eventSpecs).filter(([, { route }]) => goesTo[route].endsWith('of the verb'))
  t.same(specs.map(([name]) => name).toSorted(), ['gather.partial', 'stream.error', 'stream.started', 'stream.stopped'])
  for (const [name, { route, verb = '' }] of specs) {
    const [, parameter = ''] = /^`(\w+)` of the verb$/.exec(goesTo[route]) ?? []
    const { properties = {} } = verbs.get(verb)?.parameters ?? {}
    t.ok(Object.hasOwn(properties, parameter), `${name}: ${verb} has ${parameter}`)
    t.match(
      (properties as Record<string, { description?: string }>)[parameter]?.description,
      new RegExp(name.replace('.', '\\.')),
      `${name}: and says so`,
    )
  }
})

t.test('webhooks.md says of each event what is to be answered', async (t) => {
  const rows = text('webhooks.md').split('\n')
  const rowOf = { control: '| An event that asks', partial: '| `gather.partial`', kept: '| All others' }
  for (const [name, { route }] of Object.entries(eventSpecs)) {
    const row = rows.find((line) => line.startsWith(rowOf[route === 'control' || route === 'partial' ? route : 'kept'])) ?? ''
    t.ok(row.includes(`\`${name}\``) || row.includes(`\`${name.split('.')[0]}.*\``), name)
  }
})

/** What is wrong with it, whichever of the two it is. */
function eventOrFrame(value: object & { readonly event?: unknown }): string[] {
  if (Object.hasOwn(eventSpecs, String(value.event))) return misfitsOf(value)
  const ofBox = frameMisfitsOf(value)
  return ofBox.length === 0 ? ofBox : frameMisfitsOf(value, 'server').length === 0 ? [] : ofBox
}

t.test('every event, frame and document shown on a page fits', async (t) => {
  let shown = 0
  for (const page of pages) {
    for (const [, block] of text(page).matchAll(/^```json\n([^]*?)^```$/gm)) {
      const value = JSON.parse(block!) as object
      // Others are requests and answers of the HTTP interface.
      if (!Array.isArray(value) && !('event' in value)) continue
      shown += 1
      const misfits = Array.isArray(value) ? (checker(controlDocumentSchema, false)(value) ?? []) : eventOrFrame(value)
      t.same(misfits, [], `${page}: ${block}`)
    }
  }
  t.ok(shown >= 40, `${shown} are shown`)
})

t.test('links between the pages lead somewhere', async (t) => {
  for (const page of pages) {
    for (const [, target] of text(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue
      const [file = '', heading] = target!.split('#')
      const found = file === '' ? join(root, 'docs', page) : resolve(root, 'docs', dirname(page), file)
      if (!t.ok(existsSync(found), `${page}: ${target}`) || heading === undefined) continue
      const headings = [...readFileSync(found, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, words]) =>
        words!
          .toLowerCase()
          .replaceAll(/[^\p{L}\d _-]/gu, '')
          .replaceAll(' ', '-'),
      )
      t.ok(headings.includes(heading), `${page}: ${target}`)
    }
  }
})

t.test('the example files load, and editors find nothing to complain of', async (t) => {
  const editor = new Ajv({ strict: false }).compile({ ...configJsonSchema(), $id: 'editor' })
  for (const file of exampleFiles) {
    const dir = mkdtempSync(join(tmpdir(), 'pbx-example-'))
    t.teardown(() => rmSync(dir, { recursive: true, force: true }))
    const yaml = readFileSync(join(root, file), 'utf8')
    for (const [, name] of yaml.matchAll(/\{ file: ([\w.]+) \}/g)) writeFileSync(join(dir, name!), 'a secret of 24 characters and more')
    await certificate(dir)
    writeFileSync(join(dir, 'authority.pem'), readFileSync(join(dir, 'cert.pem')))
    writeFileSync(join(dir, 'pbxd.yaml'), yaml)
    t.doesNotThrow(() => loadConfig(join(dir, 'pbxd.yaml')), file)
    t.ok(editor(parse(yaml)), `${file}: ${JSON.stringify(editor.errors)}`)
  }
})

t.test('the configurations shown for the telephone system of the house load without a word', async (t) => {
  const shown = (page: string): string[] => [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block]) => block!)
  const clinic = shown(text('field-guide.md').split('## 3. The clinic in one file')[1]!.split('[configuration.md]')[0]!)
  t.equal(clinic.length, 1)
  t.ok(clinic[0]!.split('\n').length <= 41, 'a clinic in 40 lines')
  const blocks = [...shown(text('pbx.md')), shown(text('analog.md').split('## Without hardware')[1]!)[0]!, ...clinic]
  for (const block of blocks) {
    const warnings = parseConfig(block, '/srv/pbx/pbxd.yaml').warnings.filter(({ path }) => path !== '/extensions')
    t.same(warnings, [], block)
  }
})

t.test('pbx config schema prints the schema for editors', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'scripts/cli/main.ts'), 'config', 'schema'])
  t.same(JSON.parse(stdout), configJsonSchema())
  t.match(JSON.parse(stdout), {
    $id: 'pbxd.schema.json',
    $schema: /draft-07/,
    properties: { site: { properties: { country: { default: 'US' } } } },
  })
})

t.test('every key of the configuration is described, with an example that fits and when a change counts', async (t) => {
  const page = text('configuration.md')
  for (const name of Object.keys(ConfigSchema.properties)) {
    for (const key of keysOf(name)) {
      const { path, shape, effect } = key
      t.ok((shape.description ?? '') !== '', `${path}: is described`)
      t.ok(page.includes(`| \`${path}\` |`), `${path}: stands on the page`)
      t.ok(['live', 'restart'].includes(effect), `${path}: when a change counts`)
      const example = exampleOf(key)
      if (t.not(example, undefined, `${path}: has an example`))
        t.same(checker(shape as never, false)(structuredClone(example)), undefined, path)
    }
  }
})
