/**
 * The technician's socket: HTTP over a unix socket, for the `pbx` program on the same machine. Who may open the socket
 * may do everything, so its folder (0750) and the socket (0660) are the protection; nothing here listens on a network.
 * An answer is one JSON value; a request that takes its time streams newline-delimited JSON whose last line is
 * `{"done":true}` or `{"failed":{error,code}}`. Errors are those of the HTTP interface.
 */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { noDeed, type RecordedDeed } from '../audit/deed.ts'
import { objectOf } from '../audit/object.ts'
import type { Trail } from '../audit/trail.ts'
import { ApiError } from '../errors.ts'
import { newRequestId } from '../ids.ts'
import type { Log } from '../log.ts'
import { auditRoutes } from './commands/audit.ts'
import { callbackRoutes } from './commands/callbacks.ts'
import { callRoutes } from './commands/calls.ts'
import { faxRoutes } from './commands/fax.ts'
import { inboxRoutes } from './commands/inbox.ts'
import { limitRoutes } from './commands/limits.ts'
import { mailRoutes } from './commands/mail.ts'
import { modemRoutes } from './commands/modem.ts'
import { reminderRoutes } from './commands/reminders.ts'
import { simulateRoutes } from './commands/simulate.ts'
import { smsRoutes } from './commands/sms.ts'
import { speechRoutes } from './commands/speech.ts'
import { statusRoutes } from './commands/status.ts'
import { storedRoutes } from './commands/stored.ts'
import { tokenRoutes } from './commands/tokens.ts'
import type { PeerOf } from './peer.ts'
import type { ControlRoute } from './route.ts'
import type { ControlServices } from './services.ts'

const routes: readonly ControlRoute[] = [
  ...statusRoutes,
  ...auditRoutes,
  ...callRoutes,
  ...callbackRoutes,
  ...tokenRoutes,
  ...simulateRoutes,
  ...speechRoutes,
  ...faxRoutes,
  ...inboxRoutes,
  ...limitRoutes,
  ...mailRoutes,
  ...modemRoutes,
  ...reminderRoutes,
  ...smsRoutes,
  ...storedRoutes,
]
const bodyLimit = 64 * 1024
/** Longest path the kernel takes for a unix socket (sun_path without its final zero). */
const pathLimit = 107

export interface ControlServer {
  readonly socket: string
  /** Closes the socket, cuts requests that still run, and removes the file. */
  close(): Promise<void>
}

export interface ControlServerOptions {
  readonly socket: string
  readonly services: ControlServices
  readonly log: Log
  /** Where deeds are recorded, and who did them; without it none is. */
  readonly audited?: { readonly trail: Trail; readonly peerOf: PeerOf }
}

/** Rejects when another daemon answers on the socket, or when something that is no socket stands in its place. */
export async function startControl(options: ControlServerOptions): Promise<ControlServer> {
  const { socket } = options
  if (Buffer.byteLength(socket) > pathLimit)
    throw new Error(`control.socket is longer than the ${pathLimit} bytes a unix socket may have: ${socket}`)
  makeFolder(dirname(socket))
  await removeStale(socket)
  const server = createServer((request, response) => void serve(request, response, options))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  chmodSync(socket, 0o660)
  return { socket, close: () => close(server) }
}

/** The mode is set apart from mkdir's, which a strict umask would narrow to the daemon's own user. */
function makeFolder(dir: string): void {
  if (mkdirSync(dir, { recursive: true }) !== undefined) chmodSync(dir, 0o750)
}

async function removeStale(socket: string): Promise<void> {
  const found = lstatSync(socket, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isSocket()) throw new Error(`${socket} is there and is no socket: remove it, or name another control.socket`)
  if (await answers(socket)) throw new Error(`another pbxd answers on ${socket}: stop it first ("pbx --socket ${socket} status")`)
  unlinkSync(socket)
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket)
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
    probe.once('connect', () => probe.destroy())
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function serve(request: IncomingMessage, response: ServerResponse, options: ControlServerOptions): Promise<void> {
  const { services, log } = options
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  let deed: RecordedDeed | undefined
  try {
    const url = new URL(request.url ?? '/', 'http://control')
    const { route, params } = findRoute(request.method ?? 'GET', url.pathname)
    deed = await beginDeed(request, route, params, options)
    const asking = { params, query: url.searchParams, signal: gone.signal, deed: deed ?? noDeed }
    if ('upload' in route) {
      await deed?.settle()
      await streamAnswer(response, (emit) => route.upload(services, { ...asking, body: undefined as never }, request, emit), log)
      return
    }
    const asked = { ...asking, body: checkBody(route, await readBody(request, route.limitBytes ?? bodyLimit)) as never }
    if ('stream' in route) {
      await deed?.settle()
      await streamAnswer(response, (emit) => route.stream(services, asked, emit), log)
      return
    }
    const answer = (await route.answer(services, asked)) ?? null
    await deed?.settle()
    sendJson(response, 200, answer)
  } catch (error) {
    const told = asApiError(error, log)
    deed?.refuse(told.code)
    sendJson(response, told.status, errorBody(told))
  }
}

async function beginDeed(
  request: IncomingMessage,
  route: ControlRoute,
  params: Record<string, string>,
  { audited }: ControlServerOptions,
): Promise<RecordedDeed | undefined> {
  if (audited === undefined || route.deed === undefined) return undefined
  const actor = await audited.peerOf(request.socket)
  return audited.trail.begin(route.deed, { actor, address: 'local', requestId: newRequestId() }, objectOf(params))
}

function findRoute(method: string, path: string): { route: ControlRoute; params: Record<string, string> } {
  let pathKnown = false
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (!params) continue
    if (route.method === method) return { route, params }
    pathKnown = true
  }
  if (pathKnown) throw new ApiError('method_not_allowed', `${method} is not what ${path} answers.`)
  throw new ApiError('not_found', `This daemon does not know ${path}: the pbx program may be of another version.`)
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const value = given[i] as string
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(value)
      } catch {
        return undefined
      }
    } else if (part !== value) return undefined
  }
  return params
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new ApiError('body_too_large', `A request here has at most ${limit} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function checkBody(route: ControlRoute, raw: Buffer): unknown {
  if (!route.body) return undefined
  let body: unknown
  try {
    body = JSON.parse(raw.toString())
  } catch {
    throw new ApiError('invalid_json', 'The request is no JSON.')
  }
  const faults = [...Value.Errors(route.body, body)].slice(0, 20).map(({ path, message }) => ({ path, message }))
  if (faults.length > 0) {
    const text = faults.map(({ path, message }) => `${path.slice(1) || 'request'}: ${message}`).join('; ')
    throw new ApiError('validation_failed', text, { details: faults })
  }
  return body
}

async function streamAnswer(response: ServerResponse, run: (emit: (value: unknown) => void) => Promise<void>, log: Log): Promise<void> {
  const emit = (value: unknown): void => void response.write(`${JSON.stringify(value)}\n`)
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
  response.flushHeaders()
  try {
    await run(emit)
    emit({ done: true })
  } catch (error) {
    emit({ failed: errorBody(asApiError(error, log)) })
  }
  response.end()
}

function asApiError(error: unknown, log: Log): ApiError {
  if (error instanceof ApiError) return error
  log.error({ err: error }, 'a request on the control socket failed')
  return new ApiError('internal', 'The daemon could not answer; its log says why.')
}

function errorBody(error: ApiError): { error: string; code: string; details?: unknown } {
  return { error: error.message, code: error.code, ...(error.details ? { details: error.details } : {}) }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) return
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}
