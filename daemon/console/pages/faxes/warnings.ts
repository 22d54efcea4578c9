/** What the box says of a page that will not be as it is in the PDF. It says so in English; another language says what is meant. */
import type { FaxWarningKind } from '../../../schema/fax.ts'
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

/** By which words the box means which. A kind that is missing here does not compile. */
const kinds: Readonly<Record<FaxWarningKind, RegExp>> = {
  fonts: /: drawn with another font/,
  notes: /: has notes for the screen only/,
  open: /: its content ends too early/,
  sheets: /: longer than 22 inches/,
  attached: /^Files attached to/,
  order: /^The files of the portfolio/,
}

export function warningText(warning: string): string {
  if (language.value === 'en') return warning
  const kind = (Object.keys(kinds) as FaxWarningKind[]).find((one) => kinds[one].test(warning)) ?? 'other'
  // Of a file in a portfolio the name stands before the page.
  const [, file, n = ''] = /^(?:(.*), )?page (\d+):/i.exec(warning) ?? []
  const page = n === '' ? '' : say('page', { n })
  return say(kind, { where: file === undefined ? page : `${file}, ${page}` })
}
