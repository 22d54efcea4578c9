/** What is said of calls that a page begins. */
import { words } from '../frame/words.ts'

export const sayReach = words({
  en: {
    callBack: 'Call back',
    noPhone: 'You have no phone in the configuration, so there is nothing to ring first.',
    rings: 'Your phone {extension} rings first.',
    text: 'Text',
  },
  es: {
    callBack: 'Devolver la llamada',
    noPhone: 'No tiene teléfono en la configuración, así que ninguno puede sonar primero.',
    rings: 'Primero suena su teléfono {extension}.',
    text: 'Mensaje',
  },
})
