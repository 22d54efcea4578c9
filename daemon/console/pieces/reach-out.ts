/** To answer somebody: to take the call, to call back, where the own phone rings first, by text, or by fax. Numbers never stand in an address. */
import { Fault, send } from '../frame/api.ts'
import { done } from '../frame/deeds.ts'
import { draft } from '../frame/drafts.ts'
import { sentence } from '../frame/faults.ts'
import { go } from '../frame/router.ts'
import { me } from '../frame/session.ts'
import { words } from '../frame/words.ts'

/** What is said of calls that a page begins. */
export const sayReach = words({
  en: {
    callBack: 'Call back',
    noPhone: 'You have no phone in the configuration, so there is nothing to ring first.',
    rings: 'Your phone {extension} rings first.',
    take: 'Take',
    takes: 'Your phone rings: pick up',
    text: 'Text',
  },
  es: {
    callBack: 'Devolver la llamada',
    noPhone: 'No tiene teléfono en la configuración, así que ninguno puede sonar primero.',
    rings: 'Primero suena su teléfono {extension}.',
    take: 'Tomar',
    takes: 'Su teléfono suena: descuelgue',
    text: 'Mensaje',
  },
})

export async function callBack(number: string): Promise<void> {
  const extension = me.value?.extension ?? null
  if (extension === null) return done(sayReach('noPhone'))
  try {
    await send('POST', '/api/pbx/calls/start', { extension, to: number })
    done(sayReach('rings', { extension }))
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
}

/** The own phone rings, and the person who lifts it has the caller. */
export async function takeCall(callId: string): Promise<void> {
  if ((me.value?.extension ?? null) === null) return done(sayReach('noPhone'))
  try {
    await send('POST', `/api/pbx/calls/${callId}/take`, {})
    done(sayReach('takes'))
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
}

/** The number with whom a text is begun, until the page of texts takes it. */
export const textTo = () => draft('texts:to', '')
/** The number to which a fax is begun, until the dialog takes it; undefined for none. */
export const faxTo = () => draft<string | undefined>('faxes:to', undefined)

/** What the page of calls looks for: a part of a name or a number. */
export const callsWith = () => draft('calls:q', '')

export function writeText(number: string): void {
  textTo().value = number
  go('/texts')
}

export function faxBack(number: string): void {
  faxTo().value = number
  go('/faxes')
}

export function showCalls(of: string): void {
  callsWith().value = of
  go('/calls?list=all')
}
