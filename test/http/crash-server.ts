/** Started by a test: carries a request out, and is killed before the answer can leave. Prints its port. */
import { Type } from '@sinclair/typebox'
import { systemClock } from '../../daemon/base/clock.ts'
import { defineRoute } from '../../daemon/http/route.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { all, limits, tokenRow } from './serve.ts'

const log = createLog({ level: 'silent', pretty: false })
const store = await openStore(process.argv[2]!, log)
const killed = process.argv[3] === 'killed'

const server = await startHttp({
  listen: '127.0.0.1:0',
  tokens: () => [tokenRow('all', all, ['send'])],
  limits,
  store,
  log,
  clock: systemClock,
  routes: [
    defineRoute({
      method: 'POST',
      path: '/count',
      access: 'send',
      operationId: 'count',
      summary: 'Counts',
      tag: 'Test',
      idempotent: true,
      body: Type.Object({}),
      responses: { 200: { description: 'Counted.' } },
      handle: async (context) => {
        const count = Number(store.tables.meta.get('count') ?? 0) + 1
        const reply = { status: 200, body: { count } }
        await store.transaction(() => {
          store.tables.meta.put('count', count)
          context.remember(reply)
        })
        if (killed) process.kill(process.pid, 'SIGKILL')
        return reply
      },
    }),
  ],
})
process.stdout.write(`${server.port}\n`)
