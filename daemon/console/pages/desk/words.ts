/** What the Desk says. */
import { words } from '../../frame/words.ts'

export const say = words({
  en: { todo: 'To do', nothing: 'Nothing is left undone.' },
  es: { todo: 'Pendiente', nothing: 'No queda nada pendiente.' },
})
