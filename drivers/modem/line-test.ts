/** Tries out a modem that waits for calls: whether it answers, what it is, whether its line gives a dial tone. */
import type { FaxLineTest } from '../fax.ts'
import type { AtSession } from './at-session.ts'

const dialToneMs = 10_000

/** Leaves the modem off hook and out of its fax class. */
export async function testLine(session: AtSession, answerMs: number, speed: number): Promise<FaxLineTest> {
  const answered = (await session.command('AT', answerMs)).code === 'ok'
  if (!answered) return { answered, identification: [], classes: '', dialTone: 'unknown', levels: null }
  const identification: string[] = []
  for (const command of ['ATI0', 'ATI3', 'AT+GMM']) {
    const { code, lines } = await session.command(command, answerMs)
    if (code === 'ok') identification.push(...lines.filter((line) => !identification.includes(line)))
  }
  const classes = (await session.command('AT+FCLASS=?', answerMs)).lines.join(' ')
  await session.command('AT+FCLASS=0', answerMs)
  await session.command('ATX4', answerMs)
  // Dials nothing: with X4 the modem waits for the dial tone first, and with ; it stays with its commands afterwards.
  const { code } = await session.command('ATDT;', answerMs + dialToneMs / speed)
  const dialTone = code === 'ok' ? 'heard' : code === 'no-dialtone' ? 'none' : 'unknown'
  return { answered, identification, classes, dialTone, levels: null }
}
