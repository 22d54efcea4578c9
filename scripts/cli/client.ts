/** Speaks to the daemon's control socket: finds it, asks, and turns what went wrong into a text and an exit code. */
import { once } from 'node:events'
import { closeSync, constants, existsSync, fstatSync, openSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { asOwner, isRoot, ownerOf, readBytes, UnsafePath } from '../../daemon/base/owner.ts'
import { root } from '../../daemon/base/root.ts'
import { setTimeZone } from './output.ts'
import { patience, seen } from './patience.ts'
import { runningConfig } from './running.ts'
import { systemWords } from '../../daemon/base/errors.ts'

export const exitCode = { done: 0, failed: 1, usage: 2, unreachable: 3 } as const

export interface CommandErrorOptions {
  readonly exit?: number
  readonly fix?: string
  readonly code?: string
}

/** What a command ends with when it cannot do its work. `fix`: a command or a place to look. */
export class CommandError extends Error {
  readonly exit: number
  readonly fix: string
  readonly code: string
  constructor(message: string, options: CommandErrorOptions = {}) {
    super(message)
    this.exit = options.exit ?? exitCode.failed
    this.fix = options.fix ?? ''
    this.code = options.code ?? 'failed'
  }
}

export { root }
/** As the HTTP interface has it. */
const mostOnPage = 500

export const installedConfig = '/etc/pbxd/pbxd.yaml'
const installedSocket = '/run/pbxd/pbxd.sock'

export interface SocketChoice {
  /** --socket */
  readonly socket?: string
  /** --config */
  readonly config?: string
}

/**
 * In this order: --socket, $PBXD_SOCKET, the configuration (--config, $PBXD_CONFIG), that of the daemon of this checkout that
 * runs, the checkout's own socket, the installed box's.
 */
export async function findSocket(choice: SocketChoice): Promise<string> {
  const named = choice.socket ?? process.env['PBXD_SOCKET']
  if (named) return resolve(named)
  const config = choice.config ?? process.env['PBXD_CONFIG']
  if (config) return socketOfConfig(config)
  const running = runningConfig(root)
  if (running !== null) return socketOfConfig(running)
  const beside = join(root, 'var/run/pbxd.sock')
  if (existsSync(beside)) return beside
  if (isThere(installedSocket)) return installedSocket
  return existsSync(installedConfig) ? socketOfConfig(installedConfig) : beside
}

/** Also true where this user may not look: the error then says so. */
function isThere(file: string): boolean {
  try {
    return statSync(file).isSocket()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}

/** Only the one key is read: a fault elsewhere in the file must not keep a technician from the running daemon. */
async function socketOfConfig(file: string): Promise<string> {
  const { isMap, parseDocument } = (await import('yaml')).default
  let text: string
  try {
    text = readBytes(file).toString('utf8')
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${systemWords(error)}`, { exit: exitCode.usage })
  }
  // Broken YAML has most of its keys all the same.
  const document = parseDocument(text, { uniqueKeys: false })
  const said = (section: string, key: string): unknown => (isMap(document.get(section)) ? document.getIn([section, key]) : undefined)
  const base = dirname(resolve(file))
  const socket = said('control', 'socket')
  if (typeof socket === 'string') return resolve(base, socket)
  const dir = said('storage', 'dir')
  if (typeof dir === 'string') return resolve(base, dir, 'run/pbxd.sock')
  return base.startsWith('/etc') ? installedSocket : join(root, 'var/run/pbxd.sock')
}

export class Client {
  readonly socket: string
  constructor(socket: string) {
    this.socket = socket
  }

  /** `withinMs`: `patience.workMs` where the daemon works at length before it answers; so for `post`. */
  async get<T>(path: string, withinMs?: number): Promise<T> {
    return this.#ask<T>('GET', path, json(undefined), withinMs)
  }

  /** The newest of a list of the HTTP interface, which comes in pages. */
  async list<T>(path: string, limit: number, query: Readonly<Record<string, string | undefined>> = {}): Promise<T[]> {
    const found: T[] = []
    for (let cursor: string | null = ''; cursor !== null && found.length < limit;) {
      const asked = new URLSearchParams({ limit: String(Math.min(limit - found.length, mostOnPage)) })
      for (const [name, value] of Object.entries({ ...query, ...(cursor === '' ? {} : { cursor }) }))
        if (value !== undefined) asked.set(name, value)
      const page: { items: T[]; nextCursor: string | null } = await this.get(`${path}?${asked}`)
      found.push(...page.items)
      // A list that goes on has something on each page.
      cursor = page.items.length === 0 ? null : page.nextCursor
    }
    return found
  }

  async post<T>(path: string, body?: unknown, withinMs?: number): Promise<T> {
    return this.#ask<T>('POST', path, json(body), withinMs)
  }

  async patch<T>(path: string, body: unknown): Promise<T> {
    return this.#ask<T>('PATCH', path, json(body))
  }

  async delete<T>(path: string): Promise<T> {
    return this.#ask<T>('DELETE', path, json(undefined))
  }

  /** Hands over each value as it arrives; resolves when the daemon says it is done. */
  async stream<T>(path: string, body: unknown, onValue: (value: T) => void): Promise<void> {
    return follow(await exchange(this.socket, 'POST', path, json(body), patience.answerMs), onValue)
  }

  /** Sends bytes of any length, then as `stream`. */
  async upload<T>(path: string, body: Upload, onValue: (value: T) => void): Promise<void> {
    return follow(await exchange(this.socket, 'POST', path, body, patience.workMs), onValue)
  }

  /** Sends bytes of any type; their answer. */
  async send<T>(path: string, body: Upload): Promise<T> {
    return this.#ask<T>('POST', path, body, patience.workMs)
  }

  async #ask<T>(method: string, path: string, body: Upload, withinMs = patience.answerMs): Promise<T> {
    const { status, text, arrived } = await exchange(this.socket, method, path, body, withinMs)
    const answer = await whole(text)
    arrived()
    if (status < 200 || status > 299) throw refusal(status, answer)
    if (status === 204) return undefined as T
    try {
      return JSON.parse(answer) as T
    } catch {
      throw stopped()
    }
  }
}

async function follow<T>({ status, text, arrived }: Answer, onValue: (value: T) => void): Promise<void> {
  if (status !== 200) throw refusal(status, await whole(text))
  // What happens is shown when it happens, be that in hours.
  arrived()
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestAnswer) throw notUnderstood('a line is too long')
    for (const line of lines) {
      const value = JSON.parse(line) as { done?: true; failed?: { error: string; code: string } }
      if (value.done) return
      if (value.failed) throw new CommandError(value.failed.error, { code: value.failed.code })
      onValue(value as T)
    }
  }
  throw stopped()
}

export interface Upload {
  /** Content-Type. */
  readonly type: string
  readonly bytes: number
  /** Gives at least `bytes` bytes. */
  readonly chunks: () => Iterable<Uint8Array | string> | AsyncIterable<Uint8Array>
}

function json(body: unknown): Upload {
  const payload = body === undefined ? '' : JSON.stringify(body)
  return { type: 'application/json', bytes: Buffer.byteLength(payload), chunks: () => (payload === '' ? [] : [payload]) }
}

interface Answer {
  readonly status: number
  /** The body as it arrives; ends with the connection. */
  readonly text: AsyncIterable<string>
  /** Nothing more is waited for in haste. */
  readonly arrived: () => void
}

/**
 * One request in HTTP/1.0, whose answer ends with the connection and so needs no framing: loading Node's whole HTTP client
 * would take longer than most commands run. It ends when the answer has not arrived `withinMs` after the last byte of ours went out.
 */
async function exchange(socket: string, method: string, path: string, body: Upload, withinMs: number): Promise<Answer> {
  const connection = connected(socket).setEncoding('utf8')
  const timer = setTimeout(() => connection.destroy(silent(withinMs)), withinMs)
  const arrived = (): void => clearTimeout(timer)
  connection.once('close', arrived)
  connection.write(`${method} ${path} HTTP/1.0\r\nContent-Type: ${body.type}\r\nContent-Length: ${body.bytes}\r\n\r\n`)
  void send(connection, body, () => timer.refresh())
  const chunks = connection[Symbol.asyncIterator]() as AsyncIterator<string>
  let head = ''
  for (;;) {
    const { value, done } = await chunks.next().catch((error: NodeJS.ErrnoException) => {
      throw unreachable(socket, error)
    })
    if (done) throw stopped()
    head += value
    if (head.length > longestHead && !head.includes('\r\n\r\n')) {
      connection.destroy()
      throw notUnderstood('its header is too long')
    }
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) continue
    const timeZone = /^X-Time-Zone: (\S+)$/im.exec(head.slice(0, end))?.[1]
    if (timeZone !== undefined) setTimeZone(timeZone)
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
    const begun = head.slice(end + 4)
    seen.answer = true
    return { status, text: followed(begun, { [Symbol.asyncIterator]: () => chunks }), arrived }
  }
}

/** Goes on while the answer is read already: a daemon that refuses does not wait for the end. */
async function send(connection: Socket, body: Upload, went: () => void): Promise<void> {
  try {
    for await (const chunk of body.chunks()) {
      if (!connection.write(chunk)) await once(connection, 'drain')
      went()
    }
  } catch (error) {
    connection.destroy(error as Error)
  }
}

async function* followed(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== '') yield first
  try {
    yield* rest
  } catch (error) {
    throw error instanceof CommandError ? error : stopped()
  }
}

async function whole(text: AsyncIterable<string>): Promise<string> {
  let all = ''
  for await (const chunk of text) {
    all += chunk
    if (all.length > longestAnswer) throw notUnderstood('it is too long')
  }
  return all
}

/**
 * To the socket that lies there, not to one that it leads to: what the service's user could make of the name of its socket would otherwise
 * have root speak to somebody else.
 */
function connected(socket: string): Socket {
  if (!isRoot()) return connect(socket)
  let handle: number | undefined
  try {
    const owner = ownerOf(socket)
    handle = asOwner(owner, () => openSync(socket, pathOnly | constants.O_NOFOLLOW))
    const found = fstatSync(handle)
    if (!found.isSocket() || found.uid !== owner.uid)
      throw new UnsafePath(`${socket} is not a socket that belongs to the owner of its folder`, `ls -l ${socket}`)
    return connect(`/proc/self/fd/${handle}`)
  } catch (error) {
    if (error instanceof UnsafePath)
      throw new CommandError(error.message, { exit: exitCode.unreachable, code: 'unsafe-path', fix: error.fix })
    throw unreachable(socket, error as NodeJS.ErrnoException)
  } finally {
    // The connection has begun by now.
    if (handle !== undefined) closeSync(handle)
  }
}

/** O_PATH of open(2), which Node does not name. */
const pathOnly = 0o10000000
const longestHead = 64 * 1024
/** UTF-16 units: more than any answer in one piece. */
const longestAnswer = 256 * 1024 * 1024

function notUnderstood(why: string): CommandError {
  return new CommandError(`the daemon gave an invalid answer: ${why}`, { code: 'bad-answer', fix: 'journalctl -u pbxd' })
}

/** What a wrong answer leads to further on is a fault of the answer. */
export function faultOfAnswer(error: unknown): CommandError | null {
  const kinds = [TypeError, RangeError, SyntaxError]
  return seen.answer && kinds.some((kind) => error instanceof kind) ? notUnderstood((error as Error).message) : null
}

function silent(ms: number): CommandError {
  const text = `the daemon accepted the request and did not answer within ${Math.round(ms / 1000)} s: it may hang`
  return new CommandError(text, { exit: exitCode.unreachable, code: 'no-answer', fix: 'journalctl -u pbxd' })
}

function stopped(): CommandError {
  return new CommandError('the daemon stopped before the request was complete', { exit: exitCode.unreachable, code: 'unreachable' })
}

function unreachable(socket: string, error: NodeJS.ErrnoException): CommandError {
  if (error instanceof CommandError) return error
  const exit = exitCode.unreachable
  const code = 'unreachable'
  if (error.code === 'EACCES') {
    return new CommandError(`no permission to open ${socket}`, {
      exit,
      code,
      fix: 'run as root, or join the group pbx and log in again: adduser $USER pbx',
    })
  }
  const why =
    error.code === 'ENOENT' ? 'the socket does not exist' : error.code === 'ECONNREFUSED' ? 'no program listens there' : error.message
  const fix = existsSync(installedConfig) ? 'systemctl start pbxd' : 'npm start (or give its socket with --socket)'
  return new CommandError(`pbxd is not reachable on ${socket}: ${why}`, { exit, code, fix })
}

function refusal(status: number, text: string): CommandError {
  try {
    const { error, code } = JSON.parse(text) as { error: string; code: string }
    return new CommandError(error, { code })
  } catch {
    return new CommandError(`the daemon answered ${status}`)
  }
}
