/** What is said of queues and of those who wait in them, the same on the Desk, on the page of queues and on the wall. */
import type { QueueMemberView, QueueView } from '../../schema/queues.ts'
import { words } from '../frame/words.ts'

export type Patience = 'calm' | 'amber' | 'red'

/** Amber after so many seconds, red after twice as many. `since`: ISO 8601. */
export function patience(since: string, now: number, waitSeconds: number): Patience {
  const seconds = (now - Date.parse(since)) / 1000
  return seconds >= 2 * waitSeconds ? 'red' : seconds >= waitSeconds ? 'amber' : 'calm'
}

const atWork: readonly QueueMemberView['state'][] = ['free', 'ringing', 'talking', 'wrapping up', 'on the telephone']

/** Whether a member takes calls, now or after the one that it is in. */
export const isAtWork = ({ state }: Pick<QueueMemberView, 'state'>): boolean => atWork.includes(state)

export const sayQueue = words({
  en: {
    allPause: 'Nobody takes calls at the moment: callers wait.',
    late: 'long wait',
    nobody: 'No member is there: callers are sent away.',
    nobodyGoes: 'No member is there: calls go to {where}.',
    tooLate: 'very long wait',
    toExtension: 'phone {number}',
    toFax: 'the fax',
    toHangup: 'the end of the call',
    toOutside: '{number}',
    toVoicemail: 'voicemail {number}',
  },
  es: {
    allPause: 'Nadie atiende en este momento: quienes llaman esperan.',
    late: 'espera larga',
    nobody: 'No hay nadie: se despide a quienes llaman.',
    nobodyGoes: 'No hay nadie: las llamadas van a {where}.',
    tooLate: 'espera muy larga',
    toExtension: 'el teléfono {number}',
    toFax: 'el fax',
    toHangup: 'el final de la llamada',
    toOutside: 'el {number}',
    toVoicemail: 'buzón {number}',
  },
})

/** A destination of the configuration, such as voicemail:100, as people say it. */
export function placeText(destination: string): string {
  const [, kind = '', rest = ''] = /^([a-z]+):(.*)$/.exec(destination) ?? []
  if (/^\d+$/.test(destination)) return sayQueue('toExtension', { number: destination })
  if (destination === 'fax') return sayQueue('toFax')
  if (destination === 'hangup') return sayQueue('toHangup')
  if (kind === 'voicemail') return sayQueue('toVoicemail', { number: rest })
  return kind === 'external' ? sayQueue('toOutside', { number: rest }) : rest || destination
}

/** Why nobody takes the calls of a queue; '' while somebody does. */
export function nobodyText({ members, empty, whenEmpty }: Pick<QueueView, 'members' | 'empty' | 'whenEmpty'>): string {
  if (empty) return whenEmpty === '' ? sayQueue('nobody') : sayQueue('nobodyGoes', { where: placeText(whenEmpty) })
  return members.some(isAtWork) ? '' : sayQueue('allPause')
}
