/** URLs of programs on the box's own machine, at ports that no endpoint has: in every verb and every route that takes one, with the key and without. */
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { WebSocketServer as Sockets } from 'ws'
import { describedRoutes } from '../../scripts/generate/described.ts'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { socketClient } from '../harness/socket.ts'
import { FaxRequestSchema } from '../../daemon/schema/fax.ts'

const { WebSocketServer } = createRequire(import.meta.url)('ws') as { WebSocketServer: typeof Sockets }

/** A program on this machine that no configuration names. */
class Bystander {
  readonly paths: string[] = []
  readonly #server: Server
  readonly #sockets: Sockets

  constructor() {
    this.#server = createServer((request, response) => {
      this.paths.push(request.url!)
      request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('[]'))
    })
    this.#sockets = new WebSocketServer({ noServer: true })
    this.#server.on('upgrade', (request, socket, head) => {
      this.paths.push(request.url!)
      this.#sockets.handleUpgrade(request, socket, head, (opened) => opened.close())
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#sockets.close()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

type Documents = Readonly<Record<string, (place: string) => readonly object[]>>

/** A document for each URL that a verb takes; the far end asks for `/VERB.FIELD`. */
const documents: Documents = {
  'play.url': (at) => [{ play: { url: `http://${at}/play.url` } }, { hangup: {} }],
  'redirect.url': (at) => [{ redirect: { url: `http://${at}/redirect.url` } }],
  'gather.actionUrl': (at) => [{ gather: { numDigits: 1, timeout: 1, actionUrl: `http://${at}/gather.actionUrl` } }],
  'record.actionUrl': (at) => [{ record: { maxSeconds: 1, playBeep: false, actionUrl: `http://${at}/record.actionUrl` } }],
  'route.actionUrl': (at) => [{ route: { to: '101', timeout: 5, actionUrl: `http://${at}/route.actionUrl` } }],
  'forward.actionUrl': (at) => [{ forward: { to: '+15551230077', timeout: 5, actionUrl: `http://${at}/forward.actionUrl` } }],
  'stream.url': (at) => [{ stream: { url: `ws://${at}/stream.url` } }],
  'stream.statusCallbackUrl': (at) => [{ stream: { url: `ws://${at}/x`, statusCallbackUrl: `http://${at}/stream.statusCallbackUrl` } }],
  'stream.actionUrl': (at) => [{ stream: { url: `ws://${at}/x`, actionUrl: `http://${at}/stream.actionUrl` } }],
}
/** Needs a model that hears speech; it goes the way of the others. */
const untried = ['gather.partialUrl']

const { pdfBase64: letter } = (FaxRequestSchema.examples as { pdfBase64: string }[])[0]!
type Bodies = Readonly<Record<string, readonly [path: string, body: (place: string) => object]>>

const reminder = { customerName: 'Ana Ruiz', phoneNumber: '555-123-4567', appointmentAt: new Date(Date.now() + 86_400_000).toISOString() }
const bodies: Bodies = {
  'originateCall.controlUrl': ['/api/voice/originate', (at) => ({ to: '101', controlUrl: `http://${at}/voice` })],
  'originateCall.url': ['/api/voice/originate', (at) => ({ to: '101', url: `http://${at}/voice` })],
  'originateCall.actionUrl': ['/api/voice/originate', (at) => ({ to: '101', actionUrl: `http://${at}/voice` })],
  'originateCall.statusCallbackUrl': [
    '/api/voice/originate',
    (at) => ({ to: '101', document: [{ hangup: {} }], statusCallbackUrl: `http://${at}/voice` }),
  ],
  'sendFax.statusCallbackUrl': ['/api/fax', (at) => ({ to: '+15551230001', pdfBase64: letter, statusCallbackUrl: `http://${at}/fax` })],
  'scheduleReminders.statusCallbackUrl': ['/api/reminders', (at) => ({ ...reminder, statusCallbackUrl: `http://${at}/reminder` })],
}
/** Of a call that lives: below. */
const ofCalls = ['changeCall.redirectUrl', 'changeCallForm.Url']

async function stage(t: Test, allowLoopback: boolean) {
  const bystander = new Bystander()
  const place = await bystander.open()
  const scene = await Scene.open({
    settings: (settings) => {
      settings['callbacks'] = { ...(settings['callbacks'] as object), allowLoopback }
      settings['fax'] = { line: 'main' }
      settings['limits'] = { requestsPerSecond: 1000, burst: 1000 }
    },
  })
  t.teardown(async () => {
    await scene.close()
    bystander.close()
  })
  const technician = socketClient(join(scene.daemon.dir, 'run', 'pbxd.sock'))
  /** What a simulated call leaves in its trace while the application answers with this document. */
  const trace = async (document: readonly object[]): Promise<string> => {
    scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? document : [])
    const call = { from: '+15551230001', to: '+15550001000', keys: [], say: '', speed: 20 }
    const { lines } = await technician('POST', '/api/simulate', call)
    return lines.flatMap(({ entry }) => (entry === undefined ? [] : [String(entry.text)])).join('\n')
  }
  return { bystander, place, scene, trace }
}

/** `VERB.FIELD` and `OPERATION.FIELD` of each member that is a URL. */
function urlFields(): string[] {
  const isUrl = (name: string, schema: { format?: string }): boolean => schema.format === 'uri' || /^(url|.+Url|Url)$/.test(name)
  const fieldsOf = (owner: string, properties: object = {}): string[] =>
    Object.entries(properties).flatMap(([name, schema]) => (isUrl(name, schema as object) ? [`${owner}.${name}`] : []))
  const ofVerbs = [...verbs].flatMap(([name, { parameters }]) => fieldsOf(name, (parameters as { properties?: object }).properties))
  const ofRoutes = describedRoutes()
    // The link of a customer is shown to people, and never fetched.
    .filter(({ access, operationId }) => access !== 'technician' && operationId !== 'syncCustomer')
    .flatMap(({ operationId, callbacks = {}, body }) => [
      ...new Set([
        ...Object.keys(callbacks).map((name) => `${operationId}.${name}`),
        ...fieldsOf(operationId, body?.['properties'] as object),
      ]),
    ])
  return [...ofVerbs, ...ofRoutes].toSorted()
}

t.test('the tables have every URL that a verb or a route takes', async (t) => {
  t.same(urlFields(), [...Object.keys(documents), ...untried, ...Object.keys(bodies), ...ofCalls].toSorted())
})

t.test('with callbacks.allowLoopback: true all of them reach programs on this machine, and none the box itself', async (t) => {
  const { bystander, place, scene, trace } = await stage(t, true)
  for (const [field, document] of Object.entries(documents)) {
    const said = await trace(document(place))
    await eventually(field, () => bystander.paths.includes(`/${field}`)).catch(() => t.fail(`${field}: ${said}`))
  }
  const own = new URL(scene.daemon.http).host
  for (const [field, [path, body]] of Object.entries(bodies)) {
    const { status, body: answer } = await scene.daemon.api('POST', path, body(place))
    t.ok(status === 200 || status === 202, `${field}: ${status} ${JSON.stringify(answer)}`)
    t.match(JSON.stringify((await scene.daemon.api('POST', path, body(own))).body), /the telephone system itself/, field)
  }
  for (const [field, document] of Object.entries(documents)) t.match(await trace(document(own)), /the telephone system itself/, field)
})

t.test('without it each refusal names the key', async (t) => {
  const { bystander, place, scene, trace } = await stage(t, false)
  const key = /callbacks\.allowLoopback/
  for (const [field, document] of Object.entries(documents)) {
    // A status that nobody gets holds up no call: its callback is refused, not the verb.
    if (field === 'stream.statusCallbackUrl') continue
    t.match(await trace(document(place)), key, field)
  }
  for (const [field, [path, body]] of Object.entries(bodies)) {
    const { status, body: answer } = await scene.daemon.api('POST', path, body(place))
    t.match(JSON.stringify({ status, answer }), key, field)
  }
  scene.app.script = (event) => (event.event === 'call.inbound.pre_route' ? [{ gather: { timeout: 30 } }] : [])
  const phone = await scene.call()
  const { event } = await scene.app.until('call.inbound.pre_route')
  t.match((await scene.daemon.api('POST', `/api/voice/calls/${event.callId}`, { redirectUrl: `http://${place}/x` })).body.error, key)
  const form = await fetch(`${scene.daemon.http}/2010-04-01/Accounts/AC1/Calls/${event.callId}.json`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`x:${scene.daemon.token}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: String(new URLSearchParams({ Url: `http://${place}/x` })),
  })
  t.equal(form.status, 422)
  t.match(await form.text(), key)
  await phone.close()
  t.same(bystander.paths, [])
})
