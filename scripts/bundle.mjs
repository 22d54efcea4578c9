// Makes one file of the compiled daemon and the packages it always needs, in place of FOLDER/daemon/main.js: some 800 modules and the comments
// in them would cost 10 MB of a box at rest and a second of its start. The compiled others stay: the processes and threads beside the daemon
// run them. Names are kept and lines are short, so that the place in a fault's stack can be read. The check of the configuration is compiled, too,
// into FOLDER/daemon/config-check.cjs.
//   node scripts/bundle.mjs FOLDER
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'

const folder = process.argv[2]

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

const { outputFiles } = await build({
  entryPoints: [`${folder}/daemon/main.js`],
  outdir: `${folder}/daemon`,
  write: false,
  bundle: true,
  splitting: true,
  chunkNames: 'main-[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node22',
  minifyWhitespace: true,
  lineLimit: 140,
  // Those that hold machine code, or files that they look for beside themselves.
  external: ['lmdb', '@uwsjs/*', '@serialport/*', '@hyzyla/pdfium', 'soundswallower', 'sherpa-onnx-node', 'swagger-ui-dist', 'pino-pretty'],
  plugins: [noHttp2, oneParser],
  // For packages in CommonJS, which load parts of Node.
  banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
  logLevel: 'warning',
})

// A text with one letter outside Latin-1 takes two bytes a letter. Where it stands in String.raw, as a decoder's machine code does, it stays.
const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
for (const { path, text } of outputFiles) {
  const raw = /String\.raw`[^`]*[^\0-\x7f]/.test(text)
  if (raw && path.endsWith('/main.js')) throw new Error('main.js: a letter in String.raw cannot be escaped, and would double what it takes')
  writeFileSync(path, raw ? text : text.replace(/[^\0-\x7f]/g, escaped))
}

const { checkFile, compileCheck } = await import(resolve(folder, 'daemon/config/check.js'))
const { ajv, check } = compileCheck({ source: true })
const {
  outputFiles: [code],
} = await build({
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
writeFileSync(resolve(folder, 'daemon', checkFile), code.text)
