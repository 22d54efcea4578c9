/** The description of the interface: the OpenAPI documents of both doors, and a page that shows that of the web port without the network. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { codingOf } from './encoding.ts'
import { defineRoute, type Reply, type Route } from './route.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pbxd: HTTP interface</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<noscript>This page needs JavaScript. The same description, for programs, is at <a href="openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`

const script = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null, tryItOutEnabled: true })
`

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

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

export function docsRoutes(descriptions: Descriptions): Route[] {
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
      summary: 'This description, for people',
      tag: 'Operation',
      responses: { 200: { description: 'A page that needs nothing from the network.', contentType: 'text/html' } },
      handle: () => ({
        status: 200,
        text: { type: 'text/html; charset=utf-8', content: page },
        headers: { ...revalidate, 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
      }),
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
    fileRoute(),
  ]
}

function fileRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: '/docs/:file',
    access: 'public',
    operationId: 'getDocsFile',
    summary: 'Script or style sheet of the page',
    tag: 'Operation',
    params: Type.Object({ file: Type.String({ examples: ['page.js'] }) }),
    responses: { 200: { description: 'The file.', contentType: 'text/javascript' }, 404: { description: 'There is no such file.' } },
    handle: async ({ params, headers: asked }) => {
      if (params.file === 'page.js') {
        return { status: 200, text: { type: 'text/javascript; charset=utf-8', content: script }, headers: revalidate }
      }
      const type = Object.hasOwn(assets, params.file) ? assets[params.file] : undefined
      if (type === undefined) throw new ApiError('not_found', 'There is no such file.')
      const { dir, version, packed } = locate()
      const path = join(dir, params.file)
      if (!packed) return { status: 200, file: { path, type, etag: version }, headers: revalidate }
      const wanted = asked.get('accept-encoding')
      // A client that does not say what it reads is given the file as it lies there (RFC 9110 section 12.5.3); a browser reads it.
      if (wanted !== undefined && codingOf(wanted, Infinity) === undefined) {
        const content = (await unpacked(await readFile(`${path}.gz`))).toString('utf8')
        return { status: 200, text: { type, content }, headers: { ...revalidate, ETag: `W/"${version}"` } }
      }
      const headers = { ...revalidate, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }
      return { status: 200, file: { path: `${path}.gz`, type, etag: version }, headers }
    },
  })
}

const unpacked = promisify(gunzip)

/** `packed`: each file is there as FILE.gz, as the Debian package has them (scripts/deb/slim.mjs). */
let found: { readonly dir: string; readonly version: string; readonly packed: boolean } | undefined

function locate(): NonNullable<typeof found> {
  if (found !== undefined) return found
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  const dir = dirname(manifest)
  const version = createHash('sha256').update(readFileSync(manifest)).digest('hex').slice(0, 16)
  return (found = { dir, version, packed: Object.keys(assets).every((file) => existsSync(join(dir, `${file}.gz`))) })
}
