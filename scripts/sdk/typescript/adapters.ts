/** Applications in node:http, Express, Fastify, Hono and other servers of the fetch kind: each hands the raw body to the application. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Pbxd, type Pages, type Settings } from './application.ts'

const mostBytes = 1 << 20
const json = { 'Content-Type': 'application/json' }

async function rawBody(request: IncomingMessage & { readonly body?: unknown }): Promise<Uint8Array> {
  if (request.body instanceof Uint8Array) return request.body
  if (request.readableEnded) throw new Error('The body was parsed before: mount the application of the box before express.json().')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > mostBytes) throw new Error('The body is larger than 1 MiB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const pathOf = (url = '/'): string => url.replace(/[?#].*$/, '')

function baseOf(request: IncomingMessage, mount: string): string {
  const encrypted = 'encrypted' in request.socket
  const scheme = String(request.headers['x-forwarded-proto'] ?? (encrypted ? 'https' : 'http')).replace(/,.*$/, '')
  return `${scheme}://${request.headers.host ?? 'localhost'}${mount}`
}

/** `(request, response, next)` of Express and of Connect; `app.use('/telephone', express(application))`, before `express.json()`. */
export function express(application: Pbxd) {
  return async (
    request: IncomingMessage & { readonly baseUrl?: string; readonly body?: unknown },
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    const path = pathOf(request.url)
    if (next !== undefined && (request.method !== 'POST' || !application.paths.includes(path))) return next()
    try {
      const base = application.base(baseOf(request, request.baseUrl ?? ''))
      const { status, body } = await application.answer({ path, headers: request.headers, body: await rawBody(request), base })
      response.writeHead(status, json).end(body)
    } catch (error) {
      if (next !== undefined) return next(error)
      response.writeHead(413, { ...json, Connection: 'close' }).end(JSON.stringify({ error: String(error) }))
    }
  }
}

/** Listener of node:http: `createServer(node(application))`. */
export function node(application: Pbxd): (request: IncomingMessage, response: ServerResponse) => void {
  const handle = express(application)
  return (request, response) => void handle(request, response)
}

/** A server of node:http with these pages, that listens. Without `host` on this machine alone; port 3000 by default. */
export function serve(pages: Pages, settings: Settings & { readonly port?: number; readonly host?: string }): Server {
  return createServer(node(new Pbxd(pages, settings))).listen(settings.port ?? 3000, settings.host ?? '127.0.0.1')
}

/** What is used of Fastify, so that its types are not needed. */
interface FastifyLike {
  readonly prefix: string
  removeContentTypeParser(type: string): void
  addContentTypeParser(type: string, options: { parseAs: 'buffer' }, parse: (request: any, body: any, done: any) => void): unknown
  post(path: string, handle: (request: any, reply: any) => Promise<unknown>): unknown
}

/** Plugin of Fastify: `app.register(fastify(application), { prefix: '/telephone' })`. */
export function fastify(application: Pbxd) {
  return async (app: any): Promise<void> => {
    const instance = app as FastifyLike
    instance.removeContentTypeParser('application/json')
    instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const path of application.paths)
      instance.post(path, async ({ raw, body: content }, response) => {
        const base = application.base(baseOf(raw as IncomingMessage, instance.prefix))
        const headers = (raw as IncomingMessage).headers
        const { status, body } = await application.answer({
          path,
          headers,
          body: (content as Uint8Array | undefined) ?? new Uint8Array(),
          base,
        })
        return response.code(status).headers(json).send(body)
      })
  }
}

/** Handler of Hono: `app.post('/telephone/*', hono(application, '/telephone'))`. */
export function hono(application: Pbxd, mount = '') {
  const handle = fetchHandler(application, mount)
  return (context: { readonly req: { readonly raw: Request } }): Promise<Response> => handle(context.req.raw)
}

/** A function from Request to Response, as Deno, Bun and Next.js take it. */
export function fetchHandler(application: Pbxd, mount = '') {
  return async (request: Request): Promise<Response> => {
    const { pathname, origin } = new URL(request.url)
    const path = pathname.startsWith(mount) ? pathname.slice(mount.length) : pathname
    if (Number(request.headers.get('content-length') ?? 0) > mostBytes) return new Response(null, { status: 413 })
    const scheme = request.headers.get('x-forwarded-proto')
    const base = application.base((scheme === null ? origin : origin.replace(/^\w+/, scheme)) + mount)
    const incoming = { path, headers: request.headers, body: new Uint8Array(await request.arrayBuffer()), base }
    const { status, body } = await application.answer(incoming)
    return new Response(status === 204 ? null : body, { status, headers: json })
  }
}
