/** The description of the interface: the OpenAPI documents of both doors, and, below /docs, the documentation with a page that shows that of the web port. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { apiFiles, apiPage, apiPolicy, apiScriptOfBox } from './api-page.ts'
import { packedReply } from './packed.ts'
import { defineRoute, type Reply, type Route } from './route.ts'
import { siteReply, type Site } from './site.ts'

const revalidate = { 'Cache-Control': 'no-cache' }

const dayMs = 24 * 3_600_000

export interface Descriptions {
  /** Of the web port; asked for at the first request of a day: its examples have days to come. */
  web(now: number): unknown
  socket(): unknown
}

const described = (title: string) => ({
  description: 'An OpenAPI 3.1 document.',
  schema: Type.Object({ openapi: Type.String(), info: Type.Object({ title: Type.String() }), paths: Type.Object({}) }),
  example: { openapi: '3.1.0', info: { title }, paths: {} },
})

/** `site`: undefined where the documentation was not built; /docs then leads to the description alone. */
export function docsRoutes(descriptions: Descriptions, site?: Site): Route[] {
  let openapi: Reply | undefined
  let madeOn = 0
  return [
    defineRoute({
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      operationId: 'getOpenApi',
      summary: 'This description, for programs',
      tag: 'Operation',
      responses: { 200: described('pbxd') },
      handle: () => {
        const now = Date.now()
        if (openapi === undefined || madeOn !== Math.floor(now / dayMs)) {
          madeOn = Math.floor(now / dayMs)
          openapi = { status: 200, text: { type: 'application/json', content: JSON.stringify(descriptions.web(now)) }, headers: revalidate }
        }
        return openapi
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/socket.json',
      access: 'technician',
      operationId: 'getSocketOpenApi',
      summary: 'The description of the additional routes of the control socket, for programs',
      tag: 'Operation',
      responses: { 200: described('pbxd: the technician’s socket') },
      handle: () => ({ status: 200, text: { type: 'application/json', content: JSON.stringify(descriptions.socket()) } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/docs',
      access: 'public',
      operationId: 'getDocs',
      summary: 'The documentation, with this description, for people',
      tag: 'Operation',
      responses: {
        200: { description: 'A page that needs nothing from the network.', contentType: 'text/html' },
        307: { description: 'To this description, where the documentation was not built.' },
      },
      handle: async ({ headers }) =>
        (site && (await siteReply(site, 'docs.html', headers.get('accept-encoding')))) ?? {
          status: 307,
          headers: { Location: 'docs/api.html' },
        },
    }),
    defineRoute({
      method: 'GET',
      path: '/docs/',
      access: 'public',
      operationId: 'getDocsFolder',
      undescribed: true,
      summary: 'The way to the page, for who writes a slash too many',
      tag: 'Operation',
      responses: { 308: { description: 'To /docs.' } },
      // Relative: a proxy may have put the box below another path.
      handle: () => ({ status: 308, headers: { Location: '../docs' } }),
    }),
    fileRoute(site),
  ]
}

function fileRoute(site: Site | undefined): Route {
  return defineRoute({
    method: 'GET',
    path: '/docs/:file',
    access: 'public',
    operationId: 'getDocsFile',
    summary: 'A page of the documentation, or what it loads',
    tag: 'Operation',
    params: Type.Object({ file: Type.String({ examples: ['api.js'] }) }),
    // Pages are HTML; version 0.1 promised the type of their scripts.
    responses: { 200: { description: 'The file.', contentType: 'text/javascript' }, 404: { description: 'There is no such file.' } },
    handle: async ({ params: { file }, headers }) => {
      const accept = headers.get('accept-encoding')
      const reply = (site && (await siteReply(site, file, accept))) ?? (await apiReply(file, accept))
      if (reply === undefined) throw new ApiError('not_found', 'There is no such file.')
      return reply
    },
  })
}

async function apiReply(file: string, accept: string | undefined): Promise<Reply | undefined> {
  if (file === 'api.html') {
    const headers = { ...revalidate, 'Content-Security-Policy': apiPolicy, 'Referrer-Policy': 'no-referrer' }
    return { status: 200, text: { type: 'text/html; charset=utf-8', content: apiPage }, headers }
  }
  if (file === 'api.js')
    return { status: 200, text: { type: 'text/javascript; charset=utf-8', content: apiScriptOfBox }, headers: revalidate }
  const type = Object.hasOwn(apiFiles, file) ? apiFiles[file] : undefined
  if (type === undefined) return undefined
  const { dir, version, packed } = locate()
  const path = join(dir, file)
  if (!packed) return { status: 200, file: { path, type, etag: version }, headers: revalidate }
  return packedReply({ path, type, etag: version, headers: revalidate }, accept)
}

/** `packed`: each file is there as FILE.gz, as the Debian package has them (scripts/deb/slim.mjs). */
let found: { readonly dir: string; readonly version: string; readonly packed: boolean } | undefined

function locate(): NonNullable<typeof found> {
  if (found !== undefined) return found
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  const dir = dirname(manifest)
  const version = createHash('sha256').update(readFileSync(manifest)).digest('hex').slice(0, 16)
  return (found = { dir, version, packed: Object.keys(apiFiles).every((file) => existsSync(join(dir, `${file}.gz`))) })
}
