/** What the driver costs while nothing happens: node test/gsm/at-rest.ts [seconds]. The modem is simulated in another process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createGsmTrunk } from '../../drivers/gsm/modem.ts'
import { SimModemHost } from '../../drivers/sim/gsm/host.ts'
import { build, ptyProgram, silent } from './rig.ts'

export interface AtRest {
  /** Of one core. */
  readonly cpuPercent: number
  readonly residentMiB: number
  /** By which the driver, its packages and its port made the process grow. */
  readonly grownMiB: number
}

/** With the times of every day: health every 30 s, memories every 60 s. */
export async function measureAtRest(seconds: number): Promise<AtRest> {
  await build()
  const modem = fork(import.meta.filename, ['modem'])
  const [device] = (await once(modem, 'message')) as [string]
  const before = process.memoryUsage.rss()
  const trunk = createGsmTrunk({ id: 'gsm0', number: '', log: silent, device, baudRate: 115_200, reports: true })
  const ready = Promise.withResolvers<void>()
  trunk.start({
    received: async () => undefined,
    report: async () => undefined,
    statusChanged: () => trunk.status().ok && ready.resolve(),
  })
  await ready.promise
  const cpu = process.cpuUsage()
  const since = performance.now()
  await new Promise((done) => setTimeout(done, seconds * 1000))
  const used = process.cpuUsage(cpu)
  const elapsed = performance.now() - since
  const resident = process.memoryUsage.rss()
  await trunk.stop()
  modem.disconnect()
  await once(modem, 'exit')
  const mebibyte = 1024 * 1024
  return {
    cpuPercent: (used.user + used.system) / 10 / elapsed,
    residentMiB: resident / mebibyte,
    grownMiB: (resident - before) / mebibyte,
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'modem') {
    const host = new SimModemHost({ ptyProgram })
    process.once('disconnect', () => void host.close())
    await host.plug()
    process.send?.(await host.open())
  } else console.log(await measureAtRest(Number(process.argv[2] ?? 60)))
}
