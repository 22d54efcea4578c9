/** What the matrix is made of: features, peers, and cells, each of which is a real call of a feature with a peer. */

export const peers = ['sipp', 'baresip', 'Kamailio', 'Asterisk'] as const
export type Peer = (typeof peers)[number]

/** In the order of the table. */
export const features = {
  registration: 'registration, digest',
  tcp: 'TCP',
  tls: 'TLS, certificate verified',
  srtp: 'TLS and SRTP',
  srv: 'SRV, first target dead',
  'tls-failover': 'SRV over TLS, first target dead',
  address: 'name with port (A)',
  proxy: 'outbound proxy',
  accounts: 'two accounts',
  did: 'dialled number in To',
  ipv6: 'IPv6',
  pcmu: 'PCMU, levels',
  pcma: 'PCMA, levels',
  g722: 'G.722, levels',
  early: 'early media',
  prack: 'PRACK',
  update: 'UPDATE',
  'hold-sendonly': 'hold, sendonly',
  'hold-inactive': 'hold, inactive',
  'hold-zero': 'hold, 0.0.0.0',
  'our-hold': 'hold by us',
  direct: 'direct media and back',
  'timer-refreshed': 'session timer refreshed',
  'timer-out': 'session timer runs out',
  causes: 'hang-up causes',
  cancel: 'CANCEL at ten moments',
  'two-phones': 'two phones on a number',
} as const
export type Feature = keyof typeof features

export interface Cell {
  readonly feature: Feature
  readonly peer: Peer
  /** Gives what was seen; throws what was not as it should be, or `Skipped`. */
  run(): Promise<string>
}

/** It cannot be tried on this machine, or this peer cannot do it; the message says why. */
export class Skipped extends Error {}

export function check(good: boolean, what: string): asserts good {
  if (!good) throw new Error(what)
}

/** Something to be closed at the end of a cell, last opened first. */
export class Kept {
  readonly #open: { close(): unknown }[] = []

  keep<T extends { close(): unknown }>(thing: T): T {
    this.#open.push(thing)
    return thing
  }

  async close(): Promise<void> {
    for (const thing of this.#open.splice(0).toReversed()) await thing.close()
  }
}

/** Runs `play` and closes whatever it kept, however it ends. */
export async function keeping<T>(play: (kept: Kept) => Promise<T>): Promise<T> {
  const kept = new Kept()
  try {
    return await play(kept)
  } finally {
    await kept.close()
  }
}
