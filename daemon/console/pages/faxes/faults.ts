/** What the box refuses of a fax, in the language of the person. */
import type { Fault } from '../../frame/api.ts'
import { sentence } from '../../frame/faults.ts'
import { language, words } from '../../frame/words.ts'

const known = words({
  en: {
    attachment_too_large: 'The file is larger than 20 MB. Send it in parts.',
    body_too_large: 'The file is larger than 20 MB. Send it in parts.',
    being_sent: 'The fax is being sent at this moment.',
    daily_limit: 'Today’s limit of faxes is reached.',
    destination_denied: 'This number may not be faxed.',
    fax_repeated: 'The same document went to this number within the last hour.',
    media_expired: 'The document is no longer kept. Choose the file again.',
    no_fax_line: 'No line can send faxes. Your technician can set one up.',
    number_invalid: 'This is not a telephone number.',
    number_unconfirmed: 'Type the number a second time, as it is above.',
    pdf_encrypted: 'The PDF is protected by a password. Save it without one, then choose it again.',
    pdf_too_many_pages: 'The PDF has more than 200 pages. Send it in parts.',
    pdf_unreadable: 'This file cannot be faxed. Print it to a PDF, then choose that.',
    preview_stale: 'The cover was drawn for another number. It is drawn again.',
    preview_unknown: 'It is more than an hour since the file was chosen. Choose it again.',
    storage_full: 'The disk of the box is full.',
  },
  es: {
    attachment_too_large: 'El archivo supera los 20 MB. Envíelo en partes.',
    body_too_large: 'El archivo supera los 20 MB. Envíelo en partes.',
    being_sent: 'El fax se está enviando en este momento.',
    daily_limit: 'Se ha alcanzado el límite de faxes de hoy.',
    destination_denied: 'No se permite enviar faxes a este número.',
    fax_repeated: 'El mismo documento ya se envió a este número en la última hora.',
    media_expired: 'El documento ya no se conserva. Elija el archivo de nuevo.',
    no_fax_line: 'Ninguna línea puede enviar faxes. Su técnico puede configurar una.',
    number_invalid: 'Esto no es un número de teléfono.',
    number_unconfirmed: 'Escriba el número por segunda vez, igual que arriba.',
    pdf_encrypted: 'El PDF está protegido con contraseña. Guárdelo sin ella y elíjalo de nuevo.',
    pdf_too_many_pages: 'El PDF tiene más de 200 páginas. Envíelo en partes.',
    pdf_unreadable: 'Este archivo no se puede enviar por fax. Imprímalo como PDF y elija ese.',
    preview_stale: 'La portada era para otro número. Se dibuja de nuevo.',
    preview_unknown: 'Pasó más de una hora desde que eligió el archivo. Elíjalo de nuevo.',
    storage_full: 'El disco del equipo está lleno.',
  },
})
const codes: readonly string[] = [
  ...['attachment_too_large', 'body_too_large', 'being_sent', 'daily_limit', 'destination_denied', 'fax_repeated', 'media_expired'],
  ...['no_fax_line', 'number_invalid', 'number_unconfirmed', 'pdf_encrypted', 'pdf_too_many_pages', 'pdf_unreadable', 'preview_stale'],
  ...['preview_unknown', 'storage_full'],
]

/** The box's own sentence is more exact where a PDF cannot be read. */
export function faultText(fault: Fault): string {
  const exact = fault.code === 'pdf_unreadable' && language.value === 'en' && fault.message !== ''
  return codes.includes(fault.code) && !exact ? known(fault.code as Parameters<typeof known>[0]) : sentence(fault)
}
