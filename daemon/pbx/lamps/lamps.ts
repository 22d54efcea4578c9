/** The lamps of phones: each subscription goes to whoever serves its kind. A further kind is a further server. */
import type { Lamp, LampOwner } from '../../../drivers/pbx.ts'

export interface LampServer {
  /** Shows the state at once, and from then on. null: there is nothing of that name to be watched. */
  watch(lamp: Lamp): LampOwner | null
}

export type LampServers = Readonly<Partial<Record<Lamp['kind'], LampServer>>>

const dark: LampOwner = { refreshed: () => undefined, ended: () => undefined }

/** For `onLamp` of the driver. */
export function lampOwner(servers: LampServers): (lamp: Lamp) => LampOwner {
  return (lamp) => {
    const server = servers[lamp.kind]
    if (server === undefined) {
      lamp.end('rejected')
      return dark
    }
    const owner = server.watch(lamp)
    if (owner !== null) return owner
    lamp.end('noresource')
    return dark
  }
}
