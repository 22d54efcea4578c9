/** A running daemon serves at each of its doors what its description says, and nothing else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { describedRoutes } from '../../scripts/generate/described.ts'
import { socketDocument } from '../../daemon/description/openapi.ts'
import { Daemon, root } from '../harness/daemon.ts'
import { socketClient } from '../harness/socket.ts'

t.setTimeout(60_000)

/** The examples of a running daemon have days to come. */
const undated = (text: string): unknown => JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\d/g, '2026-03-02'))

t.test('both doors describe themselves by the routes that they serve', async (t) => {
  const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9 })
  t.teardown(() => daemon.close())
  await daemon.start()
  const web = undated(await (await fetch(`${daemon.http}/openapi.json`)).text())
  const socket = undated((await socketClient(join(daemon.dir, 'run', 'pbxd.sock'))('GET', '/socket.json')).text)
  for (const [served, expected, name] of [
    [web, readFileSync(join(root, 'openapi.json'), 'utf8'), 'openapi.json'],
    [socket, JSON.stringify(socketDocument(describedRoutes())), 'the socket'],
  ] as const) {
    const { paths, ...rest } = served as { paths: Record<string, object> }
    const { paths: described, ...others } = undated(expected) as { paths: Record<string, object> }
    t.same(operationsOf(paths), operationsOf(described), `${name}: the operations`)
    t.same(paths, described, `${name}: all that is said of them`)
    t.same(rest, others, `${name}: the rest`)
  }
})

function operationsOf(paths: Record<string, object>): string[] {
  return Object.entries(paths)
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
    .toSorted()
}
