/** The addresses of the console: the shell for each page, and its files. */
import { extname, join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import { packedReply } from '../http/packed.ts'
import { AnyQuery, defineRoute, type Reply, type Route } from '../http/route.ts'
import type { Built } from './built.ts'
import { shell, shellHeaders } from './shell.ts'
import type { Site } from './site.ts'

/** Addresses of the console's pages. Each is answered with the same shell; what it shows is decided in the browser. */
export const pagePaths = [
  '/desk',
  '/calls',
  '/calls/:id',
  '/voicemail',
  '/faxes',
  '/texts',
  '/reminders',
  '/queues',
  '/wall',
  '/directory',
  '/hours',
  '/figures',
  '/people',
  '/alarms',
  '/audit',
  '/health',
  '/lines',
  '/config',
  '/applications',
  '/speech',
  '/backup',
  '/tokens',
  '/me',
  '/setup',
] as const

export interface ConsoleRouteOptions {
  readonly site: () => Site
  readonly built: Built
  /** Where the files lie. */
  readonly folder: string
}

const ofConsole = { method: 'GET', access: 'public', undescribed: true, tag: 'Operation' } as const
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}
/** Their names change with what is in them. */
const forEver = { 'Cache-Control': 'public, max-age=31536000, immutable', 'Cross-Origin-Resource-Policy': 'same-origin' }

export function consoleRoutes(options: ConsoleRouteOptions): Route[] {
  const nowhere: Route = { ...shellRoute('/*', options, 404), nowhere: true }
  return [...['/', ...pagePaths].map((path) => shellRoute(path, options)), nowhere, fileRoute(options)]
}

function shellRoute(path: string, { site, built }: ConsoleRouteOptions, status: 200 | 404 = 200): Route {
  return defineRoute({
    ...ofConsole,
    path,
    operationId: `getConsolePage ${path}`,
    summary: 'A page of the console',
    query: AnyQuery,
    responses: { [status]: { description: 'The document that shows it.', contentType: 'text/html' } },
    handle: () => {
      // Everybody in the room sees the wall: it has no number, not even of help.
      const shown = path === '/wall' ? { ...site(), help: '' } : site()
      return { status, text: { type: 'text/html; charset=utf-8', content: shell(shown, built) }, headers: shellHeaders }
    },
  })
}

function fileRoute({ built, folder }: ConsoleRouteOptions): Route {
  return defineRoute({
    ...ofConsole,
    path: '/console/:file',
    operationId: 'getConsoleFile',
    summary: 'A script or picture of the console',
    params: Type.Object({ file: Type.String() }),
    responses: { 200: { description: 'The file.', contentType: 'text/javascript' }, 404: { description: 'There is no such file.' } },
    handle: async ({ params: { file }, headers }): Promise<Reply> => {
      const type = types[extname(file)]
      if (type === undefined || !built.files.includes(file)) throw new ApiError('not_found', 'There is no such file.')
      return packedReply({ path: join(folder, file), type, etag: file, headers: forEver, brotli: true }, headers.get('accept-encoding'))
    },
  })
}
