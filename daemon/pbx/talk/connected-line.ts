/** What the phones of the house show: the present partner, where that is another than the one they called, or who called them. */
import type { Leg } from '../../../drivers/line.ts'
import { pbxLeg } from '../../../drivers/pbx.ts'
import type { Call } from '../../calls/call.ts'
import { otherSide, type Side } from './hold-machine.ts'
import type { Participant } from './party.ts'

export class ConnectedLine {
  /** The number that a phone shows. */
  readonly #shown = new WeakMap<Leg, string>()

  /** These two talk from now on, in this call. */
  tell({ row }: Pick<Call, 'row'>, sides: Readonly<Record<Side, Participant>>): void {
    for (const side of ['own', 'far'] as const) {
      const leg = pbxLeg(sides[side].leg)
      if (leg === null || sides[side].party.extension === '') continue
      const { number, name } = sides[otherSide(side)].party
      // A phone that is rung is shown who calls.
      const before = this.#shown.get(leg) ?? (side === 'own' && row.direction === 'inbound' ? row.to : number)
      this.#shown.set(leg, number)
      if (before !== number) leg.connected({ number, name })
    }
  }
}
