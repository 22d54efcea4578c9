import { Type, type TSchema } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { describedRoutes } from '../../scripts/generate/described.ts'
import { openApiDocument, socketDocument } from '../../daemon/description/openapi.ts'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { checker } from '../../daemon/http/validate.ts'
import { crmRequests, type CrmRequestSpec } from '../../daemon/schema/crm-requests.ts'
import { eventSpecs, type EventName } from '../../daemon/schema/events.ts'
import { reminderEventNames } from '../../daemon/schema/events/reminders.ts'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { misfitsOf } from '../harness/events-fit.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string }[]
  responses: Record<string, { description: string }>
  callbacks?: Record<string, object>
}

interface Webhook {
  operationId: string
  parameters: { $ref: string }[]
  requestBody: { content: { 'application/json': { schema: { $ref: string }; example: { event: string } } } }
  responses: Record<string, { content: { 'application/json': { schema: unknown } } }>
}

interface Bodies extends Operation {
  requestBody?: Body
  responses: Record<string, { description: string } & Body>
}
interface Body {
  content?: { 'application/json'?: { schema: Record<string, unknown> & { items?: Record<string, unknown> } } }
}

type Document = Record<string, unknown> & { paths: Record<string, Record<string, Operation>> }

const all = describedRoutes()
const routes = all.filter(({ access, people, undescribed }) => (access !== 'technician' || people !== undefined) && undescribed !== true)
const document = JSON.parse(JSON.stringify(openApiDocument(all))) as Document
const ofSocket = JSON.parse(JSON.stringify(socketDocument(all))) as Document

function walk(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>)
  for (const child of Object.values(value)) walk(child, visit)
}

function resolve(pointer: string, document: Document): unknown {
  const steps = pointer.slice(2).split('/')
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/')], document)
}

function holdsTogether(t: Test, described: Document, served: readonly Route[]): void {
  t.match(described, { openapi: '3.1.0', info: { title: String, version: /^\d+\.\d+\.\d+/ } })
  walk(described, (node) => {
    if (typeof node.$ref === 'string' && !(node.$ref.startsWith('#/') && resolve(node.$ref, described) !== undefined)) t.fail(node.$ref)
    if ('$id' in node) t.fail(`an $id is left: ${String(node.$id)}`)
  })
  const operations = Object.entries(described.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation })),
  )
  t.equal(operations.length, served.length)
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, served.length, 'operation ids are unique')
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    t.same(declared, inPath, `${operation.operationId}: its path parameters are described`)
    t.ok(Object.keys(operation.responses).some((status) => Number(status) < 400))
    for (const { description } of Object.values(operation.responses)) t.ok(description !== '')
  }
}

t.test('the description of the web port holds together', async (t) => {
  holdsTogether(t, document, routes)
  const explained = (document.tags as { name: string; description: string }[]).filter(({ description }) => description !== '')
  const names = new Set(explained.map(({ name }) => name))
  t.same(
    [...new Set(routes.map(({ tag }) => tag))].filter((tag) => !names.has(tag)),
    [],
    'every tag is explained',
  )
})

t.test('that of the technician’s socket has what the web port does not serve', async (t) => {
  const own = all.filter(({ access, people }) => access === 'technician' && people === undefined)
  t.ok(own.length > 8, `${own.length} routes`)
  holdsTogether(t, ofSocket, own)
  t.equal(new Set(all.map(({ operationId }) => operationId)).size, all.length, 'operation ids are unique over both')
})

t.test('every body and answer is a component: a generated client has a name for each', async (t) => {
  for (const described of [document, ofSocket]) {
    const names = new Map<string, string>()
    for (const item of Object.values(described.paths)) {
      for (const { operationId, requestBody, responses } of Object.values(item) as unknown as Bodies[]) {
        for (const [where, body] of Object.entries({ request: requestBody, ...responses })) {
          const schema = body?.content?.['application/json']?.schema
          const shape = schema?.items ?? schema
          if (shape === undefined || '$ref' in shape) {
            const name = String(shape?.['$ref'] ?? '')
              .split('/')
              .at(-1)!
            // Named after its operation: no other one has that.
            if (!/(Request|Answer)(Item)?$/.test(name) || !name.startsWith(operationId[0]!.toUpperCase() + operationId.slice(1))) continue
            t.notOk(names.has(name), `${name} is of one place alone`)
            names.set(name, where)
          } else t.notOk(shape.type === 'object' || 'anyOf' in shape, `${operationId} ${where}: ${JSON.stringify(shape).slice(0, 100)}`)
        }
      }
    }
  }
})

t.test('every example fits its schema', async (t) => {
  for (const { operationId, access, body, bodyType, responses } of all) {
    if (body !== undefined) {
      const [example] = (body.examples ?? []) as unknown[]
      t.not(example, undefined, `${operationId}: the body has an example`)
      t.same(misfits(body, example, bodyType === 'form'), [], `${operationId}: the body's example`)
    }
    for (const [status, { schema, example }] of Object.entries(responses)) {
      // What the technician's routes answer is shown by the golden files of `pbx`.
      if (schema === undefined || (access === 'technician' && example === undefined)) continue
      t.not(example, undefined, `${operationId}: ${status} has an example`)
      t.same(misfits(schema, example, false), [], `${operationId}: the example of ${status}`)
    }
  }
})

t.test(
  'a member with a default is required nowhere in what the box reads: requests, and answers of applications and the CRM',
  async (t) => {
    const schemasOf = ({ components }: Document) => (components as { schemas: Record<string, unknown> }).schemas
    const components = { ...schemasOf(ofSocket), ...schemasOf(document) }
    let members = 0
    const walk = (value: unknown, path: string, seen: ReadonlySet<string>): string[] => {
      if (typeof value !== 'object' || value === null) return []
      if (Array.isArray(value)) return value.flatMap((one, at) => walk(one, `${path}/${at}`, seen))
      const { $ref, required = [], properties = {}, ...rest } = value as Record<string, unknown> & { $ref?: string }
      if ($ref !== undefined) {
        const name = $ref.split('/').at(-1)!
        return seen.has(name) ? [] : walk(components[name], `${path}>${name}`, new Set([...seen, name]))
      }
      const own = Object.entries(properties as Record<string, { default?: unknown; description?: string }>).flatMap(([name, one]) => {
        members++
        const usual = one.default !== undefined || /Default: /.test(one.description ?? '')
        return usual && (required as string[]).includes(name) ? [`${path}/${name}`] : []
      })
      const inner = [rest['items'], rest['anyOf'], rest['oneOf'], rest['allOf'], ...Object.values(properties as object)]
      return [...own, ...inner.flatMap((one, at) => walk(one, `${path}.${at}`, seen))]
    }
    const bodies = (paths: object, of: (one: Bodies) => (Body | undefined)[]): [string, unknown][] =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.values(item as Record<string, Bodies>).flatMap((one) =>
          of(one).flatMap((body) => (body?.content === undefined ? [] : [[path, Object.values(body.content)[0]] as [string, unknown]])),
        ),
      )
    const read = [
      ...bodies(document.paths, ({ requestBody }) => [requestBody]),
      ...bodies(ofSocket.paths, ({ requestBody }) => [requestBody]),
      ...bodies(document['webhooks'] as object, ({ responses }) => Object.values(responses)),
    ]
    const faults = read.flatMap(([path, body]) => walk((body as { schema?: unknown }).schema, path, new Set()))
    t.same(faults, [])
    t.ok(read.length > 50 && members > 500, `${read.length} bodies, ${members} members`)
  },
)

t.test('every event is a webhook, with its headers and what may be answered; documents are components', async (t) => {
  const { webhooks, components } = document as unknown as {
    webhooks: Record<string, { post: Webhook }>
    components: { schemas: Record<string, TSchema> }
  }
  t.same(
    Object.keys(webhooks).filter((name) => !name.startsWith('crm.') && name !== 'event' && name !== 'stream'),
    Object.keys(eventSpecs),
  )
  const ids = Object.values(webhooks).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
  t.equal(new Set(ids).size, ids.length)
  for (const name of Object.keys(eventSpecs)) {
    const { post } = webhooks[name]!
    const { schema, example } = post.requestBody.content['application/json']
    t.match(schema.$ref, /^#\/components\/schemas\/\w+Event$/, name)
    t.equal(example.event, name)
    t.same(misfitsOf(example), [], `${name}: its example`)
    t.not(components.schemas[schema.$ref.split('/').at(-1)!]!.additionalProperties, false, `${name}: a later version may have more`)
    t.same(
      post.parameters.map(({ $ref }) => (resolve($ref, document) as { name: string }).name),
      ['X-Service-Signature', 'X-Service-Timestamp', 'X-Service-Event-Id', 'X-Service-Attempt'],
    )
    const answer = post.responses['200']?.content['application/json'].schema
    t.same(answer, eventSpecs[name as EventName].route === 'control' ? { $ref: '#/components/schemas/ControlDocument' } : undefined)
  }
  t.same(components.schemas['ValidateRequest']!.anyOf?.[0], { $ref: '#/components/schemas/ControlDocument' })
})

t.test('what is asked of the CRM is a webhook, with its headers; records and answers are components', async (t) => {
  const { webhooks } = document as unknown as { webhooks: Record<string, Record<string, Partial<Webhook> & { tags: string[] }>> }
  for (const [route, spec] of Object.entries(crmRequests) as [string, CrmRequestSpec][]) {
    const { [spec.method.toLowerCase()]: operation } = webhooks[`crm.${route}`] ?? {}
    if (!t.not(operation, undefined, route)) continue
    const schema = operation!.requestBody?.content['application/json'].schema
    t.same(schema === undefined, spec.body === undefined, `${route}: its body`)
    if (schema !== undefined && route !== 'party') t.match(schema, { $ref: /^#\/components\/schemas\/\w+$/ }, `${route}: by reference`)
    const answer = operation!.responses!['200'] as { content?: Webhook['responses'][string]['content'] }
    t.same(answer.content === undefined, spec.answer === undefined, `${route}: what is read`)
    if (answer.content !== undefined) t.match(answer.content['application/json'].schema, { $ref: String }, `${route}: by reference`)
  }
  const schemas = (document as unknown as { components: { schemas: Record<string, object> } }).components.schemas
  for (const name of ['StreamFrame', 'StreamServerFrame', 'CallEventData', 'CallRecord']) t.ok(name in schemas, name)
})

t.test('a request that makes the box call a URL says so in its callbacks', async (t) => {
  const described = Object.values(document.paths).flatMap((item) => Object.values(item))
  const asked = (operationId: string) => described.find((operation) => operation.operationId === operationId)?.callbacks ?? {}
  t.same(asked('sendFax'), {
    'fax.sent': { '{$request.body#/statusCallbackUrl}': { $ref: '#/webhooks/fax.sent' } },
    'fax.failed': { '{$request.body#/statusCallbackUrl}': { $ref: '#/webhooks/fax.failed' } },
  })
  t.same(Object.keys(asked('scheduleReminders')), reminderEventNames)
  t.match(asked('originateCall'), { 'call.ended': { '{$request.body#/statusCallbackUrl}': {} } })
  for (const { operationId, body, callbacks = {} } of all) {
    const called = new Set<string>()
    walk(body, ({ properties }) => {
      for (const name of Object.keys(properties ?? {})) if (/^(statusCallback|control|redirect)Url$/.test(name)) called.add(name)
    })
    t.same(Object.keys(callbacks).toSorted(), [...called].toSorted(), `${operationId}: the URLs that the box calls are described`)
  }
})

t.test('the verbs of a document are its components', async (t) => {
  const { components } = document as unknown as { components: { schemas: Record<string, TSchema> } }
  const items = (components.schemas['ControlDocument']!.items as { anyOf: { $ref: string }[] }).anyOf
  t.same(
    items.map(({ $ref }) => Object.keys((resolve($ref, document) as { properties: object }).properties)),
    Array.from(verbs.keys(), (name) => [name]),
  )
})

function misfits(schema: TSchema, example: unknown, coerce: boolean): unknown[] {
  return checker(schema, coerce)(structuredClone(example)) ?? []
}

t.test('named schemas become components, once, also when they contain themselves', async (t) => {
  const Item = Type.Object({ name: Type.String() }, { $id: 'Item' })
  const Tree = Type.Recursive((self) => Type.Object({ item: Item, children: Type.Array(self) }), { $id: 'Tree' })
  const made = openApiDocument([
    defineRoute({
      method: 'POST',
      path: '/trees/:id.json',
      access: 'basic-token',
      operationId: 'plant',
      summary: 'Plant',
      tag: 'Test',
      idempotent: true,
      params: Type.Object({ id: Type.String() }),
      body: Type.Object({ tree: Tree, items: Type.Array(Item) }),
      responses: { 200: { description: 'Planted.', schema: Tree } },
      handle: () => ({ status: 200 }),
    }),
  ])
  const schema = { $ref: '#/components/schemas/Tree' }
  t.match(JSON.parse(JSON.stringify(made)), {
    paths: {
      '/trees/{id}.json': {
        post: {
          security: [{ basic: [] }],
          parameters: [
            { name: 'id', in: 'path', required: true },
            { name: 'Idempotency-Key', in: 'header' },
          ],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/PlantRequest' } } } },
          responses: {
            200: { content: { 'application/json': { schema } } },
            401: {},
            404: {},
            409: {},
            413: {},
            415: {},
            422: {},
            500: {},
          },
        },
      },
    },
    components: {
      schemas: {
        Item: { type: 'object', properties: { name: { type: 'string' } } },
        PlantRequest: { properties: { tree: schema } },
        Tree: { properties: { item: { $ref: '#/components/schemas/Item' }, children: { items: schema } } },
      },
    },
  })
})
