/**
 * What holds for every route there is, at its own door: the whole table is served, with its schemas and with handlers that say yes.
 * What the handlers themselves make of requests is tried elsewhere.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { accessTokens } from '../../daemon/http/auth.ts'
import { describedRoutes } from '../../scripts/generate/described.ts'
import { openApiDocument, socketDocument } from '../../daemon/description/openapi.ts'
import type { Reply, Route } from '../../daemon/http/route.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { startSocket } from '../../daemon/http/socket.ts'
import { socketClient } from '../harness/socket.ts'
import { all, limits, Scene, tokenRow } from './serve.ts'
import { roles } from '../../daemon/schema/people.ts'

type Json = Record<string, any>

/** `/` is the console where that is on, and a page about the box where it is off: never both. */
const table = describedRoutes().filter(({ operationId }) => operationId !== 'getFrontPage')
const isOfSocket = ({ access, people }: Route): boolean => access === 'technician' && people === undefined
const somebody = {
  ...{ personId: 'p', login: 'somebody', name: 'Somebody', roles, extension: null, mailboxes: [], queues: [] },
  ...{ locked: false, needsSecondStep: false, now: () => undefined },
}
let sessions = 0
const taken = (route: Route): number => Number(Object.keys(route.responses).find((status) => Number(status) < 300) ?? 200)

/** The route as it is, but for what needs a service behind it. */
function willing(route: Route): Route {
  const { params: _, rate: __, missing: ___, file: ____, ...rest } = route
  return { ...rest, handle: (): Reply => ({ status: taken(route), body: {} }) } as Route
}

async function stage(t: Test) {
  const scene = await Scene.open()
  const routes = table.map(willing)
  const { store, log } = scene
  const tokens = accessTokens([tokenRow('all', all, ['send', 'inbox', 'voice', 'crm', 'admin'])], store.tables.tokens)
  const web = await startHttp({
    listen: '127.0.0.1:0',
    routes,
    tokens,
    limits: { ...limits, requestsPerSecond: 1e6, burst: 1e6 },
    // A session for each request: a session has a rate of its own.
    people: { person: (cookie) => ({ ...somebody, sessionId: cookie }) },
    store,
    log,
  })
  const socket = await startSocket({ socket: join(scene.dir, 'run/s'), routes, log })
  t.teardown(async () => {
    await socket.close()
    await web.close(500)
    await scene.close()
  })
  const technician = socketClient(socket.socket)
  /** At the door that the route belongs to. */
  return async (route: Route, query: string, body?: unknown) => {
    const path = route.path.replaceAll(/:[A-Za-z][A-Za-z0-9]*/g, 'x') + query
    if (isOfSocket(route)) {
      const answer = await technician(route.method, path, body)
      return { status: answer.status, json: answer.json as Record<string, any>, text: JSON.stringify(answer.json) }
    }
    const authorization = route.access === 'basic-token' ? `Basic ${Buffer.from(`x:${all}`).toString('base64')}` : `Bearer ${all}`
    const ofPage = route.access === 'person' || route.access === 'page'
    const shown = ofPage ? { cookie: `pbx=${(sessions += 1)}`, 'sec-fetch-site': 'same-origin' } : { authorization }
    const form = route.bodyType === 'form'
    const answer = await fetch(`http://127.0.0.1:${web.port}${path}`, {
      method: route.method,
      redirect: 'manual',
      headers: { ...shown, 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' },
      ...(body === undefined ? {} : { body: form ? String(new URLSearchParams(body as Record<string, string>)) : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, json: (text === '' ? {} : JSON.parse(text)) as Record<string, any>, text }
  }
}

/** With `strange: 1` in every object of it; where. */
function strangeEverywhere(value: unknown, path = ''): { value: unknown; paths: string[] } {
  if (typeof value !== 'object' || value === null) return { value, paths: [] }
  const inner = Object.entries(value).map(([name, member]) => [name, strangeEverywhere(member, `${path}/${name}`)] as const)
  const paths = inner.flatMap(([, one]) => one.paths)
  if (Array.isArray(value)) return { value: inner.map(([, one]) => one.value), paths }
  const members = Object.fromEntries(inner.map(([name, one]) => [name, one.value]))
  return { value: { ...members, strange: 1 }, paths: [...paths, `${path}/strange`] }
}

t.test('a member that a route does not know is named in its answer, however deep it stands', async (t) => {
  const ask = await stage(t)
  for (const route of table) {
    const { operationId, body } = route
    // What is in a document the verbs say: test/voice.
    if (body === undefined || operationId === 'validateDocument') continue
    const { value, paths } = strangeEverywhere((body['examples'] as unknown[])[0])
    const { status, json } = await ask(route, '', value)
    if (status === 422) t.match(json['error'], /"strange"/, operationId)
    else {
      t.equal(status, taken(route), operationId)
      t.same((json['warnings'] as string[] | undefined)?.toSorted(), paths.map((path) => `${path} is not used`).toSorted(), operationId)
    }
    const usual = await ask(route, '', (body['examples'] as unknown[])[0])
    t.equal(usual.json['warnings'], undefined, `${operationId}: nothing to say of its own example`)
  }
})

t.test('every answer to a request with a body has room for such warnings in the description', async (t) => {
  const [web, socket] = [openApiDocument(table), socketDocument(table)].map((made) => JSON.parse(JSON.stringify(made)) as Json)
  for (const route of table) {
    if (route.body === undefined) continue
    const document = isOfSocket(route) ? socket! : web!
    const path = route.path.replaceAll(/:([A-Za-z][A-Za-z0-9]*)/g, '{$1}')
    const { responses } = document.paths[path][route.method.toLowerCase()]
    for (const [status, { content = {} }] of Object.entries(responses as Record<string, Json>)) {
      const schema = content['application/json']?.schema
      if (Number(status) >= 300 || schema === undefined) continue
      const resolved = '$ref' in schema ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema
      const shapes = (resolved.anyOf ?? [resolved]) as Json[]
      for (const shape of shapes) if (shape.type === 'object') t.equal(shape.properties.warnings?.type, 'array', route.operationId)
    }
  }
})

t.test('a filter that a route does not have is refused, with those that it has', async (t) => {
  const ask = await stage(t)
  for (const route of table) {
    const { operationId, query, body } = route
    const names = Object.keys((query?.['properties'] ?? {}) as object)
    const example = (body?.['examples'] as unknown[] | undefined)?.[0]
    const answer = await ask(route, '?strange=1', example)
    if (query?.['patternProperties'] !== undefined) {
      const ofPage = operationId.startsWith('getConsolePage ')
      t.ok(ofPage || /^\/(provision|api\/sms\/webhook)\//.test(route.path), `${operationId} takes whatever others send`)
      t.not(answer.status, 422, operationId)
      continue
    }
    t.equal(answer.status, 422, operationId)
    t.equal(answer.json['code'], 'validation_failed', operationId)
    const has = names.length === 0 ? 'it has none' : `it has: ${names.join(', ')}`
    t.equal(answer.json['error'], `${route.method} ${route.path} has no filter "strange"; ${has}.`)
    t.match(answer.json['details'], [{ path: '/strange', message: /^is not known here/ }], operationId)
    const [first] = names
    if (first === undefined) continue
    const slip = await ask(route, `?${first}x=1`, example)
    t.match(slip.json['details'], [{ path: `/${first}x`, message: `is not known here: was "${first}" meant?` }], operationId)
  }
})
