/** Calls that one side gives up at a moment of their set-up, before, while or after the other side answers. */
import { pause, type Box } from './box.ts'
import { check } from './cell.ts'

/** The next call to us, which we answer after `answerMs` and `giveUp` ends after `moment` milliseconds. */
export async function givenUpByThem(
  box: Box,
  moment: number,
  answerMs: number,
  giveUp: () => Promise<unknown>,
): Promise<{ leg: number; reason: string }> {
  const invite = await box.engine.next('invite')
  const leg = invite['leg'] as number
  const timers = [
    setTimeout(() => box.engine.send('progress', { leg, code: 180 }), 30),
    setTimeout(() => box.engine.send('answer', { leg }), answerMs),
  ]
  await pause(moment)
  await giveUp()
  const end = await box.engine.next('ended', { leg }, 10_000)
  timers.forEach(clearTimeout)
  check(end['by'] === 'remote', `given up by it after ${moment} ms: ended by ${end['by']}, ${end['reason']} ${end['text']}`)
  return { leg, reason: String(end['reason']) }
}

/** A call of ours that we give up; its reason. */
export async function givenUpByUs(box: Box, leg: number, moment: number): Promise<string> {
  await pause(moment)
  const end = await box.hangUp(leg, 10_000)
  check(end['by'] === 'local', `given up by us after ${moment} ms: ended by ${end['by']}, ${end['reason']} ${end['text']}`)
  return String(end['reason'])
}

/** What became of some such calls, by the reasons of their ends. */
export const tally = (reasons: readonly string[]): string =>
  `${reasons.filter((one) => one === 'canceled').length} canceled, ${reasons.filter((one) => one === 'hangup').length} answered and ended`
