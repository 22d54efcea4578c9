/** What surrounds a page: the search, the list of pages as docs/README.md has it, the headings of this page. */
import type { Page } from './markdown.ts'
import { nameOf, targetOf } from './pages.ts'

interface Group {
  readonly title: string
  readonly names: readonly string[]
}

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** The tables of docs/README.md: the head of each is a group, its rows have the pages. */
export function groupsOf(start: string): Group[] {
  return start
    .split(/\n\n+/)
    .filter((block) => block.startsWith('|'))
    .map((table) => {
      const [head = '', , ...rows] = table.split('\n')
      const links = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, link = '']) => link))
      return { title: head.split('|')[1]!.trim(), names: links.map((link) => nameOf(targetOf('docs/README.md', link))) }
    })
}

export interface Frame {
  readonly pages: ReadonlyMap<string, Page>
  readonly groups: readonly Group[]
  readonly style: string
  readonly script: string
  readonly version: string
}

function navigation({ pages, groups }: Frame, current: string): string {
  const item = (name: string): string =>
    `<li><a href="${name}.html"${name === current ? ' aria-current="page"' : ''}>${escaped(pages.get(name)!.title)}</a></li>`
  return groups
    .map(
      ({ title, names }) => `<details${names.includes(current) || current === 'index' ? ' open' : ''}>
<summary>${escaped(title)}</summary>
<ul>
${names.map(item).join('\n')}
</ul>
</details>`,
    )
    .join('\n')
}

function headings({ sections }: Page): string {
  const shown = sections.filter(({ level }) => level === 2)
  if (shown.length < 3) return ''
  const items = shown.map(({ id, heading }) => `<li><a href="#${id}">${escaped(heading)}</a></li>`)
  return `<nav class="headings" aria-labelledby="on-this-page">\n<h2 id="on-this-page">On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>\n`
}

export function documentOf(frame: Frame, page: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} - pbxd</title>
<link rel="stylesheet" href="${frame.style}">
<script defer src="${frame.script}"></script>
</head>
<body>
<a class="skip" href="#main">To the page</a>
<header>
<a class="home" href="index.html">pbxd ${escaped(frame.version)}</a>
<search class="search" hidden>
<label for="words">Search</label>
<input id="words" type="search" autocomplete="off" spellcheck="false" aria-describedby="count">
<p id="count" role="status"></p>
<ol id="found"></ol>
</search>
<a href="api.html">HTTP interface</a>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
${navigation(frame, page.name)}
</nav>
<main id="main">
${headings(page)}<article>
${page.html}</article>
</main>
</div>
</body>
</html>
`
}
