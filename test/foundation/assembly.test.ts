/** Parts as one: what they give is looked at together, and they start, drain and stop in order. */
import t from 'tap'
import { createAssembly } from '../../daemon/assembly.ts'
import { ApiError } from '../../daemon/base/errors.ts'
import { Health, type CodedWarning } from '../../daemon/base/health.ts'
import { createLog } from '../../daemon/base/log.ts'
import { Metrics } from '../../daemon/base/metrics.ts'
import { Registry } from '../../daemon/base/registry.ts'
import type { Part } from '../../daemon/part.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })

function house(parts: readonly Part[], registries: readonly Registry<{ a: number; b: number }>[] = []) {
  const clock = new FakeClock()
  const health = new Health(() => clock.now())
  const metrics = new Metrics()
  const assembly = createAssembly({ registries, health, metrics, clock, log })
  return { clock, health, metrics, assembly, start: () => assembly.start(parts) }
}

t.test('parts start in order, all drain before one stops, and they stop in reverse', async (t) => {
  const happened: string[] = []
  const part = (name: string): Part => ({
    name,
    start: async () => void happened.push(`start ${name}`),
    drain: () => void happened.push(`drain ${name}`),
    stop: async (drainMs) => void happened.push(`stop ${name} ${drainMs}`),
  })
  const { assembly, start } = house([part('store'), { name: 'silent' }, part('calls')])
  await start()
  await assembly.stop(20)
  t.same(happened, ['start store', 'start calls', 'drain store', 'drain calls', 'stop calls 20', 'stop store 20'])
})

t.test('nothing starts where somebody is missing, and the fault names all who are', async (t) => {
  const started: string[] = []
  const registry = new Registry<{ a: number; b: number }>('taker of the letter', ['a', 'b'])
  const { start } = house([{ name: 'sip', start: () => void started.push('sip') }], [registry])
  await t.rejects(start(), { message: 'nobody is the taker of the letter a, b' })
  registry.add('b', 2)
  await t.rejects(start(), { message: 'nobody is the taker of the letter a' })
  t.throws(() => registry.get('b'), /before the start/, 'nobody is asked before all are there')
  t.same(started, [])
  registry.add('a', 1)
  await start()
  t.same([started, registry.get('a'), registry.find('b'), registry.find('c')], [['sip'], 1, 2, undefined])
  t.throws(() => registry.add('a', 3), /comes too late/)
})

t.test('what all parts are asked for they are asked for once they run, in their order', async (t) => {
  const told: string[] = []
  const part = (name: string): Part => ({
    name,
    reconfigured: () => void told.push(`${name} reconfigured`),
    stepped: (ms) => void told.push(`${name} ${ms}`),
  })
  const { assembly, start } = house([part('a'), part('b')])
  assembly.reconfigured()
  t.same([told, assembly.parts], [[], []])
  await start()
  assembly.reconfigured()
  assembly.stepped(5)
  t.same(told, ['a reconfigured', 'b reconfigured', 'a 5', 'b 5'])
})

t.test('a warning goes when its part names it no more, and no other with it', async (t) => {
  const fault = (code: string): CodedWarning => ({ code, severity: 'error', text: code, fix: 'pbx doctor' })
  let now = [fault('trunk-a'), fault('trunk-b')]
  const { assembly, health, clock, start } = house([
    { name: 'trunks', warnings: () => now },
    { name: 'disk', warnings: () => [fault('disk')] },
  ])
  const codes = () => health.warnings().map(({ code }) => code)
  await start()
  t.same(codes(), [])
  clock.advance(1000)
  t.same(codes(), ['trunk-a', 'trunk-b', 'disk'])
  health.warn('said once', { severity: 'notice', text: 'said once', fix: '' })
  now = [fault('trunk-b')]
  clock.advance(5000)
  t.same(codes(), ['trunk-b', 'disk', 'said once'])
  await assembly.stop(0)
  now = []
  clock.advance(5000)
  t.same(codes(), ['trunk-b', 'disk', 'said once'], 'nobody looks any more')
})

t.test('every queue is measured, those of parts to come too', async (t) => {
  const { assembly, metrics, clock, start } = house([
    { name: 'a', queues: () => [{ name: 'a', title: 'things', waiting: 3, oldestAt: clock.now() - 2000 }] },
    { name: 'b', queues: () => [{ name: 'b', title: 'others', waiting: 0, oldestAt: null, dead: 1 }] },
  ])
  await start()
  const { content } = await metrics.text()
  for (const line of ['pbx_queue_waiting{queue="a"} 3', 'pbx_queue_waiting{queue="b"} 0', 'pbx_queue_oldest_seconds{queue="a"} 2'])
    t.ok(content.includes(line), line)
  t.same(
    assembly.queues().map(({ title }) => title),
    ['things', 'others'],
  )
})

t.test('one sweep an hour takes every part in turn, and a fault of one keeps nobody else from it', async (t) => {
  const swept: string[] = []
  let ended = (): void => undefined
  const turn = () => new Promise<void>((resolve) => (ended = resolve))
  const sweep = (what: string) => ({ what, sweep: async () => swept.push(what) })
  const { assembly, clock, start } = house([
    { name: 'a', sweeps: [sweep('calls'), { what: 'broken', sweep: () => Promise.reject(new Error('no disk')) }] },
    { name: 'b', sweeps: [sweep('texts'), { what: 'last', sweep: async () => (ended(), 0) }] },
  ])
  await start()
  for (const ms of [10_000, 3_600_000, 3_600_000]) {
    const over = turn()
    clock.advance(ms)
    await over
    await new Promise(setImmediate)
  }
  t.same(swept, ['calls', 'texts', 'calls', 'texts', 'calls', 'texts'])
  await assembly.stop(0)
})

t.test('a part that the disk keeps from starting is named, keeps nobody else from starting, and is tried until it has', async (t) => {
  for (const fault of [
    Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
    Object.assign(new Error('permission denied'), { code: 'EACCES' }),
    Object.assign(new Error('listen ENOSPC /run/pbxd/pbxd.sock'), { code: 'ENOSPC', port: -1 }),
    new ApiError('storage_full', 'The storage is full.'),
    new ApiError('internal', 'The store cannot write.', { cause: new Error('EIO') }),
  ]) {
    let broken = true
    const started: string[] = []
    const spool: Part = {
      name: 'spool',
      start: async () => {
        if (broken) throw fault
        started.push('spool')
      },
    }
    const { clock, health, assembly, start } = house([spool, { name: 'sip', start: () => void started.push('sip') }])
    await start()
    t.same(started, ['sip'], fault.message)
    t.match(health.warnings(), [{ code: 'start-spool', severity: 'error', text: /spool did not start/, fix: /df -h/ }])
    t.match(health.missing(), [/start of spool/])
    clock.advance(3000)
    await new Promise(setImmediate)
    t.same(started, ['sip'], 'still')
    broken = false
    clock.advance(3000)
    await new Promise(setImmediate)
    t.same(started, ['sip', 'spool'])
    t.same(health.warnings(), [])
    t.same(health.missing(), [])
    await assembly.stop(0)
  }
})

t.test('any other fault ends the start, and what had begun', async (t) => {
  for (const fault of [
    Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', port: 8080 }),
    Object.assign(new Error('listen EACCES 0.0.0.0:80'), { code: 'EACCES', port: 80 }),
    new TypeError('an internal fault'),
  ]) {
    const happened: string[] = []
    const first: Part = { name: 'first', start: () => void happened.push('start'), stop: () => void happened.push('stop') }
    const { assembly, start } = house([first, { name: 'doors', start: () => Promise.reject(fault) }])
    await t.rejects(start(), fault)
    t.same(happened, ['start', 'stop'], fault.message)
  }
})
