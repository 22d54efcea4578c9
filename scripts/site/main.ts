/**
 * Makes a website of docs/: one folder of files, with a search, that asks nothing of the network. It fails where a link leads nowhere.
 *   npm run site [FOLDER]            for any web server; .cache/website by default
 *   node scripts/site/main.ts --box FOLDER    as a box serves it at /docs: packed, without what a box has itself: pictures, the interface
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, transformSync } from 'esbuild'
import { programVersion, root } from '../../daemon/base/root.ts'
import { apiFiles, apiPage, apiScript } from '../../daemon/http/api-page.ts'
import { documentOf, groupsOf, type Frame } from './layout.ts'
import { fileNameOf, rendered, type Page } from './markdown.ts'
import { sources } from './pages.ts'

const hashed = (name: string, content: string | Uint8Array): string =>
  name.replace('.', `.${createHash('sha256').update(content).digest('hex').slice(0, 8)}.`)

/** Links to headings that no page has. */
function deadLinks(pages: ReadonlyMap<string, Page>): string[] {
  return Array.from(pages.values()).flatMap(({ path, links }) =>
    links
      .filter(({ name, id }) => id !== '' && !(pages.get(name)?.ids.has(id) ?? false))
      .map(({ name, id }) => `${path}: ${name}.html#${id} leads nowhere`),
  )
}

const asText = (written: string): string => written.replaceAll(/\s+/g, ' ').trim()

/** What is found: each heading with its text. */
const searched = (pages: readonly Page[]): string =>
  JSON.stringify(
    pages
      .flatMap(({ name, title, sections }) =>
        sections
          .filter(({ level, text }) => level > 0 || asText(text) !== '')
          .map(({ id, heading, text }) => ({ href: `${name}.html${id === '' ? '' : `#${id}`}`, title, heading, text: asText(text) })),
      )
      .map((entry, id) => ({ id, ...entry })),
  )

async function scriptOf(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'scripts/site/browser/search.ts')],
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', minify: true, legalComments: 'none', logLevel: 'warning' },
    target: ['chrome115', 'firefox115', 'safari17'],
  })
  return outputFiles[0]!.text
}

/** Every file of the site by its name; those of docs/ that are shown by their path. */
async function made(): Promise<{ readonly texts: Map<string, string>; readonly copies: Map<string, string> }> {
  const all = sources().map(rendered)
  const pages = new Map(all.map((page) => [page.name, page]))
  const dead = deadLinks(pages)
  if (dead.length > 0) throw new Error(dead.join('\n'))
  const texts = new Map<string, string>()
  const add = (name: string, content: string): string => {
    texts.set(name, content)
    return name
  }
  const style = transformSync(readFileSync(join(import.meta.dirname, 'site.css'), 'utf8'), { loader: 'css', minify: true }).code
  const [script, entries] = [await scriptOf(), searched(all)]
  // The script finds the texts under its own name.
  const scriptName = hashed('search.js', script + entries)
  add(scriptName.replace('.js', '.json'), entries)
  const frame: Frame = {
    pages,
    groups: groupsOf(pages.get('index')!.markdown),
    style: add(hashed('site.css', style), style),
    script: add(scriptName, script),
    version: programVersion(root),
  }
  for (const page of all) add(`${page.name}.html`, documentOf(frame, page))
  const copies = new Map(all.flatMap(({ files }) => files.map((path) => [fileNameOf(path), path] as const)))
  return { texts, copies }
}

/** The start for an address without a slash at its end, from which the others are one folder down. */
const oneUp = (html: string): string =>
  html.replaceAll(/\b(href|src|srcset)="(?!#|[a-z]+:)([^"]+)"/g, (_, name, link) => `${name}="docs/${link}"`)

export async function writeSite(folder: string, box: boolean): Promise<void> {
  const { texts, copies } = await made()
  const parts = `${folder}.new`
  rmSync(parts, { recursive: true, force: true })
  mkdirSync(parts, { recursive: true })
  if (box) texts.set('docs.html', oneUp(texts.get('index.html')!))
  else {
    texts.set('api.html', apiPage).set('api.js', apiScript('openapi.json'))
    texts.set('openapi.json', readFileSync(join(root, 'openapi.json'), 'utf8'))
    const interfaceOf = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
    for (const name of Object.keys(apiFiles)) copyFileSync(join(interfaceOf, name), join(parts, name))
  }
  for (const [name, text] of texts)
    if (box) writeFileSync(join(parts, `${name}.gz`), gzipSync(text, { level: 9 }))
    else writeFileSync(join(parts, name), text)
  if (!box) for (const [name, path] of copies) copyFileSync(join(root, path), join(parts, name))
  const version = createHash('sha256')
    .update(JSON.stringify([...texts]))
    .digest('hex')
    .slice(0, 16)
  if (box)
    writeFileSync(join(parts, 'built.json'), JSON.stringify({ version, packed: [...texts.keys()], plain: Object.fromEntries(copies) }))
  rmSync(folder, { recursive: true, force: true })
  renameSync(parts, folder)
  process.stdout.write(`${folder}: ${[...texts.keys()].filter((name) => name.endsWith('.html')).length} pages\n`)
}

if (import.meta.main) {
  const words = process.argv.slice(2)
  const [folder = join(root, '.cache/website')] = words.filter((word) => word !== '--box')
  await writeSite(folder, words.includes('--box'))
}
