/** The live stream behind a real web port, with people and programs that read it over real sockets. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Trail } from '../../daemon/audit/trail.ts'
import { createLog } from '../../daemon/base/log.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { namesOf } from '../../daemon/http/hosts.ts'
import { withLiveId } from '../../daemon/http/part.ts'
import { masked } from '../../daemon/http/mask.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { Live } from '../../daemon/live/live.ts'
import { liveRoutes } from '../../daemon/live/routes.ts'
import { peoplePart } from '../../daemon/people/part.ts'
import { roles } from '../../daemon/schema/people.ts'
import { openStore } from '../../daemon/store/store.ts'
import { Type } from '@sinclair/typebox'
import { FakeClock } from '../harness/fake-clock.ts'
import { found } from '../harness/waiting.ts'
import { all, limits, sendOnly, tokenRow } from '../http/serve.ts'

const log = createLog({ level: 'silent', pretty: false })
const cheap = { N: 2 ** 10, r: 8, p: 1 }
const password = 'seven green lamps over water'

export interface LiveEvent {
  readonly id: string
  readonly event: string
  readonly data: any
}

export async function stage(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-live-'))
  const clock = new FakeClock()
  const config = parseConfig(
    JSON.stringify({ site: { name: 'Riverside' }, storage: { dir }, console: { secondStep: 'off' } }),
    join(dir, 'pbxd.yaml'),
  ).config
  const store = await openStore(join(dir, 'store'), log)
  const trail = new Trail({ store, clock, log })
  const live = new Live({ clock })
  const state = new Map<string, object>()
  for (const topic of ['calls', 'faxes', 'queues', 'work', 'inbox', 'box'] as const)
    live.source(topic, (id) => {
      const whole = state.get(`${topic} ${id}`)
      if (whole === undefined) return null
      const { mailbox } = whole as { mailbox?: string }
      return { whole, masked: topic === 'inbox' ? null : (masked(whole) as object), ...(mailbox === undefined ? {} : { mailbox }) }
    })
  const list = defineRoute({
    ...{ method: 'GET', path: '/api/list', access: 'crm', people: roles, operationId: 'list', summary: 'Test', tag: 'Test' },
    responses: { 200: { description: 'All.', schema: Type.Array(Type.Unknown()) } },
    handle: () => ({ status: 200, body: [...state] }),
  })
  const tokens = [tokenRow('all', all, ['send', 'inbox', 'voice', 'crm', 'admin']), tokenRow('sender', sendOnly, ['send'])]
  const part = peoplePart({ config, store, clock }, { waiting: () => 0, cost: cheap })
  const routes: Route[] = [
    ...(part.routes ?? []),
    ...liveRoutes(live, (name) => [...accessTokens(tokens, store.tables.tokens)()].some((one) => one.name === name)),
    list,
  ].map((route) => withLiveId(route, live))
  const server = await startHttp({
    ...{
      listen: '127.0.0.1:0',
      routes,
      tokens: accessTokens(tokens, store.tables.tokens),
      names: namesOf([]),
      limits,
      store,
      trail,
      log,
      clock,
    },
    ...(part.door === null ? {} : { people: part.door }),
  })
  const streams = new Set<Socket>()
  t.teardown(async () => {
    live.close()
    for (const socket of streams) socket.destroy()
    await server.close(500)
    await trail.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${server.port}`
  const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    fetch(url + path, {
      ...{ method, headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const program = { authorization: `Bearer ${all}` }
  /** What a person's browser sends. */
  const person = async (login: string, wanted: object): Promise<Record<string, string>> => {
    const { personId } = (await (await ask('POST', '/api/people', program, { login, name: login, ...wanted })).json()) as any
    const { code } = (await (await ask('POST', `/api/people/${personId}/invite`, program)).json()) as any
    const answer = await ask('POST', '/api/session/setup', {}, { code, password })
    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('pbx='))!
    return { cookie: cookie.split(';')[0]! }
  }
  /** Opens the stream; resolves when the answer has begun. */
  const read = async (headers: Record<string, string>, query = ''): Promise<Reading> => {
    const socket = connect(server.port, '127.0.0.1')
    streams.add(socket)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET /api/live${query} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`)
    const reading = new Reading(socket)
    await found('an answer', () => (/^HTTP\/1\.1 \d+/.test(reading.text) ? true : undefined))
    return reading
  }
  const say = (topic: 'calls' | 'faxes' | 'queues' | 'work' | 'inbox', id: string, thing: object): void => {
    state.set(`${topic} ${id}`, thing)
    live.changed(topic, id)
  }
  return { live, clock, state, say, read, person, ask, program, tokens, sendOnly: { authorization: `Bearer ${sendOnly}` }, store }
}

export class Reading {
  readonly socket: Socket
  text = ''
  closed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('utf8').on('data', (piece: string) => (this.text += piece))
    socket.on('error', () => undefined).on('close', () => (this.closed = true))
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1])
  }

  get events(): LiveEvent[] {
    return [...this.text.matchAll(/id: (\S+)\nevent: (\w+)\ndata: (.*)\n\n/g)].map(([, id = '', event = '', data = '']) => {
      return { id, event, data: JSON.parse(data) as unknown }
    })
  }

  get names(): string[] {
    return this.events.map(({ event }) => event)
  }

  /** Resolves once it has got so many events. */
  got(count: number): Promise<LiveEvent[]> {
    return found(`${count} events`, () => (this.events.length >= count ? this.events : undefined))
  }

  /** The chunked body has ended, or the connection. */
  get over(): boolean {
    return this.closed || this.text.endsWith('0\r\n\r\n')
  }
}
