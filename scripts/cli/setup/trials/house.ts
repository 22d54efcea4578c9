/** Tests of what is in the house: phones, modems, the backup, the state of the box. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../../../daemon/schema/config.ts'
import type { LineView } from '../../../../daemon/schema/operation.ts'
import type { Context } from '../../command.ts'
import { tried, type Trial, type Verdict } from '../step.ts'

const askMs = 500
/** A phone that has just been set up may still be on its way. */
const phoneMs = 10_000

export function phones({ extensions }: Config): Trial[] {
  const [first] = extensions
  if (first === undefined) return []
  return [
    {
      name: 'A phone',
      byHand: `pbx phones add ${first.number}, or enter the settings from the sheet; then pbx lines`,
      ask: async (questions) =>
        (await questions.ready(`Set up phone ${first.number} as on the sheet, then press Enter`)) ? first.number : null,
      run: (context) => registered(context, first.number),
    },
  ]
}

async function registered({ client }: Context, number: string): Promise<Verdict> {
  const asked = await client()
  for (const deadline = performance.now() + phoneMs; ;) {
    const all = (await asked.get<LineView[]>('/api/lines')).filter(({ kind }) => kind === 'extension')
    const up = all.filter(({ ok }) => ok).map(({ id }) => id)
    if (up.length > 0 && (up.includes(number) || performance.now() > deadline)) {
      const missing = all.filter(({ ok }) => !ok).map(({ id }) => id)
      return { ok: true, text: `registered: ${up.join(' ')}${missing.length === 0 ? '' : `; not yet: ${missing.join(' ')}`}` }
    }
    if (performance.now() > deadline) {
      return {
        ok: false,
        text: 'no phone is registered',
        fix: `compare server, user and password of ${number} with the sheet; pbx lines bans lists banned addresses`,
      }
    }
    await pause(askMs)
  }
}

export function modems({ lines }: Config): Trial[] {
  return lines.map(({ id }) => ({
    name: `The modem of ${id}`,
    byHand: `pbx modem test ${id}`,
    ask: async (questions) => ((await questions.yes('Test the modem and listen for the dial tone?', true)) ? id : null),
    run: (context) => tried(context, ['modem', 'test', id], 'see the result above; pbx modem scan lists the connected modems'),
  }))
}

export function copy({ backup }: Config): Trial[] {
  if (backup.recoveryKey === undefined) return []
  return [
    {
      name: 'A backup',
      byHand: 'pbx backup',
      ask: async (questions) => ((await questions.yes('Make a backup now?', true)) ? '' : null),
      run: (context) => tried(context, ['backup'], 'see the reason above'),
    },
  ]
}

export const look: Trial = {
  name: 'The box as a whole',
  byHand: 'pbx status --check',
  run: (context) => tried(context, ['status', '--check'], 'follow the lines "fix" above, then run pbx status --check'),
}
