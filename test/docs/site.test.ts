/** The website of docs/: every link leads somewhere, nothing is fetched from elsewhere, and a box serves the same pages under its strict policy. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { docsRoutes } from '../../daemon/http/docs-routes.ts'
import { readSite } from '../../daemon/http/site.ts'
import { nameOf } from '../../scripts/site/pages.ts'
import { rendered } from '../../scripts/site/markdown.ts'
import { writeSite } from '../../scripts/site/main.ts'
import { root } from '../harness/daemon.ts'
import { Scene } from '../http/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbxd-site-'))
t.teardown(() => rmSync(folder, { recursive: true }))
await writeSite(join(folder, 'site'), false)
const files = readdirSync(join(folder, 'site'))
const text = (name: string): string => readFileSync(join(folder, 'site', name), 'utf8')
const pages = files.filter((name) => name.endsWith('.html'))
const attributes = (html: string): [string, string][] =>
  [...html.matchAll(/\b(href|src|srcset)="([^"]*)"/g)].map(([, name = '', link = '']) => [name, link])

t.test('every page of docs/ is there, and every link leads to a file and a heading', async (t) => {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
  t.same(
    docs.map((file) => `${nameOf(`docs/${file}`)}.html`).filter((name) => !pages.includes(name)),
    [],
  )
  const ids = new Map(pages.map((name) => [name, new Set([...text(name).matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))]))
  let followed = 0
  for (const page of pages)
    for (const [, link] of attributes(text(page)).filter(([name, link]) => name !== 'href' || !/^[a-z]+:/.test(link))) {
      const [file, id] = link.split('#')
      followed += 1
      if (!files.includes(file === '' ? page : file!)) t.fail(`${page}: ${link}`)
      if (id !== undefined && !ids.get(file === '' ? page : file!)!.has(id)) t.fail(`${page}: ${link}`)
    }
  t.ok(followed > 3000, `${followed} links`)
})

t.test('no page fetches from elsewhere, or has a script or a style in line', async (t) => {
  for (const page of pages) {
    const html = text(page)
    t.same(
      attributes(html).filter(([name, link]) => name !== 'href' && /^\w+:|^\/\//.test(link)),
      [],
      page,
    )
    // What stands in code is text.
    t.notMatch(html.replaceAll(/<pre>[^]*?<\/pre>|<code>[^]*?<\/code>/g, ''), /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/, page)
  }
  t.notMatch(text(files.find((name) => name.endsWith('.css'))!), /url\(|@import/)
})

t.test('a link that leads nowhere, and one to a heading that is not there, is found', async (t) => {
  const page = (markdown: string) => rendered({ path: 'docs/mail.md', name: 'mail', markdown })
  t.throws(() => page('[a](nowhere.md)'), /docs\/mail.md: nowhere.md leads nowhere/)
  t.match(page('# A b\n\n## A b\n\n[c](#a-b-1), [d](fax.md#x)'), {
    links: [
      { name: 'mail', id: 'a-b-1' },
      { name: 'fax', id: 'x' },
    ],
    ids: new Set(['a-b', 'a-b-1']),
  })
  t.match(page('[a](../package.json)').html, /<span>a<\/span>/, 'what is no page is named, without a link')
  t.match(page('| a |\n|--:|\n| b |').html, /<td class="right">/)
})

t.test('a box serves them: packed or not, with its policy, and no file that is not one of them', async (t) => {
  const site = readSite(root)
  t.ok(site, 'scripts/setup has built it')
  const scene = await Scene.open({}, docsRoutes({ web: () => ({ openapi: '3.1.0' }), socket: () => ({}) }, site))
  t.teardown(() => scene.close())
  const get = (path: string, accept?: string) =>
    fetch(scene.url + path, { redirect: 'manual', headers: accept === undefined ? {} : { 'accept-encoding': accept } })
  for (const path of ['/docs', '/docs/index.html', '/docs/verbs.html']) {
    const bodies: string[] = []
    for (const [accept, coding] of [
      ['gzip, br', 'gzip'],
      ['identity', null],
      ['br;q=1', 'br'],
    ] as const) {
      const answer = await get(path, accept)
      t.equal(answer.status, 200)
      t.equal(answer.headers.get('content-encoding'), coding)
      t.match(answer.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self'; .*trusted-types 'none'$/)
      bodies.push(await answer.text())
    }
    t.equal(new Set(bodies).size, 1, path)
    for (const [, link] of attributes(bodies[0]!).filter(([, link]) => !/^(https?:|#)/.test(link))) {
      const answer = await get(new URL(link, scene.url + path).pathname, 'gzip')
      if (answer.status !== 200) t.fail(`${path}: ${link}`)
      await answer.body?.cancel()
    }
  }
  const tag = (await get('/docs/sdk.html', 'gzip')).headers.get('etag')!
  t.equal((await fetch(`${scene.url}/docs/sdk.html`, { headers: { 'if-none-match': tag, 'accept-encoding': 'gzip' } })).status, 304)
  for (const name of ['built.json', 'sdk.html.gz', 'README.md', '..%2Fpackage.json', '__proto__', 'constructor.html', 'nothing.html'])
    t.equal((await get(`/docs/${name}`)).status, 404, name)
})
