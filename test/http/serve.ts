/** A server with routes that exercise everything the pipeline promises, on a real store and real sockets. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Agent, request, type Dispatcher } from 'undici'
import { ApiError } from '../../daemon/base/errors.ts'
import { createLog } from '../../daemon/base/log.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import type { HttpLimits } from '../../daemon/http/pipeline.ts'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { startHttp, type HttpServer } from '../../daemon/http/server.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { TokenRow } from '../../daemon/store/tables.ts'
import { FakeClock } from '../harness/fake-clock.ts'

export const all = 'token-with-everything'
export const sendOnly = 'token-for-sending'
export const voiceOnly = 'token-for-voice'

export function tokenRow(name: string, token: string, scopes: string[]): TokenRow {
  return { name, sha256: createHash('sha256').update(token).digest('hex'), scopes, createdAt: 0 }
}

export const limits: HttpLimits = {
  bodyBytes: 262_144,
  largeBodies: 2,
  requestsPerSecond: 1_000,
  burst: 1_000,
  authFailuresPerMinute: 10,
  authBlockSeconds: 900,
}

export class Scene {
  readonly dir = mkdtempSync(join(tmpdir(), 'pbxd-http-'))
  readonly clock = new FakeClock()
  readonly log = createLog({ level: 'silent', pretty: false })
  readonly agent = new Agent({ connections: 20 })
  /** How often the handler of `POST /things` ran. */
  made = 0
  configured = true
  /** Handlers of `GET /wait` wait for this. */
  gate: Promise<void> = Promise.resolve()
  /** Called for each request whose client left. */
  onLeft: () => void = () => undefined
  onWaiting: () => void = () => undefined
  store!: Store
  server!: HttpServer
  file = join(this.dir, 'sound.wav')

  static async open(changes: Partial<HttpLimits> = {}, extra: Route[] = []): Promise<Scene> {
    const scene = new Scene()
    scene.store = await openStore(join(scene.dir, 'store'), scene.log)
    scene.server = await scene.serve([...scene.routes(), ...extra], changes)
    return scene
  }

  serve(routes: Route[], changes: Partial<HttpLimits> = {}, tls?: { cert: string; key: string }): Promise<HttpServer> {
    const configured = [
      tokenRow('all', all, ['send', 'inbox', 'voice', 'crm', 'admin']),
      tokenRow('sender', sendOnly, ['send']),
      tokenRow('talker', voiceOnly, ['voice']),
    ]
    return startHttp({
      listen: '127.0.0.1:0',
      routes,
      tokens: accessTokens(configured, this.store.tables.tokens),
      limits: { ...limits, ...changes },
      store: this.store,
      log: this.log,
      clock: this.clock,
      ...(tls === undefined ? {} : { tls }),
    })
  }

  async close(): Promise<void> {
    await this.agent.destroy()
    await this.server.close(1_000)
    await this.store.close()
    rmSync(this.dir, { recursive: true, force: true })
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  async ask(
    method: Dispatcher.HttpMethod,
    path: string,
    options: { token?: string | null; json?: unknown; body?: string | Buffer; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; headers: Record<string, string>; text: string; json: Record<string, unknown> }> {
    const { token = all, json, headers = {} } = options
    const body = json === undefined ? options.body : JSON.stringify(json)
    const answer = await request(this.url + path, {
      method,
      dispatcher: this.agent,
      body: body ?? null,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    const text = await answer.body.text()
    const isJson = /\bjson\b/.test(String(answer.headers['content-type'])) && text !== ''
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text,
      json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    }
  }

  /** Sends bytes as they are and collects what comes back until the server closes, `until` appears, or `ms` pass. */
  raw(bytes: string | Buffer, until?: string, ms = 2_000): Promise<string> {
    return new Promise((resolve) => {
      let seen = ''
      const socket = connect(this.server.port, '127.0.0.1', () => socket.write(bytes))
      const timer = setTimeout(() => socket.destroy(), ms)
      socket.on('data', (data: Buffer) => {
        seen += data.toString('latin1')
        if (until !== undefined && seen.includes(until)) socket.destroy()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(timer)
        resolve(seen)
      })
    })
  }

  routes(): Route[] {
    const responses = { 200: { description: 'Done.' } }
    const common = { tag: 'Test', summary: 'Test', responses }
    writeFileSync(this.file, Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) & 0xff)))
    return [
      defineRoute({
        ...common,
        method: 'POST',
        path: '/things',
        access: 'send',
        operationId: 'makeThing',
        idempotent: true,
        missing: () => (this.configured ? undefined : new ApiError('no_sms_trunk', 'No SMS trunk is configured.')),
        query: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }), dry: Type.Optional(Type.Boolean()) }),
        body: Type.Object({
          to: Type.String({ minLength: 1 }),
          count: Type.Optional(Type.Integer({ maximum: 5 })),
          mode: Type.Optional(Type.Union([Type.Literal('fast'), Type.Literal('slow')])),
          url: Type.Optional(Type.String({ format: 'uri' })),
          list: Type.Optional(Type.Array(Type.Integer())),
        }),
        handle: async (context) => {
          if (context.body.to === 'denied') throw new ApiError('destination_denied', 'Not there.')
          const reply = { status: 201, body: { made: ++this.made, limit: context.query.limit, to: context.body.to } }
          if (context.body.to === 'wait') {
            this.onWaiting()
            await this.gate
          }
          if (context.body.mode === 'fast') await this.store.transaction(() => context.remember(reply))
          return reply
        },
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/things/:id',
        access: 'inbox',
        operationId: 'getThing',
        params: Type.Object({ id: Type.String({ pattern: '^[a-z/ ]+$' }) }),
        handle: ({ params, address }) => ({ status: 200, body: { id: params.id, address } }),
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/things/:id.wav',
        access: 'public',
        operationId: 'getSound',
        handle: () => ({ status: 200, file: { path: this.file, type: 'audio/wav', etag: 'v1' } }),
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/gone.wav',
        access: 'public',
        operationId: 'getGone',
        handle: () => ({ status: 200, file: { path: `${this.file}.none`, type: 'audio/wav', etag: 'v1' } }),
      }),
      defineRoute({
        ...common,
        method: 'POST',
        path: '/2010-04-01/Accounts/:account/Calls/:callId.json',
        access: 'basic-token',
        operationId: 'shim',
        bodyType: 'form',
        body: Type.Object({ Status: Type.Optional(Type.String()) }),
        handle: ({ params, body }) => ({ status: 404, body: { code: 20404, call: params.callId, asked: body.Status } }),
      }),
      defineRoute({
        ...common,
        method: 'POST',
        path: '/large',
        access: 'send',
        operationId: 'large',
        limitBytes: 4 * 1024 * 1024,
        body: Type.Object({ data: Type.String() }),
        handle: async ({ body, rawBody }) => {
          this.onWaiting()
          await this.gate
          return { status: 200, body: { characters: body.data.length, bytes: rawBody.length } }
        },
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/wait',
        access: 'public',
        operationId: 'wait',
        handle: async ({ signal }) => {
          signal.addEventListener('abort', () => this.onLeft())
          this.onWaiting()
          await this.gate
          return { status: 200, body: { waited: true } }
        },
      }),
      defineRoute({
        ...common,
        method: 'POST',
        path: '/twice',
        access: 'voice',
        operationId: 'twice',
        rate: { perMinute: () => 2 },
        handle: () => ({ status: 204 }),
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/fault/:kind',
        access: 'public',
        operationId: 'fault',
        handle: ({ params }) => {
          if (params.kind === 'now') throw new Error('a secret of the house')
          if (params.kind === 'later') return Promise.reject(new Error('a secret of the house'))
          if (params.kind === 'header') return { status: 200, body: {}, headers: { 'X-Name': 'a\r\nInjected: 1' } }
          if (params.kind === 'status') return { status: 99, body: {} }
          return { status: 200, body: { big: 1n } }
        },
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/figures',
        access: 'admin',
        operationId: 'figures',
        handle: () => ({ status: 200, text: { type: 'text/plain', content: 'fine' } }),
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/state',
        access: 'optional',
        operationId: 'state',
        handle: ({ token }) => ({ status: 200, body: { name: token?.name ?? null } }),
      }),
    ]
  }
}
