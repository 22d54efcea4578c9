/**
 * What the checks of the configuration say, as whole sentences: the box's English one, in which `<a>` stands for a value, and the Spanish one.
 * A test holds the first ones against the checks, so that none is missing.
 */
import type { Sentence } from '../../frame/words.ts'
import { lineSentences } from './fault-lines.ts'

const box: readonly Sentence[] = [
  ['give this box an id, too: box.id', 'Dé también un id a este equipo: box.id.'],
  [
    'programs poll box <a> (box.inbox), so that box has to collect',
    'Los programas preguntan al equipo <a> (box.inbox), así que debe recoger ese equipo.',
  ],
  ['the site "<a>" needs api and token', 'La sede "<a>" necesita api y token.'],
  ['its box is asked by its web port: api and token are needed', 'Se pregunta a su equipo por el puerto web: hacen falta api y token.'],
  [
    'it is never asked: crm.baseUrl names a CRM, which knows the callers',
    'Nunca se le pregunta: crm.baseUrl nombra un CRM, que conoce a quien llama.',
  ],
  ['one directory has one owner: another site has it already', 'Un directorio tiene un solo dueño: ya lo es otra sede.'],
  ['a caFile needs transport: tls, or an api of https', 'Un caFile necesita transport: tls, o un api de https.'],
  [
    'the site "<a>" has the same address: over TCP and TLS nobody would know which of them calls',
    'La sede "<a>" tiene la misma dirección: por TCP y TLS no se sabría cuál de las dos llama.',
  ],
  ['"<a>" is this box', '"<a>" es este mismo equipo.'],
  ['<a> cannot be read: <b>', 'No se puede leer <a>: <b>'],
  ['the file cannot be read: <a>', 'No se puede leer el archivo: <a>'],
  ['the file nests values more than <a> levels deep', 'El archivo anida valores a más de <a> niveles.'],
  [
    'put *<a> in quotes: "*<b>"; without them * names another value of the file',
    'Escriba *<a> entre comillas: "*<b>"; sin ellas, * nombra otro valor del archivo.',
  ],
  [
    'put a value that begins with ! in quotes; without them ! names a kind of value',
    'Escriba entre comillas un valor que empieza por !; sin ellas, ! nombra un tipo de valor.',
  ],
  ['the file repeats values by * too often; write them out', 'El archivo repite valores con * demasiadas veces; escríbalos.'],
  ['the value is not valid: <a>', 'El valor no es válido: <a>'],
  ['crm.<a> is not used by this version', 'Esta versión no usa crm.<a>.'],
  [
    'the credential "<a>" exists only if systemd <b>',
    'La credencial "<a>" solo existe si systemd inicia el programa con LoadCredential=; escriba { file: RUTA }.',
  ],
  ['the secret cannot be read from <a>: the file does not exist', 'No se puede leer el secreto de <a>: el archivo no existe.'],
  ['the secret cannot be read from <a>: this user may not read it', 'No se puede leer el secreto de <a>: este usuario no tiene permiso.'],
  ['the secret cannot be read from <a>: <b>', 'No se puede leer el secreto de <a>: <b>'],
  ['the file <a> is empty', 'El archivo <a> está vacío.'],
  [
    '<a>the secret is empty; write at least <b>, for example from: <c>',
    '<a>El secreto está vacío; escriba al menos <b> caracteres, por ejemplo de: <c>',
  ],
  [
    '<a>a secret of <b> is easy to guess; write at least <c>, for example from: <d>',
    '<a>Un secreto tan corto es fácil de adivinar; escriba al menos <c> caracteres, por ejemplo de: <d>',
  ],
]

const calls: readonly Sentence[] = [
  ['an endpoint cannot be its own fallback', 'Una aplicación no puede ser su propia alternativa.'],
  [
    'a rule is either for calls from a trunk or for calls from an extension; write two rules',
    'Una regla es para llamadas de una troncal o de una extensión; escriba dos reglas.',
  ],
  [
    'the line <a> is for faxes only; write roles: [fax, voice] there, or fax here, or hangup to let its calls ring',
    'La línea <a> es solo para faxes; escriba allí roles: [fax, voice], o aquí fax, o hangup para que suenen.',
  ],
  [
    'fax: off has no effect here: all calls of this rule are faxes; leave it out, or write another destination',
    'fax: off no tiene efecto aquí: todas las llamadas de esta regla son faxes; quítelo o escriba otro destino.',
  ],
  ['faxes can be received here, but not sent: fax.line is off', 'Aquí se reciben faxes, pero no se envían: fax.line está en off.'],
  [
    'the line <a> is not for faxes; write roles: [fax] there, or another line or trunk here',
    'La línea <a> no es para faxes; escriba allí roles: [fax], o aquí otra línea o troncal.',
  ],
  [
    '"<a>" is not a number; write it as <b>, a beginning as <c>, or * for any',
    '"<a>" no es un número; escríbalo como <b>, un comienzo como <c>, o * para cualquiera.',
  ],
  [
    '"<a>" is not a destination; write <b>',
    '"<a>" no es un destino; escriba por ejemplo 101, group:ID, queue:ID, menu:ID, hours:ID o voicemail:EXT.',
  ],
  ['there <a> "<b>"; none is configured', 'No existe "<b>": no hay nada de esa clase en la configuración.'],
  ['calls would go round in a loop: <a>', 'Las llamadas darían vueltas sin fin: <a>'],
  ['calls would go from <a> to <b> endlessly; write another destination', 'Las llamadas irían de <a> a <b> sin fin; escriba otro destino.'],
  ['"<a>" is not a key; write 0 to 9, "*" or "#"', '"<a>" no es una tecla; escriba de 0 a 9, "*" o "#".'],
  ['the menu has no choices; write keys, or dialExtensions: true', 'El menú no tiene opciones; escriba keys, o dialExtensions: true.'],
  ['"<a>" is already the code of <b>; write another one, or false', '"<a>" ya es el código de <b>; escriba otro, o false.'],
  ['it is never rung: there is no trunk', 'Nunca sonará: no hay troncal.'],
  ['it is never called: there is no trunk', 'Nunca se llamará: no hay troncal.'],
  ['<a> cannot be called without a trunk', 'Sin troncal no se puede llamar al <a>.'],
  ['"<a>" is not a valid date; write <b>, or <c>', '"<a>" no es una fecha válida; escriba <b>, o <c>.'],
  ['it overlaps with <a>; give each date once', 'Coincide con <a>; ponga cada fecha una sola vez.'],
  ['"<a>" is not a day; write <b>, or several as mon-fri', '"<a>" no es un día; escriba <b>, o varios como mon-fri.'],
  ['<a> is already in <b>; give each day once', '<a> ya está en <b>; ponga cada día una sola vez.'],
  [
    '"<a>" is not a time range; write 08:30-12:30, 22:00-06:00 or 00:00-24:00',
    '"<a>" no es un horario; escriba 08:30-12:30, 22:00-06:00 o 00:00-24:00.',
  ],
  [
    'this version can connect only to an extension: key 0 is not offered',
    'Esta versión solo puede conectar con una extensión: no se ofrece la tecla 0.',
  ],
  [
    'with the preset us-health-exempt a number is called once a day and three times a week',
    'Con us-health-exempt se llama a un número una vez al día y tres a la semana.',
  ],
  ['no trunk carries texts: write one in sms.trunks', 'Ninguna línea lleva mensajes: escriba una en sms.trunks.'],
  ['the window ends at <a>, before it begins at <b>', 'La franja termina a las <a>, antes de empezar a las <b>.'],
  ['calls are permitted only between <a> and <b>: no time is left', 'Solo se permite llamar entre las <a> y las <b>: no queda tiempo.'],
  ['calls are permitted only from <a>: calls begin then', 'Solo se permite llamar desde las <a>: se empieza entonces.'],
  ['calls are permitted only until <a>: calls end then', 'Solo se permite llamar hasta las <a>: se termina entonces.'],
]

const notices: readonly Sentence[] = [
  ['no mail is sent without the section mail', 'Sin la sección mail no se envía correo.'],
  ['nothing is attached without notify.mail', 'Sin notify.mail no se adjunta nada.'],
  ['no mail is sent without notify.mail', 'Sin notify.mail no se envía correo.'],
  ['texts need a trunk in sms.trunks', 'Los mensajes necesitan una línea en sms.trunks.'],
  ['<a>must not hold line breaks or control characters<b>', '<a>No puede tener saltos de línea ni caracteres de control<b>'],
  ['<a>must have at most <b> characters<c>', '<a>Puede tener como máximo <b> caracteres<c>'],
  ['<a>must be one address: send a mail to each<b>', '<a>Debe ser una sola dirección: envíe un correo a cada una<b>'],
  ['<a>must be one mail address<b>', '<a>Debe ser una dirección de correo<b>'],
  ['<a>must be a mail address, such as pat@example.com<b>', '<a>Debe ser una dirección de correo, como pat@example.com<b>'],
  ['the sender <a>; write for example <b>', 'El remitente no vale: <a>; escriba por ejemplo <b>'],
  ['the password is missing', 'Falta la contraseña.'],
  ['"<a>" is not a host and port; write for example <b>', '"<a>" no es un servidor y puerto; escriba por ejemplo <b>'],
  ['this rule notifies no one; write <a>', 'Esta regla no avisa a nadie; escriba mail, sms, call o webhook.'],
  ['"<a>" is not a URL; write for example <b>', '"<a>" no es una URL; escriba por ejemplo <b>'],
  ['the URL must not contain a user name or password', 'La URL no debe contener usuario ni contraseña.'],
  [
    'requests to this machine itself are refused; write callbacks: { allowLoopback: true } to permit them',
    'Se rechazan las peticiones a esta misma máquina; escriba callbacks: { allowLoopback: true } para permitirlas.',
  ],
  [
    'status callbacks to this machine itself are refused; write callbacks: { allowLoopback: true } to permit them',
    'Se rechazan los avisos de estado a esta misma máquina; escriba callbacks: { allowLoopback: true } para permitirlos.',
  ],
  [
    'The web port <a> is open to the network without TLS: others on the network can read access tokens, faxes and recordings; write <b>',
    'El puerto web <a> está abierto a la red sin TLS: otros pueden leer claves, faxes y grabaciones; escriba http.tls, o http.listen en 127.0.0.1.',
  ],
  [
    'A signature of the CRM is enough for /api/pbx, without TLS: <a>; write <b>',
    'La firma del CRM basta para /api/pbx, sin TLS: quien la intercepte puede enviar otras peticiones durante cinco minutos; escriba http.tls, crm.auth o crm.allow.',
  ],
  [
    'Mail goes to <a> without TLS: others on the network can read the password and all mail; write <b>',
    'El correo va a <a> sin TLS: otros en la red pueden leer la contraseña y todo el correo; escriba mail.tls: starttls u on.',
  ],
  [
    'requests to the CRM have neither a signature nor a token; write crm.secret or crm.token',
    'Las peticiones al CRM no llevan firma ni clave; escriba crm.secret o crm.token.',
  ],
  [
    'anyone on the network could impersonate the CRM; write crm.tls.ca instead',
    'Cualquiera en la red podría hacerse pasar por el CRM; escriba crm.tls.ca.',
  ],
  ['signed+bearer needs crm.secret', 'signed+bearer necesita crm.secret.'],
  ['"<a>" is not an address such as <b>', '"<a>" no es una dirección como <b>'],
  ['write only the address, without user, query or fragment', 'Escriba solo la dirección, sin usuario, consulta ni fragmento.'],
]

const texts: readonly Sentence[] = [
  ['a generic provider needs url, the address of its interface', 'Un proveedor genérico necesita url, la dirección de su interfaz.'],
  [
    'a generic provider needs template, which describes its requests',
    'Un proveedor genérico necesita template, que describe sus peticiones.',
  ],
  ['<a> is built in: only a generic provider has a template', '<a> ya está incluido: solo un proveedor genérico tiene template.'],
  ['Twilio needs account, the account SID (AC...)', 'Twilio necesita account, el SID de la cuenta (AC...).'],
  ['<a> needs secret, the <b> of the account', '<a> necesita secret, la clave de la cuenta.'],
  ['a request has form or json as its body, not both', 'Una petición lleva form o json, no ambos.'],
  ['texts and the secret are sent unencrypted; use https', 'Los mensajes y el secreto se envían sin cifrar; use https.'],
  [
    'without webhook.secret the box cannot check what the provider sends, and refuses all of it',
    'Sin webhook.secret el equipo no puede comprobar lo que envía el proveedor, y lo rechaza todo.',
  ],
  [
    'neither {{body}} nor {{query}} is signed: anyone with one signature could send any content',
    'No se firma {{body}} ni {{query}}: con una sola firma cualquiera podría enviar cualquier contenido.',
  ],
  [
    'a time counts only when it is signed: write timestampHeader, and {{timestamp}} in signs, or neither',
    'Una hora solo cuenta si está firmada: escriba timestampHeader y {{timestamp}} en signs, o ninguno.',
  ],
  [
    'another device may get this name after a restart; write a name under /dev/serial/by-id, or one from a udev rule',
    'Otro dispositivo puede recibir este nombre al reiniciar; escriba uno de /dev/serial/by-id o de una regla udev.',
  ],
]

const sound: readonly Sentence[] = [
  ['<a> has no sound', '<a> no tiene sonido.'],
  [
    '<a>; only WAV files can be played; convert it, for example: <b>',
    '<a>; solo se reproducen archivos WAV; conviértalo, por ejemplo: <b>',
  ],
  [
    '<a>; only WAV and Opus files can be played; convert it, for example: <b>',
    '<a>; solo se reproducen archivos WAV y Opus; conviértalo, por ejemplo: <b>',
  ],
  ['<a>; convert it, for example: <b>', '<a>; conviértalo, por ejemplo: <b>'],
  ['<a> s of music; at most <b> s can be played', '<a> s de música; se reproducen como máximo <b> s.'],
  ['a greeting has at most <a> s', 'Un saludo dura como máximo <a> s.'],
  ['a PIN has 4 to 10 digits', 'Un PIN tiene de 4 a 10 cifras.'],
]

export const sentences: readonly Sentence[] = [...lineSentences, ...box, ...calls, ...notices, ...texts, ...sound]
