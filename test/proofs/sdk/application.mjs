/** The application of test/sdk/samples.ts on the installed package, in the framework that the first argument names; the second is its port. */
import { createServer } from 'node:http'
import { chosen, express, fastify, gather, hono, menu, node, Pbxd, record, redirect, say } from 'pbxd'

const [framework, port] = process.argv.slice(2)
const choices = { hours: ['1', 'opening hours'], message: ['2', 'leave a message', 'message'] }
let runs = 0
const application = new Pbxd(
  {
    '/voice': {
      'call.inbound.pre_route': () => menu('For our opening hours, press 1. To leave a message, press 2.', choices),
      'gather.completed': (event) => {
        runs += 1
        const choice = chosen(event, choices)
        if (choice === 'hours') return [say('We are open from nine to five.'), redirect('/again')]
        return choice === 'message' ? [say('After the tone, please.'), record({ maxSeconds: 60, actionUrl: '/message' })] : say('Sorry.')
      },
      'call.ended': (event) => console.log(event.endReason, runs),
    },
    '/again': { 'call.redirected': () => [say('Again.'), gather({ actionUrl: 'https://other.example/x' })] },
    '/message': { 'record.completed': () => Promise.reject(new Error('the disk is full')) },
  },
  { secret: 'whsec_test_0123456789abcdef', onError: () => undefined },
)

const frameworks = {
  'node:http': async () => createServer(node(application)).listen(port, '127.0.0.1'),
  async express() {
    const { default: make } = await import('express')
    const app = make()
    app.use('/telephone', express(application))
    app.use(make.json())
    app.post('/other', (request, response) => response.json(request.body))
    app.listen(port, '127.0.0.1')
  },
  async fastify() {
    const { default: make } = await import('fastify')
    const app = make()
    app.register(fastify(application), { prefix: '/telephone' })
    app.post('/other', async (request) => request.body)
    await app.listen({ port: Number(port), host: '127.0.0.1' })
  },
  async hono() {
    const [{ Hono }, { serve }] = await Promise.all([import('hono'), import('@hono/node-server')])
    const app = new Hono()
    app.post('/telephone/*', hono(application, '/telephone'))
    app.post('/other', async (context) => context.json(await context.req.json()))
    serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' })
  },
}
await frameworks[framework]()
