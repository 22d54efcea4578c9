/** A box with the queue `nurses`, whose line is played. */
import type { Test } from 'tap'
import type { StandInLeg } from '../../fax/stand-in-driver.ts'
import { Box } from '../../routing/stage.ts'

export const password = 'Pa55word-Pa55word'
export const numbers = ['101', '102', '103', '104']

export async function open(t: Test, queue: Record<string, unknown> = {}, other: Record<string, unknown> = {}): Promise<Box> {
  const queues = [{ id: 'nurses', members: ['101', '102'], onEmpty: '104', onTimeout: '104', wrapUpSeconds: 0, ...queue }]
  const more = {
    inbound: [{ trunk: '*', to: '*', destination: 'queue:nurses' }],
    extensions: numbers.map((number) => ({ number, password })),
    queues,
    ...other,
  }
  const box = await Box.open(t, { channels: 9, more })
  await box.driver.start({ inbound: (call) => void box.routing.inbound.take(call), statusChanged: () => undefined })
  return box
}

export async function call(box: Box, changes: Parameters<Box['driver']['call']>[0] = {}): Promise<StandInLeg> {
  const caller = box.driver.call(changes)
  await box.quiet()
  return caller
}

export async function pass(box: Box, seconds: number): Promise<void> {
  for (let n = 0; n < seconds * 2; n += 1) {
    box.clock.advance(500)
    await box.quiet()
  }
}
