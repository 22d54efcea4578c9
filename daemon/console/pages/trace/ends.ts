/** How a call ended, and by whom: the names that programs compare, in the language of the person. */
import type { EndedBy, EndReason } from '../../../schema/states.ts'
import { words } from '../../frame/words.ts'

const reasons = words<EndReason>({
  en: {
    'caller-hangup': 'the caller hung up',
    'callee-hangup': 'the called side hung up',
    'app-hangup': 'the application hung up',
    'document-end': 'the application had nothing more to do',
    'routed-ended': 'the talk ended',
    'forwarded-ended': 'the forwarded call ended',
    api: 'ended by a person or a program',
    'app-error': 'the application failed',
    'max-duration': 'the longest time was reached',
    'media-timeout': 'no sound arrived any more',
    'no-answer': 'nobody answered',
    busy: 'busy',
    rejected: 'declined',
    unreachable: 'not reachable',
    'no-route': 'no way leads there',
    canceled: 'canceled before an answer',
    failed: 'failed',
    shutdown: 'the box was stopped',
  },
  es: {
    'caller-hangup': 'colgó quien llamaba',
    'callee-hangup': 'colgó quien atendía',
    'app-hangup': 'colgó la aplicación',
    'document-end': 'la aplicación no tenía más que hacer',
    'routed-ended': 'terminó la conversación',
    'forwarded-ended': 'terminó la llamada desviada',
    api: 'la terminó una persona o un programa',
    'app-error': 'falló la aplicación',
    'max-duration': 'se alcanzó la duración máxima',
    'media-timeout': 'dejó de llegar sonido',
    'no-answer': 'nadie contestó',
    busy: 'ocupado',
    rejected: 'rechazada',
    unreachable: 'no se pudo llegar',
    'no-route': 'ningún camino lleva allí',
    canceled: 'anulada antes de responder',
    failed: 'falló',
    shutdown: 'se detuvo el equipo',
  },
})

const by = words<EndedBy>({
  en: { caller: 'by the caller', callee: 'by the called side', app: 'by the application', system: 'by the box' },
  es: { caller: 'por quien llamaba', callee: 'por quien atendía', app: 'por la aplicación', system: 'por el equipo' },
})

const has = <K extends string>(of: { readonly catalogue: { readonly en: Readonly<Record<K, unknown>> } }, name: string): name is K =>
  Object.hasOwn(of.catalogue.en, name)

export const reasonOfEnd = (reason: string): string => (has(reasons, reason) ? reasons(reason) : reason)

/** `busy, by the called side`; who hung up is said already. */
export function endText(reason: string, who: string): string {
  const whom = who === '' || reason.endsWith('-hangup') ? '' : `, ${has(by, who) ? by(who) : who}`
  return `${reasonOfEnd(reason)}${whom}`
}
