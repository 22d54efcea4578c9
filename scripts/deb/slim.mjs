// Makes an installed /usr/lib/pbxd small: the programs are bundles (scripts/bundle.mjs), and of the packages stays what is loaded from where it
// lies. Licences of all of them go into one file.
//   node scripts/deb/slim.mjs FOLDER
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, transformSync } from 'esbuild'
import { unbundled } from '../unbundled.mjs'
import { licences, packageOf } from './licences.ts'

const folder = realpathSync(process.argv[2])
/** What LMDB loads is a package for each machine. */
const whole = [...unbundled, '@lmdb/*']
/** Loaded from where they lie, by `import` and by `require` at their first use. */
const imported = ['lmdb', '@serialport/bindings-cpp', 'pino-pretty', 'soundswallower', '@hyzyla/pdfium']
const required = ['nodemailer', 'pino-pretty', 'smpp', 'undici/lib/llhttp/llhttp_simd-wasm.js', 'undici/lib/llhttp/llhttp-wasm.js', 'ws']
/** Read as FILE.gz, too (daemon/http/docs-routes.ts, drivers/speech-grammar/dictionary.ts). */
const compressed = ['swagger-ui-dist/swagger-ui-bundle.js', 'swagger-ui-dist/swagger-ui.css', 'soundswallower/model/en-us/dict.txt']

/** What a program or a package needs, found as Node would; nothing is written. */
const common = {
  absWorkingDir: folder,
  outdir: join(folder, 'never'),
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  loader: { '.node': 'empty', '.wasm': 'empty' },
  logLevel: 'error',
}
const filesOf = (part) =>
  readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // Folders of another disk have another order, and the licences would too.
    .toSorted()

/** The modules of packages that are loaded from where they lie. */
async function reached() {
  const entries = {
    [join(folder, 'imported.mjs')]: imported.map((name) => `import '${name}'`),
    [join(folder, 'required.cjs')]: required.map((name) => `require('${name}')`),
  }
  for (const [file, lines] of Object.entries(entries)) writeFileSync(file, lines.join('\n'))
  const { metafile } = await build({ ...common, entryPoints: Object.keys(entries) })
  for (const file of Object.keys(entries)) rmSync(file)
  return new Set(Object.keys(metafile.inputs))
}

/** Throws where a program needs a module that is not in the tree; those of the other package, and the optional one, aside. */
async function findAll() {
  const entryPoints = filesOf('program').filter((file) => file.endsWith('.js'))
  await build({ ...common, entryPoints, external: ['sherpa-onnx-*'] })
}

const isWhole = (name) => whole.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))

const stays = await reached()
const packages = new Set([...stays].map(packageOf))
const files = filesOf('node_modules')
const texts = licences(folder, files)
writeFileSync(join(folder, 'LICENSES.txt.gz'), gzipSync(texts.join('\n\n'), { level: 9 }))
for (const file of files) {
  const name = packageOf(file)
  // A package.json further inside gives the kind of the modules next to it.
  if (stays.has(file) || isWhole(name) || (packages.has(name) && file.endsWith('/package.json'))) continue
  rmSync(join(folder, file))
}
// Comments and white space are a third of them; the licences lie in one file.
for (const file of filesOf('node_modules').filter((name) => /\.[cm]?js$/.test(name))) {
  const path = join(folder, file)
  writeFileSync(path, transformSync(readFileSync(path, 'utf8'), { minifyWhitespace: true, legalComments: 'none', target: 'node22' }).code)
}
await findAll()
for (const file of compressed) {
  const path = join(folder, 'node_modules', file)
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  rmSync(path)
}
// For a program without a box: people look at /docs, and a box answers /openapi.json by itself.
const description = join(folder, 'openapi.json')
writeFileSync(`${description}.gz`, gzipSync(JSON.stringify(JSON.parse(readFileSync(description, 'utf8'))), { level: 9 }))
rmSync(description)
console.log(`${filesOf('program').length} files of programs, ${filesOf('node_modules').length} of packages, ${texts.length} licences`)
