/** The lamps of phones: each subscription goes to the server of its kind. A further kind is a further server. */
import type { Lamp, LampOwner } from '../../../drivers/pbx.ts'
import type { Watched } from './dialog-lamps.ts'
import type { MailboxesElsewhere } from './message-lamps.ts'

export interface LampServer {
  /** Shows the state at once, and from then on. null: there is nothing of that name to be watched. */
  watch(lamp: Lamp): LampOwner | null
}

export type LampServers = Readonly<Partial<Record<Lamp['kind'], LampServer>>>

/** Phones and mailboxes of other sites. */
export interface RemoteLamps extends Watched, MailboxesElsewhere {
  /** `ofMessages`: the counts of that mailbox are others, too. */
  onChange(tell: (number: string, ofMessages: boolean) => void): void
}

const dark: LampOwner = { refreshed: () => undefined, ended: () => undefined }

/** All lamps that are lit, whatever serves them. */
export class Lamps {
  readonly #servers: LampServers
  readonly #lit = new Set<Lamp>()

  constructor(servers: LampServers) {
    this.#servers = servers
  }

  /** For `onLamp` of the driver. */
  light(lamp: Lamp): LampOwner {
    const server = this.#servers[lamp.kind]
    if (server === undefined) {
      lamp.end('rejected')
      return dark
    }
    const owner = server.watch(lamp)
    if (owner === null) {
      lamp.end('noresource')
      return dark
    }
    this.#lit.add(lamp)
    return {
      refreshed: () => owner.refreshed(),
      ended: () => {
        this.#lit.delete(lamp)
        owner.ended()
      },
    }
  }

  /** This program ends: phones subscribe again at once, and find the next one. */
  stop(): void {
    for (const lamp of this.#lit) lamp.end('deactivated')
    this.#lit.clear()
  }
}
