/** The messages that systemd gets, over real unix datagrams; and the unit's sandbox. */
import { execFileSync, spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import t from 'tap'
import { createLog } from '../../daemon/base/log.ts'
import { systemdNotifier } from '../../daemon/base/systemd.ts'

const dir = mkdtempSync(join(tmpdir(), 'pbxd-systemd-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))
const helper = join(dir, 'pbxd-notify')
execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', helper, resolve('systemd/notify.c')])
const log = createLog({ level: 'silent' })

/** Plays systemd: binds the socket and hands over the datagrams one by one. */
async function systemd(name: string): Promise<{ next(): Promise<string>; kill(): void }> {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(helper, ['--listen', name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async (): Promise<string> => (await lines.next()).value as string
  t.equal(await next(), 'listening')
  return { next, kill: () => child.kill() }
}

/** Process ids of the helpers that forward, read from the kernel. */
function helpers(): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return children.map(Number).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${helper}\0`)
}

for (const [kind, name] of [
  ['a path', join(dir, 'notify')],
  ['an abstract socket', `@pbxd-test-${process.pid}`],
] as const) {
  t.test(`systemd is told over ${kind}`, async (t) => {
    const peer = await systemd(name)
    t.teardown(() => peer.kill())
    const env: NodeJS.ProcessEnv = { NOTIFY_SOCKET: name, WATCHDOG_USEC: '100000', WATCHDOG_PID: '7' }
    const notifier = systemdNotifier({ helper, log, env, pid: 7 })
    t.notOk('NOTIFY_SOCKET' in env, 'no other child inherits it')
    notifier.ready()
    t.equal(await peer.next(), 'READY=1')
    notifier.status('2 calls\nmain: registered')
    t.equal(await peer.next(), 'STATUS=2 calls main: registered', 'one line, whatever is told')
    let asked = 0
    notifier.watch(() => ++asked < 3)
    t.equal(await peer.next(), 'WATCHDOG=1')
    t.equal(await peer.next(), 'WATCHDOG=1')
    notifier.stopping()
    t.equal(await peer.next(), 'STOPPING=1', 'a daemon that does not live is not said to live')
    notifier.close()
  })
}

t.test('a lost helper is replaced', async (t) => {
  const name = join(dir, 'again')
  const peer = await systemd(name)
  t.teardown(() => peer.kill())
  const notifier = systemdNotifier({ helper, log, env: { NOTIFY_SOCKET: name } })
  notifier.ready()
  await peer.next()
  const lost = helpers()
  for (const pid of lost) process.kill(pid, 'SIGKILL')
  while (!helpers().some((pid) => !lost.includes(pid))) await new Promise((resolve) => setImmediate(resolve))
  notifier.status('still here')
  t.equal(await peer.next(), 'STATUS=still here')
  notifier.close()
})

t.test('outside systemd nothing is started', async (t) => {
  const notifier = systemdNotifier({ helper: '/nowhere', log, env: {} })
  t.notOk(notifier.active)
  notifier.ready()
  notifier.watch(() => true)
  notifier.close()
})

t.test('the helper refuses what is no socket', async (t) => {
  const run = async (args: string[], env: Record<string, string>): Promise<number> => {
    const child = spawn(helper, args, { env, stdio: 'ignore' })
    return (await once(child, 'exit'))[0] as number
  }
  t.equal(await run([], {}), 2)
  t.equal(await run(['--what'], {}), 2)
  t.equal(await run([], { NOTIFY_SOCKET: 'relative' }), 1)
  t.equal(await run([], { NOTIFY_SOCKET: `/${'x'.repeat(200)}` }), 1)
})

t.test('the unit is closed as tightly as is promised', async (t) => {
  const unit = resolve('systemd/pbxd.service')
  const found = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit], { encoding: 'utf8' })
  if (found.error) return void t.pass('measured', { skip: 'systemd-analyze is not on this machine' })
  t.equal(found.status, 0, 'an exposure of 2.0 or better')
  t.comment(/Overall exposure.*?: (\S+)/.exec(found.stdout)?.[0] ?? '')
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  t.notMatch(verified.stderr, /Unknown|invalid|Failed to parse/i, 'systemd knows every key')
})
