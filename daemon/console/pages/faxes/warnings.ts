/** What the box says of a page that will not be as it is in the PDF. It says so in English; another language says what is meant. */
import { foreign } from '../../pieces/Number.tsx'
import { language, words } from '../../frame/words.ts'

const say = words({
  en: {
    attached: 'Files that are attached to the PDF are not faxed.',
    fonts: '{where}: drawn with another font, because the PDF lacks its own.',
    notes: '{where}: has notes for the screen only; they are not faxed.',
    open: '{where}: its content ends too early. Check that the page is complete.',
    order: 'The files of the portfolio are faxed one after the other.',
    other: 'A page will not be as it is in the PDF.',
    page: 'Page {n}',
    sheets: '{where}: longer than 22 inches, sent as several sheets.',
  },
  es: {
    attached: 'Los archivos adjuntos al PDF no se envían.',
    fonts: '{where}: se dibuja con otra fuente, porque el PDF no trae la suya.',
    notes: '{where}: tiene notas solo para la pantalla; no se envían.',
    open: '{where}: su contenido termina antes de tiempo. Compruebe que la página esté completa.',
    order: 'Los archivos de la cartera se envían uno tras otro.',
    other: 'Una página no saldrá como está en el PDF.',
    page: 'Página {n}',
    sheets: '{where}: mide más de 22 pulgadas y se envía en varias hojas.',
  },
})

const kinds = [
  [/drawn with another font/, 'fonts'],
  [/notes for the screen only/, 'notes'],
  [/content ends too early/, 'open'],
  [/longer than 22 inches/, 'sheets'],
  [/^Files attached to/, 'attached'],
  [/^The files of the portfolio/, 'order'],
] as const

export function warningText(warning: string): string {
  if (language.value === 'en') return foreign(warning)
  const kind = kinds.find(([sign]) => sign.test(warning))?.[1] ?? 'other'
  const n = /page (\d+)/i.exec(warning)?.[1]
  return say(kind, { where: n === undefined ? '' : say('page', { n }) })
}
