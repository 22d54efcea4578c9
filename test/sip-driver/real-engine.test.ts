import t from 'tap'
import { createSocket } from 'node:dgram'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createSipDriver } from '../../drivers/sip/driver.ts'
import { configuration, Phone, until } from './stage.ts'

const enginePath = join(import.meta.dirname, '../../.cache/engine/pbx-engine')
const skip = existsSync(enginePath) ? false : 'pbx-engine is not built'

t.test('pbx-engine itself greets, listens, survives being killed, and stops', { skip }, async (t) => {
  const logged: string[] = []
  const log = (_: object, text: string): void => void logged.push(text)
  const driver = createSipDriver({
    enginePath,
    configure: { ...configuration, trunks: [], rtpPorts: [20_000, 20_100] },
    log: { debug: log, info: log, warn: log, error: log },
  })
  t.teardown(() => driver.stop())
  const phone = new Phone()
  await driver.start(phone)
  t.ok(driver.health().ok, driver.health().reason)
  t.match(driver.bound().udp, /^127\.0\.0\.1:\d+$/)
  t.match(driver.lines(), [{ id: '101', state: 'not registered' }])
  const pid = Number(driver.health().facts['pid'])
  const leg = driver.dial({ via: { kind: 'extension' }, to: '101', from: '102', callerName: '', timeoutSeconds: 5 })
  const ends: unknown[] = []
  leg.onEvent = (event) => event.type === 'ended' && ends.push(event.end)
  await until(() => ends.length === 1)
  t.match(ends, [{ by: String, sipCode: Number }], 'nobody is registered')
  process.kill(pid, 'SIGKILL')
  const killed = Date.now()
  await until(() => !driver.health().ok)
  await until(() => driver.health().ok)
  t.comment(`back after ${Date.now() - killed} ms`)
  const again = Number(driver.health().facts['pid'])
  t.not(again, pid)
  await driver.stop()
  t.throws(() => process.kill(again, 0))
})

t.test('a port that another program still holds is bound as soon as it is free', { skip }, async (t) => {
  const other = createSocket('udp4')
  await new Promise<void>((resolve) => other.bind(0, '127.0.0.1', resolve))
  const { port } = other.address()
  const logged: string[] = []
  const log = (_: object, text: string): void => void logged.push(text)
  const driver = createSipDriver({
    enginePath,
    configure: { ...configuration, udp: `127.0.0.1:${port}`, trunks: [], rtpPorts: [20_200, 20_300] },
    log: { debug: log, info: log, warn: log, error: log },
  })
  t.teardown(() => driver.stop())
  await driver.start(new Phone())
  t.match(driver.health(), { ok: false, reason: /udp: .*in use/i }, 'with no other listener there are no calls')
  t.match(driver.closedListeners(), [{ part: 'udp', text: /in use/ }])
  await new Promise((resolve) => setTimeout(resolve, 1200))
  t.equal(logged.filter((line) => /in use/i.test(line)).length, 1, 'said once')
  other.close()
  await until(() => driver.health().ok)
  t.equal(driver.bound().udp, `127.0.0.1:${port}`)
  t.same(driver.closedListeners(), [])
})
