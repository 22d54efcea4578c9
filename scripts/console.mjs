// Builds the pages of the console for browsers: one script with the frame, the Desk and the style sheet, and one for each other page, each as
// NAME.HASH.js.br and .gz; built.json lists them for the daemon (daemon/console/built.ts).
//   node scripts/console.mjs FOLDER
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, transformSync } from 'esbuild'

const folder = process.argv[2]
const source = 'daemon/console'
/** Of what every browser in use has read since 2023: light-dark() alone is younger, and is written in full for the others. */
const target = ['chrome115', 'firefox115', 'safari17']

const own = ['pieces', 'frame', 'entry', 'pages'].flatMap((part) => globSync(`${source}/${part}/**/*.css`).toSorted())
const sheets = ['node_modules/uplot/dist/uPlot.min.css', ...own]
const style = transformSync(sheets.map((file) => readFileSync(file, 'utf8')).join('\n'), { loader: 'css', minify: true, target }).code

const withStyle = {
  name: 'style',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#style$/ }, () => ({ path: 'style', namespace: 'style' }))
    onLoad({ filter: /./, namespace: 'style' }, () => ({ contents: style, loader: 'text' }))
  },
}

/**
 * What is loaded later needs all of the frame and the pieces, used or not: so these are one file, which the document names itself, and not one
 * for each set of pages that share something.
 */
const shared = `${process.cwd()}/${source}/frame/main.tsx`
const withFrame = {
  name: 'frame',
  setup({ onLoad }) {
    onLoad({ filter: /\/console\/(pages\/\w+\/(page|Trace)|entry\/[A-Z]\w+)\.tsx$/ }, ({ path }) => ({
      contents: `import ${JSON.stringify(shared)}\n${readFileSync(path, 'utf8')}`,
      loader: 'tsx',
    }))
  },
}

const { outputFiles, metafile } = await build({
  entryPoints: { console: shared },
  bundle: true,
  write: false,
  metafile: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target,
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  outdir: folder,
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  charset: 'utf8',
  legalComments: 'none',
  plugins: [withStyle, withFrame],
  logLevel: 'warning',
})

/** The chunk that has all of the frame, if the entry itself is no more than its import. */
const [[entry, { imports, entryPoint }]] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx'))
if (entryPoint === undefined) throw new Error('the frame has no entry')
const first = imports.filter(({ kind }) => kind === 'import-statement')
if (first.length > 1) throw new Error(`the frame is in ${first.length} files: ${first.map(({ path }) => path).join(', ')}`)
const script = basename(first[0]?.path ?? entry)

const icon = readFileSync(`${source}/frame/icon.svg`)
const iconName = `icon.${createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase()}.svg`
const files = new Map([...outputFiles.map(({ path, contents }) => [basename(path), contents]), [iconName, icon]])
if (first.length > 0) files.delete(basename(entry))

const made = `${folder}.new`
rmSync(made, { recursive: true, force: true })
mkdirSync(made, { recursive: true })
for (const [name, contents] of files) {
  writeFileSync(join(made, `${name}.br`), brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  writeFileSync(join(made, `${name}.gz`), gzipSync(contents, { level: 9 }))
}
writeFileSync(join(made, 'built.json'), JSON.stringify({ script, icon: iconName, files: [...files.keys()].toSorted() }))
rmSync(folder, { recursive: true, force: true })
renameSync(made, folder)
