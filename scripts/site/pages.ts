/** Which pages the site has: docs/, and what these lead to outside of it; each with the name of its file, which all lie in one folder. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { root } from '../../daemon/base/root.ts'

export interface Source {
  /** From the root of the checkout, such as `docs/verbs/say.md`. */
  readonly path: string
  /** Without `.html`. */
  readonly name: string
  readonly markdown: string
}

/** `docs/verbs/README.md` is `verbs`, and `docs/README.md` the start: `index`. */
export function nameOf(path: string): string {
  if (path === 'docs/README.md') return 'index'
  const bare = path.replace(/^docs\//, '').replace(/\/README\.md$|\.md$/, '')
  return bare.replaceAll('/', '-').toLowerCase()
}

/** Where a link of a page leads, from the root of the checkout. */
export const targetOf = (page: string, link: string): string => normalize(join(dirname(page), link)).replace(/\/$/, '')

/** Links and pictures of Markdown and of HTML, without what is shown as it is written. */
const links = (markdown: string): string[] =>
  [...markdown.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/\]\(([^)\s#]+)/g)].map(([, link = '']) => link)

export const isElsewhere = (link: string): boolean => /^[a-z]+:/.test(link)

/** The page that a path means: itself, or the README of a folder. */
export function pageAt(path: string): string | undefined {
  const readme = join(path, 'README.md')
  if (existsSync(join(root, readme))) return readme
  return path.endsWith('.md') && existsSync(join(root, path)) && statSync(join(root, path)).isFile() ? path : undefined
}

export function sources(): Source[] {
  const found = new Map<string, Source>()
  const open = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file))
    .toSorted()
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    if (found.has(path)) continue
    const markdown = readFileSync(join(root, path), 'utf8')
    found.set(path, { path, name: nameOf(path), markdown })
    for (const link of links(markdown).filter((one) => !isElsewhere(one))) {
      const page = pageAt(targetOf(path, link))
      if (page !== undefined) open.push(page)
    }
  }
  const pages = [...found.values()]
  const names = pages.map(({ name }) => name)
  const twice = names.filter((name, at) => name === 'api' || names.indexOf(name) !== at)
  if (twice.length > 0) throw new Error(`two pages would be ${twice.join(', ')}.html`)
  return pages
}
