/** The house rules of the source: who may import whom, where native code enters, how long a file may be, what a folder says of itself. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'
import { describedRoutes } from '../../scripts/generate/described.ts'
import { capabilityNames, composers, mayImport, partMayKnow } from '../../scripts/generate/rooms.ts'

const root = resolve('.')
const mostLines = 400
const mostFunctionLines = 80

function filesOf(folder: string, endings: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => endings.some((ending) => file.endsWith(ending)) && statSync(file).isFile())
    .toSorted()
}

const sources = ['daemon', 'drivers', 'scripts', 'test'].flatMap((folder) => filesOf(folder, ['.ts', '.tsx', '.mjs', '.cc', '.h', '.c']))
const programs = sources.filter((file) => /\.tsx?$/.test(file))
const text = (file: string): string => readFileSync(file, 'utf8')

/** What a file imports, types too: our own files as paths from the root, packages by name. */
function importsOf(file: string): string[] {
  const found = [...text(file).matchAll(/(?:^|[^.\w])(?:from|import|require)\s*\(?\s*'([^'\n]+)'/gm)].map((match) => match[1] as string)
  return found.map((name) => (name.startsWith('.') ? relative(root, resolve(dirname(file), name)) : name))
}

/** What a file imports besides types, as paths from the root. */
function valuesFrom(file: string): string[] {
  const found = [...text(file).matchAll(/^(?:import|export) (?!type\b)([^'\n]*?(?:\{[^}]*\})?[^'\n]*?)from '(\.[^']+)'/gm)]
  const typesAlone = (names = ''): boolean => /^\{(\s*type [^,}]+,?)+\s*\}/.test(names)
  return found.filter(([, names]) => !typesAlone(names)).map(([, , name = '']) => relative(root, resolve(dirname(file), name)))
}

/** The room of the house that a file belongs to. */
function areaOf(file: string): string {
  if (file === 'drivers/index.ts') return 'drivers/index'
  const [top = '', second = '', third] = file.split('/')
  if (top === 'drivers') return third === undefined ? 'contract' : `drivers/${second}`
  if (top === 'daemon' && third !== undefined && file.endsWith('/part.ts')) return 'part'
  if (top === 'daemon') return third === undefined ? 'main' : second
  return top
}

const anything: readonly string[] = [...composers, 'scripts', 'test']

t.test('nobody imports whom they should not know', async (t) => {
  const faults = programs.flatMap((file) => {
    const area = areaOf(file)
    if (anything.includes(area)) return []
    const allowed = area === 'drivers/index' ? programs.map(areaOf) : (mayImport[area] ?? ['contract', 'drivers/serial'])
    return importsOf(file)
      .filter(
        (name) => name.startsWith('daemon/') || name.startsWith('drivers/') || name.startsWith('scripts/') || name.startsWith('test/'),
      )
      .filter((name) => areaOf(name) !== area && !allowed.includes(areaOf(name)))
      .map((name) => `${file} imports ${name}`)
  })
  t.same(faults, [])
  const outsiders = programs.filter((file) => file.startsWith('drivers/') && importsOf(file).some((name) => name.startsWith('daemon/')))
  t.same(outsiders, [], 'no driver knows the daemon')
  const finders = programs.filter((file) => file.startsWith('daemon/') && importsOf(file).includes('drivers/index.ts'))
  t.same(
    finders.filter((file) => !composers.includes(areaOf(file))),
    [],
    'parts alone find the drivers',
  )
})

/** Pure code that a page counts with, as the box does. */
const sharedWithPages = ['daemon/messaging/segments.ts']
/** The list of pages, and what the page of calls loads for a technician. */
const sharedPages = ['daemon/console/pages/index.ts', 'daemon/console/pages/trace/Trace.tsx']
/** What runs in a browser. */
const pages = /^daemon\/console\/(frame|pieces|pages|entry)\//

t.test('pages in a browser know the daemon by its types alone, and are known to nobody', async (t) => {
  const ofPages = programs.filter((file) => pages.test(file))
  t.ok(ofPages.length > 30, `${ofPages.length} files`)
  const values = ofPages.flatMap((file) => valuesFrom(file).map((name) => ({ file, name })))
  t.same(
    values.filter(({ name }) => !pages.test(name) && !sharedWithPages.includes(name)),
    [],
  )
  const knowing = programs.filter((file) => !pages.test(file) && !file.startsWith('test/console/'))
  t.same(
    knowing.flatMap((file) => importsOf(file).filter((name) => pages.test(name))),
    [],
  )
  const folders = [...new Set(ofPages.flatMap((file) => /^daemon\/console\/pages\/(\w+)\//.exec(file)?.[1] ?? []))]
  const strange = folders.flatMap((folder) =>
    ofPages
      .filter((file) => file.startsWith(`daemon/console/pages/${folder}/`))
      .flatMap((file) => importsOf(file).map((name) => ({ file, name }))),
  )
  t.same(
    strange.filter(
      ({ file, name }) =>
        name.startsWith('daemon/console/pages/') && name.split('/')[3] !== file.split('/')[3] && !sharedPages.includes(name),
    ),
    [],
    'and no page another page',
  )
})

t.test('no file needs the values of a file that needs its own', async (t) => {
  const needs = new Map(
    programs
      .filter((file) => !file.startsWith('test/'))
      .map((file) => [file, valuesFrom(file).filter((name) => !name.startsWith('test/'))] as const),
  )
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '))
    if (way.includes(file) || done.has(file)) return
    for (const next of needs.get(file) ?? []) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of needs.keys()) visit(file, [])
  t.ok(needs.size > 800, `${needs.size} files`)
  t.same(circles, [])
})

t.test('parts are put together in daemon.ts, out of what they are given: no part knows another', async (t) => {
  const parts = programs.filter((file) => areaOf(file) === 'part')
  t.ok(parts.length > 40, `${parts.length} parts`)
  const daemon = programs.filter((file) => file.startsWith('daemon/') && file !== 'daemon/daemon.ts')
  t.same(
    daemon.flatMap((file) =>
      importsOf(file)
        .filter((name) => areaOf(name) === 'part' || (areaOf(file) === 'part' && areaOf(name) === 'main' && !partMayKnow.includes(name)))
        .map((name) => `${file} imports ${name}`),
    ),
    [],
  )
  const composed = importsOf('daemon/daemon.ts')
  t.same(
    parts.filter((file) => !composed.includes(file)),
    [],
    'every part is in the daemon',
  )
  t.same(
    parts.map((file) => ({ file, imports: (text(file).match(/^import /gm) ?? []).length })).filter(({ imports }) => imports > 15),
    [],
    'a part that needs more than 15 files is two',
  )
})

t.test('every folder of the daemon has its area', async (t) => {
  const folders = readdirSync('daemon', { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []))
  t.same(
    folders.filter((name) => !Object.hasOwn(mayImport, name) && !anything.includes(name)),
    [],
    'whom it may import is said above',
  )
  t.same(
    Object.keys(mayImport).filter((name) => !['contract', ...folders].includes(name)),
    [],
    'and of no other',
  )
})

t.test('scripts/ is for people who run the box: it stands without test/', async (t) => {
  const faults = programs
    .filter((file) => file.startsWith('scripts/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('test/'))
        .map((name) => `${file} imports ${name}`),
    )
  t.same(faults, [])
  const compiled = programs.filter((file) => /^(daemon|drivers|scripts\/cli)\//.test(file))
  t.same(
    compiled.flatMap((file) => importsOf(file).filter((name) => name.startsWith('scripts/') && !name.startsWith('scripts/cli/'))),
    [],
    'what is compiled and installed knows nothing of the rest',
  )
})

t.test('capabilities are named by their parts, and everywhere else by nobody', async (t) => {
  const around = programs.filter((file) => ['main', 'http', 'schema', 'store', 'base'].includes(areaOf(file)))
  const faults = around.flatMap((file) =>
    importsOf(file)
      .filter((name) => capabilityNames.includes(areaOf(name)))
      .map((name) => `${file} imports ${name}`),
  )
  // Both come before there are parts: a half restored box is not started, and a stand-in takes over what a broken store held.
  t.same(faults, ['daemon/core.ts imports daemon/backup/places.ts', 'daemon/stand-in.ts imports daemon/history/history.ts'])
  t.ok(text('daemon/daemon.ts').split('\n').length <= 320, 'the list of parts is a list')
})

t.test('what is swept, and so how long it is kept, stands on one page', async (t) => {
  const page = text('docs/privacy.md')
  const swept = programs
    .filter((file) => file.startsWith('daemon/'))
    .flatMap((file) => [...text(file).matchAll(/\bwhat: '([^']+)', sweep/g)].map((match) => match[1] as string))
  t.ok(swept.length >= 11, `${swept.length} sweeps`)
  t.same(
    swept.filter((what) => !page.includes(`\`${what}\``)),
    [],
  )
})

t.test('a line is dialled with a claim alone', async (t) => {
  const ours = programs.filter((file) => file.startsWith('daemon/'))
  const dials = ours.flatMap((file) => [...text(file).matchAll(/([\w)\]]+)\??\.dial\(/g)].map(([, who = '']) => `${who} in ${file}`))
  const strange = dials.filter((dial) => !/^(claim|calls|\)) in /.test(dial))
  t.same(strange, ['driver in daemon/routing/trunks.ts'], 'the desk alone has the drivers dial')
  t.ok(
    dials.filter((dial) => dial.startsWith(') in')).every((dial) => dial === ') in daemon/routing/extension.ts'),
    'phones are claimed where they are dialled',
  )
  const knowing = ours.filter((file) => !['main', 'part'].includes(areaOf(file)) && /\b(LineDriver|DialRequest)\b/.test(text(file)))
  t.same(knowing, ['daemon/routing/lines.ts', 'daemon/routing/trunks.ts'], 'and nobody else knows how')
  t.same(
    ours
      .flatMap((file) => (areaOf(file) === 'config' ? importsOf(file).filter((name) => areaOf(name) === 'routing') : []))
      .filter((name) => name !== 'daemon/routing/destinations.ts'),
    [],
    'of routing the configuration knows the table of destinations',
  )
})

t.test('native packages enter in one file each', async (t) => {
  for (const [name, where] of [
    ['lmdb', 'daemon/store/'],
    ['@serialport/stream', 'drivers/serial/'],
    ['@serialport/bindings-cpp', 'drivers/serial/'],
    ['nodemailer', 'daemon/mail/'],
    ['smpp', 'drivers/smpp/'],
    ['ws', 'daemon/voice/'],
    ['node-pdu', 'drivers/gsm/'],
  ] as const) {
    const typesOnly = new RegExp(`import type [^'\\n]*'${name}'|typeof import\\('${name}'\\)`, 'g')
    const taken = new RegExp(`(from |import\\(|require\\(|import\\.meta\\.url\\)\\()'${name}'`)
    const users = programs.filter((file) => /^(daemon|drivers)\//.test(file) && taken.test(text(file).replaceAll(typesOnly, '')))
    t.equal(users.length, 1, `${name}: ${users.join(', ')}`)
    t.ok(users[0]?.startsWith(where), `${name} is imported in ${where}`)
  }
})

t.test(`no file is longer than ${mostLines} lines`, async (t) => {
  const long = sources.map((file) => ({ file, lines: text(file).split('\n').length - 1 })).filter(({ lines }) => lines > mostLines)
  t.same(long, [])
})

t.test(`no function of the product is longer than ${mostFunctionLines} lines`, async (t) => {
  const words = ['-c', 'test/structure/functions.json', '-f', 'json', 'daemon', 'drivers', 'scripts']
  // What tap has its children load is not for the linter.
  const linter = ['-u', 'NODE_OPTIONS', process.execPath, 'node_modules/.bin/oxlint']
  const { stdout } = spawnSync('env', [...linter, ...words], { encoding: 'utf8', maxBuffer: 64 << 20 })
  const { diagnostics, number_of_files: files } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string; message: string }[]
    number_of_files: number
  }
  t.ok(files > 400, `${files} files`)
  const long = diagnostics.filter(({ code }) => code.includes('max-lines-per-function'))
  const limit = new RegExp(`Maximum allowed is ${mostFunctionLines}`)
  t.ok(long.every(({ message }) => limit.test(message)))
  t.same(
    long.map(({ filename, message }) => `${filename}: ${message}`),
    [],
  )
})

/** Of the caller's turn, and of a page in a browser, which forgets what has ended. */
const shortLived = ['daemon/voice/filler.ts', 'daemon/console/frame/live.ts']

t.test('nothing is left at a signal that lives as long as the daemon: timeLimit lets go, AbortSignal.any does not', async (t) => {
  const product = programs.filter((file) => /^(daemon|drivers)\//.test(file))
  t.same(
    product.filter((file) => text(file).includes('AbortSignal.any(') && !shortLived.includes(file)),
    [],
  )
})

/** Their milliseconds are of samples that were heard, or of a clock that the test turns itself. */
const audio =
  /^test\/(sip-driver\/tones|voice\/(stream-queues|speech-calls)|speech\/|speech-(grammar|sherpa|process)\/|streams\/|modem-voice\/|e2e\/recording|fax-pages\/)/

t.test('no test judges by the clock: a limit on time has the name of what would come later', async (t) => {
  const judged = [
    /t\.ok\([^\n]*(performance|Date)\.now\(\) - \w+ <=? [\d_]+[,)]/g,
    // A time asserted in ms against a bare number: assertions on what was heard, or on a clock of the test's own, have their file below.
    /t\.ok\([^\n]*<=? -?[\d_]+[ ,)][^\n]*\} ms\b/g,
  ]
  const faults = programs.flatMap((file) =>
    file.startsWith('test/') && !file.startsWith('test/proofs/')
      ? judged
          .flatMap((form, at) => (at === 1 && audio.test(file) ? [] : [...text(file).matchAll(form)]))
          .map(([what]) => `${file}: ${what}`)
      : [],
  )
  t.same(faults, [])
})

t.test('a file of routes gives tables of them, and nothing else that ends so', async (t) => {
  const routeFiles = filesOf('daemon', ['routes.ts'])
  const tables = routeFiles.flatMap((file) =>
    [...text(file).matchAll(/^export (?:function|const) (\w+)\b[^\n]*\bRoute(\[\])? (?:\{|=)/gm)].map(([, name = '', list]) => ({
      file,
      name,
      list,
    })),
  )
  t.ok(tables.length > 35, `${tables.length} tables`)
  t.same(
    tables.filter(({ name, list }) => list === undefined || !name.endsWith('Routes')),
    [],
    'what a file of routes gives is a table',
  )
  t.equal(describedRoutes().length > 100, true, 'and all of them are described')
})

t.test('every folder says what it is for', async (t) => {
  const folders = new Map<string, string[]>()
  for (const file of sources.filter((name) => !name.startsWith('test/') || name.startsWith('test/proofs/')))
    folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file])
  const saysPurpose = (file: string): boolean => /^(#!.*\n)?\s*(\/\*\*?|\/\/)\s*\S|^(#!.*\n)?\/\*\*?\n \* \S/.test(text(file))
  const isMain = (folder: string, file: string): boolean =>
    [folder.split('/').at(-1), 'main', 'index', 'server', 'driver'].some((name) => file.startsWith(`${folder}/${name}.`))
  for (const [folder, files] of folders) {
    const mains = files.filter((file) => isMain(folder, file))
    const judged = mains.length > 0 ? mains : files
    t.ok(judged.some(saysPurpose), `${folder}: ${judged.join(', ')}`)
  }
})

t.test('the files that docs/architecture.md and CONTRIBUTING.md lead through are there', async (t) => {
  const named = ['docs/architecture.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...text(page).matchAll(/`((?:daemon|drivers|scripts|systemd|test|docs)\/[\w./@-]+)`/g)].map((match) => match[1] as string),
  )
  const files = named.filter((name) => !/[A-Z]{4}/.test(name))
  t.ok(files.length > 90, `${files.length} files`)
  t.same(
    files.filter((name) => !existsSync(name)),
    [],
  )
})

t.test('the README and the first page for integrators tell the truth', async (t) => {
  const readme = text('README.md')
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(text('package.json')) as Record<string, Record<string, string>>
  const rows = [...text('docs/dependencies.md').matchAll(/^\| `([^`]+[^`/])` \| (.+) \|$/gm)].map((match) => match[1] as string)
  const wanted = [dependencies, optionalDependencies, devDependencies].flatMap((packages) => Object.keys(packages ?? {}))
  t.same(rows.filter((name) => wanted.includes(name)).toSorted(), wanted.toSorted(), 'each package has a row with its reason')
  t.same(
    rows.filter((name) => !wanted.includes(name)),
    [],
    'and no other package has one',
  )
  t.ok(text('docs/getting-started.md').includes(text('scripts/examples/app.ts')), 'the application shown is the one that runs')
  t.ok(readme.split('\n').length <= 150, 'and is short')
  const lines = text('scripts/examples/app.ts')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('/**'))
  t.ok(lines.length <= 20, `and has ${lines.length} lines`)
})

t.test('each route through the code in docs/architecture.md follows real imports', async (t) => {
  const page = text('docs/architecture.md')
  const wiring = programs.filter((file) => file === 'daemon/daemon.ts' || areaOf(file) === 'part').map(importsOf)
  const routes = [...page.matchAll(/^## (The life of [^\n]*)\n([^]*?)(?=^## )/gm)]
  t.ok(routes.length >= 3, `${routes.length} routes`)
  for (const [, name, section = ''] of routes) {
    const files = [...new Set([...section.matchAll(/`((?:daemon|drivers)\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file))]
    t.ok(files.length > 5, `${name}: ${files.length} files`)
    const meets = (file: string, other: string): boolean =>
      importsOf(file).includes(other) ||
      importsOf(other).includes(file) ||
      wiring.some((imports) => imports.includes(file) && imports.includes(other))
    t.same(
      files.filter((file, at) => at > 0 && !files.some((other) => other !== file && meets(file, other))),
      [],
      `${name}: each file imports another one of the route, is imported by one, or is wired to one by a part`,
    )
  }
})
