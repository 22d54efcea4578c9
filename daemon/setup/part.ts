/** The first set-up of the box on a page. */
import { realDevice, serialDevices, probe } from '../../drivers/modem/probe.ts'
import type { Core } from '../core.ts'
import type { Part } from '../part.ts'
import type { SetupLine } from '../schema/setup.ts'
import { SetupDesk } from './desk.ts'
import { setupRoutes } from './routes.ts'

export function setupPart({ config, configuration, store }: Core): Part {
  const lines = (): Promise<readonly SetupLine[]> => freeLines(config.lines.flatMap(({ device }) => device ?? []))
  return { name: 'setup', routes: setupRoutes(new SetupDesk({ config, desk: configuration?.desk, store, lines })) }
}

/** `used`: devices of lines that are there. */
async function freeLines(used: readonly string[]): Promise<readonly SetupLine[]> {
  const taken = new Set(used.map(realDevice))
  const found = await Promise.all(
    serialDevices()
      .filter((device) => !taken.has(realDevice(device)))
      .map(async (device) => ({ device, ...(await probe(device)) })),
  )
  return found
    .filter(({ kind, roles }) => kind === 'modem' && roles.length > 0)
    .map(({ device, identification, roles, dialTone }) => ({
      ...{ device, identification: identification.slice(0, 2).join(', ') },
      ...{ roles: [...roles], dialTone },
    }))
}
