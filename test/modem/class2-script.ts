/** Calls over modems of class 2 with a modem that follows a script: the state machines alone, no port and no clock. */
import type { FaxLineResult, FaxProgress } from '../../drivers/fax.ts'
import { dialects, type Class2 } from '../../drivers/modem/class2/dialects.ts'
import type { Answer, Class2Call, Effect, ReplyCode } from '../../drivers/modem/class2/effects.ts'
import type { SendOrder } from '../../drivers/modem/class2/send-call.ts'
import { standardClass2 } from '../../drivers/modem/quirks.ts'

export function order(faxClass: Class2, more: Partial<SendOrder> = {}): SendOrder {
  const terms = {
    dialect: dialects[faxClass],
    quirks: standardClass2,
    able: { vr: 1, br: 5, ec: 2 },
    rtscts: true,
    stationId: '+1555100',
    ecm: true,
    rate: 5,
  }
  return { ...terms, answerMs: 3000, carrierSeconds: 60, digits: '200', firstPage: 0, hasStandard: true, ...more }
}

/** What the modem says to a command (or, with '', behind data): its lines, and the result last. */
export type Said = readonly [command: RegExp | '', ...lines: string[]]

const codes: Readonly<Record<string, ReplyCode>> = {
  OK: 'ok',
  ERROR: 'error',
  CONNECT: 'connect',
  'NO CARRIER': 'no-carrier',
  BUSY: 'busy',
  'NO ANSWER': 'no-answer',
  RING: 'ring',
}

export interface Played {
  readonly result: FaxLineResult
  readonly commands: string[]
  readonly sent: Uint8Array[]
  readonly progress: FaxProgress[]
  readonly effects: Effect[]
}

/** Commands that the dialogue does not name are answered OK. Looks: what comes out of the reading of each page. */
export function play(
  machine: Class2Call,
  dialogue: readonly Said[],
  world: { pages?: number; looks?: readonly [number, number][]; stopAt?: RegExp } = {},
): Played {
  const { pages = 2, looks = [], stopAt } = world
  const left = [...dialogue]
  const judged = [...looks]
  const played: Omit<Played, 'result'> = { commands: [], sent: [], progress: [], effects: [] }
  let stopped = false
  const answer = (effect: Effect): Answer => {
    played.effects.push(effect)
    switch (effect.do) {
      case 'command':
      case 'result': {
        const text = effect.do === 'command' ? effect.text : ''
        if (text !== '') played.commands.push(text)
        if (stopAt?.test(text) === true) stopped = true
        const at = left.findIndex(([command]) => (command === '' ? text === '' : text !== '' && command.test(text)))
        const lines = at === 0 || (at > 0 && text !== '') ? (left.splice(at, 1)[0]!.slice(1) as string[]) : ['OK']
        const last = lines.at(-1)!
        return { of: 'reply', code: codes[last] ?? 'timeout', text: last, lines: lines.slice(0, -1), seconds: 5, stopped }
      }
      case 'send':
        played.sent.push(effect.bytes)
        return { of: 'sent', how: 'done', stopped }
      case 'receive':
        return { of: 'page', data: Uint8Array.of(1, 2, 3), how: 'whole', stopped }
      case 'encode':
        return {
          of: 'encoded',
          stopped,
          ...(effect.page < pages ? { code: 0, data: Uint8Array.of(effect.page, 0x10) } : { code: 42, data: new Uint8Array() }),
        }
      case 'read': {
        const [rows, badRows] = judged.shift() ?? [1000, 0]
        return { of: 'look', rows, badRows, stopped }
      }
      case 'keep':
        return { of: 'kept', kept: true, stopped }
      case 'progress':
        played.progress.push(effect.progress)
        return { of: 'nothing', stopped }
      default:
        return { of: 'nothing', stopped }
    }
  }
  let step = machine.next()
  while (step.done !== true) step = machine.next(answer(step.value))
  return { ...played, result: step.value }
}
