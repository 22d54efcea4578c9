/** Is it on the network, how well, and whose? (3GPP TS 27.007 7.2, 8.5, 7.3) */
import type { AtChannel } from './at-channel.ts'
import { valuesOf } from './lines.ts'

export interface Health {
  readonly registration: 'home' | 'roaming' | 'searching' | 'refused'
  /** dBm; null where the modem does not know. */
  readonly signal: number | null
  readonly operator: string
}

const registrations: Readonly<Record<string, Health['registration']>> = { 1: 'home', 5: 'roaming', 6: 'home', 7: 'roaming', 3: 'refused' }

/** Null where the modem did not answer. */
export async function readHealth(at: AtChannel): Promise<Health | null> {
  const states: Health['registration'][] = []
  // The circuit-switched network first; modems on LTE alone answer only to the second.
  for (const name of ['+CREG', '+CEREG']) {
    const { code, lines } = await at.command(`AT${name}?`)
    if (code === 'timeout' || code === 'closed') return null
    // One value alone is a notice that got in between.
    const answer = valuesOf(
      lines.filter((line) => line.includes(',')),
      name,
    )
    states.push(registrations[answer?.[1] ?? ''] ?? 'searching')
    if (states.at(-1) === 'home' || states.at(-1) === 'roaming') break
  }
  const registration =
    states.find((state) => state !== 'searching' && state !== 'refused') ?? (states.includes('refused') ? 'refused' : 'searching')
  const quality = await at.command('AT+CSQ')
  if (quality.code === 'timeout' || quality.code === 'closed') return null
  const level = Number(valuesOf(quality.lines, '+CSQ')?.[0] ?? 99)
  const operator = await at.command('AT+COPS?')
  return {
    registration,
    signal: level >= 0 && level <= 31 ? -113 + 2 * level : null,
    operator: (valuesOf(operator.lines, '+COPS')?.[2] ?? '').slice(0, 64),
  }
}
