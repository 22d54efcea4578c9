/** Answers that come piece by piece and bodies that are read as they come: on both servers, as fast as the slower side. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { ApiError } from '../../daemon/base/errors.ts'
import { defineRoute, type Route } from '../../daemon/http/route.ts'
import { Scene } from './serve.ts'
import { found } from '../harness/waiting.ts'

const line = 'x'.repeat(64 * 1024)
const mostLines = 2_000

class Streams {
  emitted = 0
  read = 0
  ended = Promise.withResolvers<string>()
  gate = Promise.withResolvers<void>()

  routes(): Route[] {
    const common = { tag: 'Test', summary: 'Test', access: 'public' as const, responses: { 200: { description: 'Done.' } } }
    return [
      defineRoute({
        ...common,
        method: 'GET',
        path: '/lines',
        operationId: 'lines',
        handle: ({ signal }) => ({
          status: 200,
          stream: async (emit) => {
            for (; this.emitted < mostLines && !signal.aborted; this.emitted++) await emit(line)
            this.ended.resolve(signal.aborted ? 'left' : 'all')
          },
        }),
      }),
      defineRoute({
        ...common,
        method: 'GET',
        path: '/broken/:how',
        operationId: 'broken',
        params: Type.Object({ how: Type.String() }),
        handle: ({ params: { how } }) => ({
          status: 200,
          async stream(emit) {
            await emit({ n: 1 })
            throw how === 'told' ? new ApiError('not_supported', 'No such thing.') : new Error('a secret of the house')
          },
        }),
      }),
      defineRoute({
        ...common,
        method: 'POST',
        path: '/sum',
        operationId: 'sum',
        bodyType: 'stream',
        limitBytes: 30_000_000,
        query: Type.Object({ stop: Type.Optional(Type.Integer()), wait: Type.Optional(Type.Boolean()) }),
        handle: ({ upload, query }) => ({
          status: 200,
          stream: async (emit) => {
            if (query.wait === true) await this.gate.promise
            let bytes = 0
            for await (const chunk of upload) {
              bytes += chunk.length
              this.read = bytes
              if (query.stop !== undefined && bytes > query.stop) break
            }
            await emit({ bytes })
          },
        }),
      }),
    ]
  }
}

const opened = (scene: Scene, bytes: string): Socket => {
  const socket = connect(scene.server.port, '127.0.0.1')
  socket.write(bytes)
  return socket
}

/** Until `look` gives twice the same in a row, a tenth of a second apart. */
async function settled(look: () => number): Promise<number> {
  let before = -1
  const same = () => {
    const now = look()
    const settled = now === before && now > 0
    before = now
    return settled && now
  }
  return found('twice the same', same, undefined, 100)
}

t.test('answers and bodies that come piece by piece', async (t) => {
  const streams = new Streams()
  const scene = await Scene.open({}, streams.routes())
  t.teardown(() => scene.close())

  await t.test('lines are made as fast as the client takes them, and no more when it leaves', async (t) => {
    const socket = opened(scene, 'GET /lines HTTP/1.1\r\nHost: x\r\n\r\n')
    socket.pause()
    const held = await settled(() => streams.emitted)
    t.ok(held < mostLines / 2, `${held} lines of 64 KiB for a client that reads nothing`)
    socket.resume()
    await settled(() => (streams.emitted > held ? 1 : 0))
    socket.destroy()
    t.equal(await streams.ended.promise, streams.emitted === mostLines ? 'all' : 'left')
    streams.emitted = mostLines - 3
    streams.ended = Promise.withResolvers()
    const { text, headers } = await scene.ask('GET', '/lines')
    t.match(headers['content-type'], 'application/x-ndjson')
    t.same(text, `${`${JSON.stringify(line)}\n`.repeat(3)}{"done":true}\n`)
  })

  await t.test('the last line says what went wrong', async (t) => {
    t.equal((await scene.ask('GET', '/broken/told')).text, '{"n":1}\n{"failed":{"error":"No such thing.","code":"not_supported"}}\n')
    const { text } = await scene.ask('GET', '/broken/inside')
    t.match(text, /^\{"n":1\}\n\{"failed":\{"error":"[^"]*","code":"internal"\}\}\n$/)
    t.notMatch(text, /secret/)
  })

  await t.test('a body is read as it comes, and the client waits while nobody reads', async (t) => {
    const body = Buffer.alloc(20_000_000, 7)
    t.match((await scene.ask('POST', '/sum', { body })).text, '{"bytes":20000000}\n{"done":true}\n')
    const socket = opened(scene, `POST /sum?wait=true HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
    const sent = await settled(() => socket.bytesWritten - socket.writableLength)
    t.ok(sent < body.length && socket.writableLength > 0, 'the rest is still with the client')
    let text = ''
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece))
    streams.gate.resolve()
    while (!text.includes('"done"')) await once(socket, 'data')
    t.match(text, /"bytes":20000000/)
    socket.destroy()
  })

  await t.test('a reader may stop in the middle: the answer comes, and the connection serves on', async (t) => {
    const body = 'y'.repeat(5_000_000)
    const two = `POST /sum?stop=1000 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}GET /state HTTP/1.1\r\nHost: x\r\n\r\n`
    t.match(await scene.raw(two, '{"name":null}', 10_000), /"bytes":\d+\}[^]*"done":true[^]*\{"name":null\}/)
  })

  await t.test('a body over its limit, told before or found on the way', async (t) => {
    const head = 'POST /sum HTTP/1.1\r\nHost: x\r\n'
    t.match(await scene.raw(`${head}Content-Length: 40000000\r\n\r\n`, 'limitBytes', 5_000), /^HTTP\/1\.1 413 /)
    const chunk = `100000\r\n${'z'.repeat(0x100000)}\r\n`
    const endless = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(31)}`
    t.match(await scene.raw(endless, 'failed', 10_000), /"failed":\{[^}]*"code":"body_too_large"/)
  })

  t.equal((await scene.ask('GET', '/state')).status, 200)
})
