/** A page of Markdown as HTML: links lead to the files of the site, headings have the names that GitHub gives them, nothing is styled in line. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { root } from '../../daemon/base/root.ts'
import { isElsewhere, nameOf, pageAt, targetOf, type Source } from './pages.ts'

export interface Section {
  /** Of the heading; '' before the first one. */
  readonly id: string
  readonly level: number
  readonly heading: string
  text: string
}

export interface Page extends Source {
  readonly title: string
  readonly html: string
  readonly sections: readonly Section[]
  /** Names of headings that other pages may lead to. */
  readonly ids: ReadonlySet<string>
  /** Page and heading of each link to the site itself. */
  readonly links: readonly { readonly name: string; readonly id: string }[]
  /** Files of docs/ that it shows or offers, from the root of the checkout. */
  readonly files: readonly string[]
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]

/** Of a file of docs/ that is no page: pictures, examples. */
export const fileNameOf = (path: string): string => path.replace(/^docs\//, '').replaceAll('/', '-')

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-')

/** `undefined`: the path is there, and the site does not have it. Throws where there is no such path. */
function hrefOf(page: Source, link: string, links: { name: string; id: string }[], files: string[]): string | undefined {
  if (isElsewhere(link)) return link
  const [path = '', id = ''] = link.split('#')
  const target = path === '' ? page.path : targetOf(page.path, path)
  if (!existsSync(join(root, target))) throw new Error(`${page.path}: ${link} leads nowhere`)
  const found = pageAt(target)
  if (found !== undefined) {
    links.push({ name: nameOf(found), id })
    return path === '' ? `#${id}` : `${nameOf(found)}.html${id === '' ? '' : `#${id}`}`
  }
  if (!target.startsWith('docs/') || !statSync(join(root, target)).isFile()) return undefined
  files.push(target)
  return fileNameOf(target)
}

const textOf = (token: Token): string =>
  (token.children ?? []).map((child) => (child.type === 'image' ? '' : child.type === 'softbreak' ? ' ' : child.content)).join('')

export function rendered(source: Source): Page {
  const parser = new MarkdownIt({ html: true })
  const links: { name: string; id: string }[] = []
  const files: string[] = []
  const ids = new Set<string>()
  const sections: Section[] = [{ id: '', level: 0, heading: '', text: '' }]
  const tokens = parser.parse(source.markdown, {})

  const pointTo = (children: readonly Token[]): void => {
    const open: boolean[] = []
    for (const token of children) {
      if (token.type === 'link_open') {
        const href = hrefOf(source, String(token.attrGet('href')), links, files)
        open.push(href !== undefined)
        if (href === undefined) Object.assign(token, { tag: 'span', attrs: null })
        else token.attrSet('href', href)
        if (href !== undefined && isElsewhere(href)) token.attrSet('rel', 'noopener noreferrer')
      }
      if (token.type === 'link_close' && open.pop() === false) token.tag = 'span'
      if (token.type === 'image') token.attrSet('src', hrefOf(source, String(token.attrGet('src')), links, files)!)
      if (token.type === 'html_inline') token.content = withFiles(token.content)
    }
  }
  const withFiles = (html: string): string =>
    html.replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (_, name, link) => `${name}="${hrefOf(source, link as string, links, files)}"`)

  for (const [at, token] of tokens.entries()) {
    // The policy of sources permits no style in an attribute: a class says the same.
    const style = token.attrGet('style')
    if (style !== null) token.attrs = [['class', String(style).replace('text-align:', '')]]
    if (token.type === 'html_block') token.content = withFiles(token.content.replaceAll(/<!--[^]*?-->/g, ''))
    if (token.type === 'inline') pointTo(token.children!)
    if (token.type === 'inline' && tokens[at - 1]!.type === 'heading_open') {
      const heading = textOf(token)
      let id = idOf(heading)
      for (let n = 1; ids.has(id); n++) id = `${idOf(heading)}-${n}`
      ids.add(id)
      tokens[at - 1]!.attrSet('id', id)
      sections.push({ id, level: Number(tokens[at - 1]!.tag.slice(1)), heading, text: '' })
    } else if (token.type === 'inline') sections.at(-1)!.text += `${textOf(token)} `
    else if (token.type === 'fence') sections.at(-1)!.text += `${token.content} `
  }
  const title = sections.find(({ level }) => level === 1)?.heading ?? source.name
  return { ...source, title, html: parser.renderer.render(tokens, parser.options, {}), sections, ids, links, files }
}
