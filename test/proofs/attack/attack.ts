/**
 * What an attack is. An area is a file of this folder: the attacks that share one fresh box. An attack plays a hostile host, caller,
 * application or token holder, says in one line what it saw, and whether the box stood. Everything stays on this machine: other
 * hosts are addresses 127.x.y.z.
 */
import type { DaemonOptions } from '../../harness/daemon.ts'
import type { Scene } from '../../harness/scene.ts'

export interface Verdict {
  /** What came of it, with its figures: `0 of 300 frames from elsewhere, 300 of 300 of the caller`. */
  readonly seen: string
  /** True: the attacker got nothing. */
  readonly stood: boolean
}

/** What cannot be played on this machine, with the reason: no such program, no such right. */
export interface Skipped {
  readonly skipped: string
}

export interface Attack {
  /** What the attacker does, as a short phrase: `14 RTP packets to every port, foreign address`. */
  readonly name: string
  /** Plays it. May open more daemons of its own; closes what it opened. An exception counts as fallen. */
  play(box: Scene): Promise<Verdict | Skipped>
}

export interface Area {
  /** One word, the name on the command line: `media`. */
  readonly name: string
  /** Changes the configuration of the area's box, as `DaemonOptions.settings` does. */
  readonly settings?: (settings: any) => void
  /** How the area's box is started, where that is not as everywhere. */
  readonly start?: Pick<DaemonOptions, 'compiled' | 'env' | 'nodeArguments'>
  /** In the order in which they are played; one after the other, since they share the box. */
  readonly attacks: readonly Attack[]
}

/** A verdict from the figures that must be zero: `none({ 'foreign frames': 3 }, '300 frames in all')`. */
export function none(figures: Readonly<Record<string, number>>, rest = ''): Verdict {
  const seen = Object.entries(figures).map(([what, count]) => `${count} ${what}`)
  return { seen: [...seen, ...(rest === '' ? [] : [rest])].join(', '), stood: Object.values(figures).every((count) => count === 0) }
}
