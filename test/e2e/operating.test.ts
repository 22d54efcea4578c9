/** What a technician reads of a box that runs: each problem once, and nothing that is none. */
import { createServer } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Daemon, freePort } from '../harness/daemon.ts'

t.setTimeout(300_000)

const daemon = await Daemon.create({
  app: 'http://127.0.0.1:9',
  // Nobody is there.
  trunkPort: 9,
  settings(base) {
    base['lines'] = [{ id: 'fax1', device: '/dev/pbx-no-such-modem', number: '+15550001999', roles: ['fax'] }]
  },
})
await daemon.start()
t.teardown(() => daemon.close())

t.test('status lists as many problems as its first line counts, each once and with what mends it', async (t) => {
  let out = ''
  for (const deadline = Date.now() + 60_000; !/[!✗] .*main.*\n {2}fix/.test(out) && Date.now() < deadline;)
    out = (await daemon.pbx('status')).out
  const listed = out.slice(out.indexOf('\nWarnings\n')).match(/^[!✗] .*\n {2}fix: .+/gm) ?? []
  t.equal(String(listed.length), /(\d+) problems?, see below/.exec(out)?.[1], out)
  t.equal(new Set(listed).size, listed.length)
  for (const what of ['main', 'fax1'])
    t.ok(
      listed.some((one) => one.includes(what)),
      `${what} is among them: ${out}`,
    )
})

t.test('config check of another file: ports of the daemon that runs are none that another program has', async (t) => {
  const holder = createServer()
  const taken = await freePort()
  await new Promise<void>((done) => holder.listen(taken, '127.0.0.1', done))
  t.teardown(() => holder.close())
  const other = join(daemon.dir, 'other.yaml')
  const text = readFileSync(daemon.configFile, 'utf8').replaceAll(/socket: .*/g, 'socket: other.sock')
  writeFileSync(other, text)
  t.notMatch((await daemon.pbx('config', 'check', other)).error, /another program/)
  writeFileSync(other, text.replace(`tcp: 127.0.0.1:${daemon.sipPort}`, `tcp: 127.0.0.1:${taken}`))
  const { code, error } = await daemon.pbx('config', 'check', other)
  t.equal(code, 0)
  t.match(error, `/sip/tcp: TCP 127.0.0.1:${taken} cannot be opened on this machine: another program uses it`)
  t.equal(error.match(/another program/g)?.length, 1, error)
})

t.test('asked to stop in the moment in which it first answers, it ends in order', async (t) => {
  await daemon.stop()
  await daemon.start()
  await daemon.stop()
  t.same(daemon.exit, { code: 0, signal: null })
})
