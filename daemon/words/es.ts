/** Spanish, with the formal address. */
import type { Words } from './en.ts'
import { clockTime, day, sentences, spelled, type LocalTime } from './form.ts'

const keys: Readonly<Record<string, string>> = { '*': 'asterisco', '#': 'almohadilla' }

function time({ hour, minute }: LocalTime): string {
  if (hour === 12 && minute === 0) return 'al mediodía'
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const part = hour < 6 ? 'de la madrugada' : hour < 12 ? 'de la mañana' : hour < 20 ? 'de la tarde' : 'de la noche'
  return `${twelve === 1 ? 'a la' : 'a las'} ${twelve}${minute === 0 ? '' : ` y ${minute}`} ${part}`
}

export const spanish: Words = {
  tag: 'es-ES',

  prompts: {
    apology: 'Lo sentimos, se ha producido un error técnico. Adiós.',
    nobody: 'Lo sentimos, en este momento nadie puede atender su llamada. Llame de nuevo más tarde. Adiós.',
    'not-in-service': 'El número que ha marcado no está en servicio. Adiós.',
    'one-moment': 'Un momento, por favor.',
  },

  codes: {
    doNotDisturbOn: 'No molestar está activado.',
    doNotDisturbOff: 'No molestar está desactivado.',
    forwardAll: (number) => `Todas las llamadas se desvían a ${number}.`,
    forwardAllOff: 'Las llamadas ya no se desvían.',
    forwardBusy: (number) => `Cuando la línea está ocupada, las llamadas se desvían a ${number}.`,
    forwardBusyOff: 'Las llamadas ya no se desvían cuando la línea está ocupada.',
    forwardNoAnswer: (number) => `Cuando nadie contesta, las llamadas se desvían a ${number}.`,
    forwardNoAnswerOff: 'Las llamadas ya no se desvían cuando nadie contesta.',
    numberMissing: 'Marque el código seguido de un número.',
    numberRefused: 'Las llamadas no se pueden desviar a este número.',
    lastCaller: (number) => `La última llamada fue de ${number}. Para devolverla, pulse 1.`,
    noLastCaller: 'No hay última llamada, o su número estaba oculto.',
    noCallBack: 'No se puede devolver la llamada a este número.',
    queueIn: 'Ha iniciado sesión en sus colas.',
    queueOut: 'Ha cerrado sesión en sus colas.',
    noQueue: 'Este teléfono no pertenece a ninguna cola.',
    parkedAt: (number) => `Llamada aparcada en el ${number}.`,
    nothingRings: 'Allí no suena ninguna llamada.',
    echo: 'Después del tono oirá su propia voz. Cuelgue para terminar la prueba.',
    isOpen: 'Está abierto. Para cerrar hoy, pulse 2. Para el horario habitual, pulse 3.',
    isClosed: 'Está cerrado. Para abrir hoy, pulse 1. Para el horario habitual, pulse 3.',
    openToday: 'Está abierto hasta el final del día.',
    closedToday: 'Está cerrado hasta el final del día.',
    byCalendar: 'Se aplica el horario habitual.',
    noHours: 'No existe ese horario.',
  },

  phones: {
    parked: (slot) => `Aparcada ${slot}`,
    queue: () => 'Cola',
  },

  recording: {
    recorded: 'Esta llamada se está grabando.',
    begun: 'La llamada se graba a partir de ahora.',
    ended: 'La llamada ya no se graba.',
    failed: 'La llamada no se puede grabar.',
  },

  menus: {
    wrongChoice: 'Esa no es una de las opciones.',
  },

  groups: {
    offer: (group) => `Una llamada para ${group}. Pulse 1 para aceptarla.`,
  },

  queues: {
    position: (before) =>
      before === 0
        ? 'Su llamada es la siguiente.'
        : before === 1
          ? 'Hay una llamada antes que la suya.'
          : `Hay ${before} llamadas antes que la suya.`,
    wait: (minutes) =>
      minutes === 1 ? 'La espera es de un minuto aproximadamente.' : `La espera es de ${minutes} minutos aproximadamente.`,
    leave: (key) => `Si no desea esperar, pulse ${keys[key] ?? key}.`,
    callBack: (key) => `Si desea que le llamemos sin perder su turno, pulse ${keys[key] ?? key}.`,
    willCall: 'Le llamaremos cuando sea su turno. Adiós.',
    back: (site) => `Le llama ${site || 'el servicio que pidió'}. Para hablar con nosotros, pulse 1.`,
  },

  mailbox: {
    extension: (number) => `La extensión ${number}`,
    greeting: (owner) => `${owner} no puede atender su llamada. Por favor, deje un mensaje después de la señal.`,
    afterTone: 'Por favor, deje un mensaje después de la señal.',
    saved: 'Su mensaje se ha guardado.',
    goodbye: 'Adiós.',
    full: 'Lo sentimos, en este momento no se pueden dejar mensajes. Llame de nuevo más tarde. Adiós.',
    notRecorded: 'Lo sentimos, no se ha podido grabar su mensaje. Llame de nuevo más tarde. Adiós.',
  },

  mailboxMenu: {
    enterBox: 'Introduzca el número del buzón y pulse almohadilla.',
    enterPin: 'Introduzca su PIN y pulse almohadilla.',
    wrongPin: 'No es correcto.',
    locked: 'Este buzón está bloqueado durante una hora. Adiós.',
    closed: 'Este buzón no se puede abrir desde este teléfono. Adiós.',
    counts: (fresh, old) => `Mensajes nuevos: ${fresh}. Mensajes escuchados: ${old}.`,
    from: (caller, when) => `Mensaje de ${caller}, ${when}.`,
    withheld: 'un número oculto',
    noMore: 'No hay más mensajes.',
    noEarlier: 'Este era el primer mensaje.',
    deleted: 'Borrado. Para recuperarlo, pulse 7.',
    restored: 'Recuperado.',
    saved: 'Guardado.',
    options: 'Para oírlo de nuevo, pulse 5. Siguiente mensaje, 6. Borrar, 7. Guardar, 9. Para todas las opciones, pulse 0.',
    help: 'Cinco segundos atrás, 1. Devolver la llamada, 2. Cinco segundos adelante, 3. Mensaje anterior, 4. Repetir, 5. Siguiente, 6. Borrar o recuperar, 7. Copia a otro buzón, 8. Guardar, 9. Saludo y PIN, asterisco. Para terminar, pulse almohadilla.',
    noCallBack: 'El número estaba oculto.',
    notCallable: 'No se puede devolver la llamada a este número.',
    settingsHint: 'Para el saludo o el PIN, pulse asterisco. Para terminar, pulse almohadilla.',
    enterForward: 'Introduzca el número del buzón que recibirá una copia y pulse almohadilla.',
    noSuchBox: 'Ese buzón no existe.',
    forwarded: 'La copia está en camino.',
    settings: 'Su saludo, 1. El saludo cuando la línea está ocupada, 2. Su PIN, 3. Atrás, asterisco.',
    greetingMenu: 'Para oír el saludo, 1. Grabarlo, 2. Borrarlo, 3. Atrás, asterisco.',
    noGreeting: 'No se grabó ninguno. Quien llama oye el texto habitual.',
    recordNow: 'Hable después de la señal y termine con almohadilla.',
    tooShort: 'Ha sido demasiado corto.',
    keepGreeting: 'Para conservarlo, 1. Para grabarlo de nuevo, 2. Para dejarlo todo como estaba, asterisco.',
    greetingKept: 'El saludo está guardado.',
    greetingDeleted: 'Borrado. Quien llama oye el texto habitual.',
    notKept: 'No se pudo guardar. Todo sigue como estaba.',
    newPin: 'Introduzca el nuevo PIN, de 4 a 10 cifras, y pulse almohadilla.',
    newPinAgain: 'Introdúzcalo otra vez y pulse almohadilla.',
    pinForm: 'Un PIN tiene de 4 a 10 cifras.',
    pinDiffers: 'Los dos PIN no coinciden. Su PIN no ha cambiado.',
    pinSet: 'Su nuevo PIN está guardado.',
    goodbye: 'Adiós.',
  },

  emergency: {
    extension: (number, name) => (name === '' ? `extensión ${number}` : `extensión ${number}, ${name}`),
    subject: (number, extension) => `LLAMADA DE EMERGENCIA al ${number} desde la ${extension}`,
    title: 'LLAMADA DE EMERGENCIA',
    shown: (name) => `EMERGENCIA ${name}`,
    said: (number, extension, place) => `Llamada de emergencia al ${number} desde la ${extension}, ${place}.`,
    from: (extension) => `De: ${extension}`,
    dialled: (number) => `Número marcado: ${number}`,
    where: (place) => `Lugar: ${place}`,
    noPlace: 'sin configurar',
    when: (when) => `Cuándo: ${when}`,
    call: (id) => `Llamada: ${id}`,
  },

  alarms: {
    time: (at, zone) => clockTime('es-ES', at, zone),
    test: (rule) => `Prueba de la alarma ${rule}`,
    testText: (rule, site) => `Esta es una prueba de la alarma ${rule} del sistema telefónico de ${site}.`,
    nothingToDo: 'No hay ninguna avería y no hay que hacer nada.',
    testBrief: (rule, site) => `${site}: prueba de la alarma ${rule}. No hay ninguna avería.`,
    fault: (text) => `AVERÍA: ${text}`,
    over: (text) => `Resuelto: ${text}`,
    overBrief: (text) => `RESUELTO: ${text}`,
    more: (count) => ` (y ${count} más)`,
    severity: 'Gravedad:',
    severities: { error: 'error', warning: 'advertencia', notice: 'aviso' },
    since: 'Desde:',
    until: 'Hasta:',
    fix: 'Solución:',
    head: (site) => `Sistema telefónico de ${site}:`,
    hand: 'Si usted se ocupa de ello, ejecute "pbx alarms ack" en el equipo. Después no se avisará a nadie más.',
    rule: (rule) => `Regla de alarma: ${rule}`,
    brief: (site, faults) => `${site}, teléfonos: ${faults}`,
    sinceTime: (text, time) => `${text} (desde ${time})`,
    untilTime: (text, time) => `${text} (hasta ${time})`,
    hello: (site) => `Le llama el sistema telefónico de ${site}.`,
    saidTest: (rule) => `Esta es una prueba de la alarma ${rule}. No hay ninguna avería.`,
    saidEnd: 'Ya no hay ninguna avería.',
    saidFaults: (count) => (count === 1 ? 'Hay una avería.' : `Hay ${count} averías.`),
    saidMore: (count) => (count === 1 ? 'Hay otra más.' : `Hay ${count} más.`),
    takeInHand: 'Si usted se ocupa de ello, pulse 1.',
    confirm: 'Para confirmar, pulse 1.',
    taken: 'Gracias. Usted se ocupa de ello.',
  },

  notices: {
    voicemail: (whom) => `Mensaje de voz para ${whom}`,
    fax: (whom) => `Fax para ${whom}`,
    text: (whom) => `SMS para ${whom}`,
    missed: (whom) => `Llamada perdida para ${whom}`,
    missedSeveral: (count, whom) => `${count} llamadas perdidas para ${whom}`,
    by: (caller) => ` de ${caller}`,
    for: (whom) => `Para: ${whom}`,
    from: (caller) => `De: ${caller}`,
    when: (when) => `Cuándo: ${when}`,
    length: (length) => `Duración: ${length}`,
    pages: (count) => `Páginas: ${count}`,
    pictures: (count) => `Imágenes: ${count}`,
    incomplete: 'El fax está incompleto: la llamada se cortó.',
    withheld: 'número oculto',
    transcript: 'Transcripción:',
    noTranscript: 'No se entendió nada.',
    body: 'Texto:',
    tooLarge: 'La grabación es demasiado grande para adjuntarla.',
    faxTooLarge: 'El fax es demasiado grande para adjuntarlo.',
    pictureTooLarge: 'La imagen es demasiado grande para adjuntarla.',
    pictureLost: 'No se pudo obtener la imagen del proveedor.',
  },

  reminderCall: {
    when: (moment) => `el ${day('es-ES', moment)}, ${time(moment)}`,
    number: spelled,
    opening: ({ name, clinic, number, when, service, staff }) =>
      sentences(
        name === '' ? 'Hola.' : `Hola, ${name}.`,
        `Le llama ${clinic}${number === '' ? '' : `, ${number},`} para recordarle su cita ${when}.`,
        service === '' ? '' : `Es para ${service}.`,
        staff === '' ? '' : `Le atenderá ${staff}.`,
      ),
    confirm: 'Para confirmar, pulse 1.',
    cancel: 'Para cancelar, pulse 2.',
    reschedule: 'Para pedir otra hora, pulse 3.',
    reception: 'Para hablar con recepción, pulse 0.',
    again: 'Para escucharlo otra vez, pulse 9.',
    optOut: 'Para no recibir más estas llamadas, pulse asterisco.',
    sure: 'Para cancelar su cita, pulse 2 otra vez.',
    kept: 'Su cita no se ha cancelado.',
    wrongKey: 'Esa tecla no tiene función aquí.',
    confirmed: 'Gracias. Su cita está confirmada. Adiós.',
    canceled: 'Gracias. Hemos anotado que cancela su cita. Adiós.',
    rescheduled: 'Gracias. Hemos anotado que necesita otra hora y nos pondremos en contacto con usted. Adiós.',
    optedOut: 'No volveremos a llamar a este número con recordatorios. Adiós.',
    toReception: 'Espere, por favor. Le comunicamos con recepción.',
    nobodyThere: 'En este momento nadie puede atenderle en recepción.',
    goodbye: 'Adiós.',
    message: (clinic, number, optOut) =>
      sentences(
        `Hola. Le llama ${clinic} para recordarle una cita.`,
        number === '' ? 'Por favor, llámenos.' : `Por favor, llámenos al ${number}.`,
        optOut && number !== '' ? 'Para no recibir más estas llamadas, llame al mismo número.' : '',
        'Gracias. Adiós.',
      ),
  },

  reminderText: ({ name, clinic, number, date, time: at }) =>
    `${clinic}: ${name === '' ? 'Le' : `Hola ${name}, le`} recordamos su cita el ${date} ${at.startsWith('1:') ? 'a la' : 'a las'} ${at}.` +
    `${number === '' ? '' : ` Para cambiarla, llame al ${number}.`} Responda STOP para no recibir más mensajes.`,

  faxCover: { to: 'Para', faxNumber: 'Número de fax', from: 'De', subject: 'Asunto', date: 'Fecha', pages: 'Páginas' },

  faxReceipt: {
    title: 'Comprobante de fax',
    to: 'Para',
    before: 'Primer intento',
    station: 'Respondió como',
    from: 'De',
    accepted: 'Aceptado',
    ended: 'Terminado',
    pages: 'Páginas',
    result: 'Resultado',
    printed: (person, time) => `Impreso por ${person}, ${time}`,
    ofPages: (sent, all) => `${sent} de ${all}`,
    results: { sent: 'Enviado: la otra máquina confirmó cada página', failed: 'No enviado', canceled: 'Cancelado', open: 'Sin terminar' },
  },

  understood: {
    optOut: [
      'ALTO',
      'PARAR',
      'PARE',
      'DETENER',
      'BASTA',
      'BAJA',
      'DARSE DE BAJA',
      'DARME DE BAJA',
      'CANCELAR',
      'SALIR',
      'FIN',
      'NO MAS',
      'REVOCAR',
    ],
    start: ['INICIAR', 'INICIO', 'COMENZAR', 'EMPEZAR'],
    help: ['AYUDA'],
    cancel: ['CANCELAR'],
    end: ['FIN'],
  },
}
