/** The cells of the matrix whose other end is not ours: HylaFAX, mgetty with sendfax, efax behind iaxmodem; a daemon on this side. */
import { withHylafax, withIaxmodem, withMgetty, type BothWays, type Exchange } from '../../fax-peers/cells.ts'
import { whyNot, type PeerName } from '../../fax-peers/packages.ts'
import type { Cell, Outcome } from './matrix.ts'

const outcome = ({ pages, same, bitRate, ecm, resolution, seconds }: Exchange): Outcome => ({
  good: same === pages,
  pages: `${same} of ${pages}`,
  how: `${bitRate} bit/s, ${ecm ? 'ECM' : 'no ECM'}, ${resolution}`,
  seconds,
})

/** Both ways are one run of the peer, which the first of the two cells begins. */
function both(transport: string, peer: PeerName, name: string, what: readonly [string, string], play: () => Promise<BothWays>): Cell[] {
  let played: Promise<BothWays | string> | null = null
  const run = async (of: (both: BothWays) => Exchange): Promise<Outcome> => {
    played ??= whyNot(peer).then<BothWays | string>((reason) => (reason === false ? play() : reason))
    const result = await played
    return typeof result === 'string' ? { good: true, left: result, pages: '-', how: '', seconds: 0 } : outcome(of(result))
  }
  return [
    { transport, from: 'box', to: name, what: what[0], run: () => run((both) => both.out) },
    { transport, from: name, to: 'box', what: what[1], run: () => run((both) => both.in) },
  ]
}

export const peerCells = (): Cell[] => [
  ...both('modem, class 1', 'hylafax', 'HylaFAX', ['2 slips', '2 pages'], withHylafax),
  ...both('modem, class 2', 'mgetty', 'mgetty', ['2 slips', '1 page'], () => withMgetty(4, '0/2')),
  ...both('modem, class 2.0', 'mgetty', 'mgetty', ['2 slips', '1 page'], () => withMgetty(4, '0/2.0')),
  ...both('iaxmodem', 'iaxmodem', 'efax', ['1 slip', '1 page'], withIaxmodem),
]
