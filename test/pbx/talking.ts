/** A box whose phones call each other, and whose calls can be taken by whom the test says. */
import type { Test } from 'tap'
import type { Call } from '../../daemon/calls/call.ts'
import { Box } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'

export type HouseBox = Box & {
  /** Takes the next calls in place of the dial plan. */
  replacing: ((call: Call) => Promise<void>) | null
}

export async function houseBox(t: Test, numbers: readonly string[], more: Record<string, unknown> = {}): Promise<HouseBox> {
  const extensions = numbers.map((number) => ({ number, password, name: `Desk ${number}`, class: 'local' }))
  const box = Object.assign(await Box.open(t, { channels: 5, more: { extensions, inbound: [], ...more } }), { replacing: null }) as HouseBox
  await box.driver.start({
    inbound: (call) => void (box.replacing === null ? box.routing.inbound.take(call) : box.routing.inbound.takeFor(call, box.replacing)),
    statusChanged: () => undefined,
  })
  return box
}
