/** A box as it is after its first start: without phones, trunks or endpoints. */
import type { Test } from 'tap'
import { Daemon } from './daemon.ts'

export async function fresh(t: Test): Promise<Daemon> {
  const daemon = await Daemon.create({
    app: 'http://127.0.0.1:9',
    trunkPort: 9,
    settings: (base) => {
      for (const key of ['trunks', 'extensions', 'voice', 'inbound', 'auth', 'callbacks']) delete base[key]
    },
  })
  await daemon.start()
  t.teardown(() => daemon.close())
  return daemon
}
