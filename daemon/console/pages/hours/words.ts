/** What the page of opening times says. */
import { words } from '../../frame/words.ts'

export const say = words({
  en: {
    closed: 'Closed',
    closedUntil: 'Closed until {time}',
    discard: 'Discard',
    hours: 'Opening times',
    hoursOf: 'Opening times: {name}',
    how: 'Saved times are in use at once, and no call is touched. To open or close for today alone, use the switch at the top.',
    keepMine: 'Save mine',
    none: 'There are no opening times yet. A technician adds them on the page Config; then they can be changed here.',
    open: 'Open',
    openUntil: 'Open until {time}',
    save: 'Save',
    saved: 'The opening times of {name} are saved and in use.',
    takeTheirs: 'Show theirs',
    theirs: 'Somebody else has saved other times since you began. Saving yours replaces them.',
  },
  es: {
    closed: 'Cerrado',
    closedUntil: 'Cerrado hasta {time}',
    discard: 'Descartar',
    hours: 'Horario',
    hoursOf: 'Horario: {name}',
    how: 'El horario guardado se aplica al momento, sin afectar a ninguna llamada. Para abrir o cerrar solo hoy, use el botón de arriba.',
    keepMine: 'Guardar el mío',
    none: 'Todavía sin horario. Un técnico lo añade en la página Configuración; después se puede cambiar aquí.',
    open: 'Abierto',
    openUntil: 'Abierto hasta {time}',
    save: 'Guardar',
    saved: 'El horario de {name} se ha guardado y está en uso.',
    takeTheirs: 'Ver el otro',
    theirs: 'Otra persona ha guardado otro horario desde que usted empezó. Si guarda el suyo, lo reemplaza.',
  },
})
