// Makes one file of the compiled daemon and the packages it always needs, in place of FOLDER/daemon/main.js: some 800 modules and the
// comments in them would cost 10 MB of a box at rest and a second of its start. The programs next to it become bundles of their own, which
// share parts, and the single modules go. The check of the configuration is compiled, too, into FOLDER/daemon/config-check.cjs.gz.
//   node scripts/bundle.mjs FOLDER
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { unbundled } from './unbundled.mjs'

const folder = realpathSync(process.argv[2])

/** Undici does without a Node that has no HTTP/2, and nobody here speaks it: 1 MB. */
const noHttp2 = {
  name: 'no HTTP/2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2$/ }, () => ({ path: 'http2', namespace: 'none' }))
    onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: 'module.exports = { constants: {} }' }))
  },
}

/** Of its parsers, one WebAssembly each in text, it loads the one that fits the processor. */
const oneParser = {
  name: 'one parser',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/(milo|llhttp)\/.*simd|^\.\.\/llhttp\/llhttp-wasm/ }, ({ path }) => ({
      path: path.replace('..', 'undici/lib'),
      external: true,
    }))
  },
}

/**
 * Of the parser that the box's own server uses (daemon/http/llhttp.ts) the bytes: a module in CommonJS is copied member by member, and a buffer has
 * 54,013, each of which would be a function for as long as the daemon runs.
 */
const parserAsBytes = {
  name: 'parser as bytes',
  setup({ onLoad }) {
    onLoad({ filter: /\/llhttp-wasm\.js$/ }, async ({ path }) => ({ contents: (await import(path)).default, loader: 'binary' }))
  },
}

/** What is started by its path, next to the daemon: the command, processes and threads. */
const beside = [
  'scripts/cli/main',
  'daemon/programs/speech-process',
  'daemon/programs/store-proof',
  'daemon/programs/fax-render',
  'daemon/programs/fax-pages',
  'daemon/http/large-body-worker',
  'daemon/programs/foreign-worker',
  'daemon/fax/pages/child-worker',
  'drivers/speech-grammar/worker',
]

const common = {
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  splitting: true,
  outdir: folder,
  outbase: folder,
  // The names of functions and classes stay, and lines are short, for a fault's stack. To shorten names and then put those back (`keepNames`)
  // would call a function for each closure that is made, with each request.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 140,
  external: [...unbundled, 'pino-pretty'],
  plugins: [noHttp2, oneParser, parserAsBytes],
  // For packages in CommonJS, which load parts of Node.
  banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
  logLevel: 'warning',
}

async function bundleDaemon() {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [`${folder}/daemon/main.js`],
    chunkNames: 'daemon/main-[name]-[hash]',
  })
  // A text with one letter outside Latin-1 takes two bytes a letter. Where it stands in String.raw, as a decoder's machine code does, it stays.
  const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return outputFiles.map(({ path, text }) => {
    const raw = /String\.raw`[^`]*[^\0-\x7f]/.test(text)
    if (raw && path.endsWith('/main.js'))
      throw new Error('main.js: a letter in String.raw cannot be escaped, and would double what it takes')
    return { path, text: raw ? text : text.replace(/[^\0-\x7f]/g, escaped) }
  })
}

async function bundleBeside() {
  const { outputFiles } = await build({
    ...common,
    entryPoints: beside.map((name) => `${folder}/${name}.js`),
    // Next to the daemon: one of them is the file that knows where the program lies (drivers/code.ts).
    chunkNames: 'daemon/part-[hash]',
    charset: 'utf8',
  })
  return outputFiles
}

async function compileConfigCheck() {
  const { checkFile, compileCheck } = await import(resolve(folder, 'daemon/config/validate.js'))
  const { ajv, check } = compileCheck({ source: true })
  const { outputFiles } = await build({
    stdin: { contents: standaloneCode.default(ajv, check), resolveDir: resolve('.') },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    // Nobody reads in what was generated.
    minify: true,
    lineLimit: 140,
    charset: 'ascii',
    logLevel: 'warning',
  })
  return [{ path: join(folder, 'daemon', checkFile), text: gzipSync(outputFiles[0].text, { level: 9 }) }]
}

const files = [await bundleDaemon(), await bundleBeside(), await compileConfigCheck()].flat()
rmSync(folder, { recursive: true })
for (const { path, text } of files) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
