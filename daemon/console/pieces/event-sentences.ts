/** What the box says of its settings, of the CRM, of applications and of other boxes; the others are in event-words.ts. */
import type { Sentence } from '../frame/words.ts'

const settings: readonly Sentence[] = [
  [
    'SAFE MODE: <a> has a fault, so the last good configuration, from <b>, is in use: <c>',
    'MODO SEGURO: <a> tiene un fallo, así que se usa la última configuración buena, de <b>: <c>',
  ],
  [
    'The next start would not use the configuration in use: <a> has a fault: <b>',
    'El próximo arranque no usaría la configuración actual: <a> tiene un fallo: <b>',
  ],
  [
    '<a> does not have what was applied last, which is in use, also after a restart',
    '<a> no contiene lo último que se aplicó, que está en uso, también tras un reinicio.',
  ],
  ['<a> differs from the configuration in use: <b>', '<a> difiere de la configuración en uso: <b>'],
  [
    'The web port <a> is open to the network without TLS: <b>',
    'El puerto web <a> está abierto a la red sin TLS: otros pueden leer claves, faxes y grabaciones.',
  ],
  [
    'A signature of the CRM is enough for /api/pbx, without TLS: <a>',
    'La firma del CRM basta para /api/pbx, sin TLS: quien la intercepte puede enviar otras peticiones durante cinco minutos.',
  ],
  ['Mail goes to <a> without TLS: <b>', 'El correo va a <a> sin TLS: otros en la red pueden leer la contraseña y todo el correo.'],
  [
    'sign-ins from <a> are refused for a time after wrong passwords',
    'Se rechazan por un tiempo las entradas desde <a> tras contraseñas erróneas.',
  ],
  ['<a> is banned for a time after wrong passwords of phones', '<a> queda bloqueada un tiempo tras contraseñas erróneas de teléfonos.'],
  ['<a> is refused for a time after wrong access tokens', 'Se rechaza <a> un tiempo tras claves de acceso erróneas.'],
  ['a sign-in from <a> was refused', 'Se rechazó una entrada desde <a>.'],
  ['an invitation from <a> was not valid', 'Una invitación usada desde <a> no era válida.'],
  ['<a> reads as a manager until <b> (break glass)', '<a> lee como responsable hasta <b> (acceso de urgencia).'],
  [
    'The mailbox <a> is locked for the phone <b> for an hour: ten wrong PINs',
    'El buzón <a> está bloqueado una hora para el teléfono <b>: diez PIN erróneos.',
  ],
  ['Today the box used <a> of <b> <c>: nothing more is accepted', 'Hoy el equipo ha usado <a> de <b> (<c>): no se acepta más.'],
  ['Today the box used <a> of <b> <c>', 'Hoy el equipo ha usado <a> de <b> (<c>).'],
  ['Today the token <a> used <b> of <c> <d>: nothing more is accepted', 'Hoy la clave <a> ha usado <b> de <c> (<d>): no se acepta más.'],
  ['Today the token <a> used <b> of <c> <d>', 'Hoy la clave <a> ha usado <b> de <c> (<d>).'],
]

const others: readonly Sentence[] = [
  [
    'More than <a> customers have the number <b>, so it identifies no caller and no name is shown for it',
    'Más de <a> clientes tienen el número <b>, así que no identifica a nadie y no se muestra ningún nombre.',
  ],
  ['<a> values in answers of the CRM were ignored; the last one: <b>', 'Se ignoraron <a> valores en respuestas del CRM; el último: <b>'],
  ['The certificate of the CRM is not checked', 'No se comprueba el certificado del CRM.'],
  ['The CRM does not answer: <r>', 'El CRM no responde: <r>'],
  ['The CRM refuses the box: <a>', 'El CRM rechaza al equipo: <a>'],
  ['<a> calls were given up because the CRM did not accept them', 'Se abandonaron <a> llamadas porque el CRM no las aceptó.'],
  [
    'Reading the customers of the CRM stopped after <a>: <b>',
    'La lectura de clientes del CRM paró tras <a>: las páginas no acaban o hay demasiados clientes.',
  ],
  [
    'The CRM sent only <a> customers, but the box knows <b>: none was removed.',
    'El CRM envió solo <a> clientes, pero el equipo conoce <b>: no se eliminó ninguno.',
  ],
  [
    'The application <a> does not answer: its calls go to the fallback',
    'La aplicación <a> no responde: sus llamadas van a la alternativa.',
  ],
  ['<a> callbacks were given up', 'Se abandonaron <a> avisos.'],
  [
    'A statusCallbackUrl is on this machine, and callbacks.allowLoopback is off',
    'Una statusCallbackUrl está en esta máquina, y callbacks.allowLoopback está desactivado.',
  ],
  ['A notice by mail could not be sent: <a>', 'No se pudo enviar un aviso por correo: <a>'],
  ['A notice of a message could not be sent: <a>', 'No se pudo enviar el aviso de un mensaje de voz: <a>'],
  ['A notice of a fax could not be sent: <a>', 'No se pudo enviar el aviso de un fax: <a>'],
  ['A notice of a text could not be sent: <a>', 'No se pudo enviar el aviso de un mensaje de texto: <a>'],
  ['A notice of a missed call could not be sent: <a>', 'No se pudo enviar el aviso de una llamada perdida: <a>'],
  ['A notice of <a> could not be sent: <b>', 'No se pudo enviar un aviso: <b>'],
  ['The alarm <a> cannot reach <b> by <c>: <d>', 'La alarma <a> no llega a <b> por <c>: <d>'],
  [
    'Machine <a> of the pair is away: if this one dies, nobody takes over',
    'La máquina <a> del par no está: si esta se para, nadie toma el relevo.',
  ],
  [
    "Machine <a> of the pair cannot take over: its version <b> is older than the store's",
    'La máquina <a> del par no puede tomar el relevo: su versión <b> es anterior a la de los datos.',
  ],
  ['Pacemaker says that this failed in the pair: <a>', 'Pacemaker dice que esto falló en el par: <a>'],
  [
    'Pacemaker does not say how the pair stands, so nobody knows whether the other machine would take over',
    'Pacemaker no dice cómo está el par, así que no se sabe si la otra máquina tomaría el relevo.',
  ],
  [
    'The witness of the pair is away: when a machine dies now, the other one stops, too',
    'El testigo del par no está: si ahora se para una máquina, se para también la otra.',
  ],
  ['Box <a> does not answer, so what it receives is missing in the inbox', 'El equipo <a> no responde, así que falta lo que recibe.'],
  [
    'Lamps of site <a> are unknown: its entry in sites has no api and token',
    'No se conocen las luces de la sede <a>: a su entrada en sites le faltan api y token.',
  ],
  ['Lamps of site <a> are unknown: its web port does not answer', 'No se conocen las luces de la sede <a>: su puerto web no responde.'],
  ['Lamps of site <a> are unknown: it refuses the token', 'No se conocen las luces de la sede <a>: rechaza la clave.'],
  [
    'Lamps of site <a> are unknown: this box does not understand its answer',
    'No se conocen las luces de la sede <a>: este equipo no entiende su respuesta.',
  ],
  ['Site <a> does not answer, so what it receives is missing in the inbox', 'La sede <a> no responde, así que falta lo que recibe.'],
  ['<a> does not answer, so what it receives is missing in the inbox', '<a> no responde, así que falta lo que recibe.'],
  [
    '<a> refuses the token of <b>, so what it receives is missing in the inbox',
    '<a> rechaza la clave de <b>, así que falta lo que recibe.',
  ],
  [
    '<a> is not at the address of <b>, but another one, so what it receives is missing in the inbox',
    'En la dirección de <b> no está <a>, sino otro equipo, así que falta lo que recibe.',
  ],
  ['What was received elsewhere cannot be stored here: <a>', 'Lo recibido en otro equipo no se puede guardar aquí: <a>'],
  ['<a> answers in a way that this box does not understand', '<a> responde de una forma que este equipo no entiende.'],
]

/** What repairs it, where that is more than a command. */
export const fixes: readonly Sentence[] = [
  [
    'at that box: pbx token create --name site --scope inbox; then write api and token of site <a>',
    'en ese equipo: pbx token create --name site --scope inbox; después escriba api y token de la sede <a>',
  ],
  [
    'at that box: pbx token create --name site --scope inbox; then write the token of site <a>',
    'en ese equipo: pbx token create --name site --scope inbox; después escriba la clave de la sede <a>',
  ],
  ['check the network between the sites, and api of site <a>', 'revise la red entre las sedes y api de la sede <a>'],
  [
    'install the same version on both boxes; check api of site <a>',
    'instale la misma versión en los dos equipos; revise api de la sede <a>',
  ],
  [
    'correct username and password of trunk <a> in the configuration; you find them in your account at the provider',
    'corrija username y password de la troncal <a> en la configuración; están en su cuenta con el proveedor',
  ],
  [
    'set caFile of trunk <a>, or set server to the name in the certificate',
    'escriba caFile en la troncal <a>, o en server el nombre del certificado',
  ],
  [
    'ping <a>; if it answers, check the firewall (<b>), the port in server, and the provider',
    'ping <a>; si responde, compruebe el cortafuegos (<b>), el puerto en server y al proveedor',
  ],
  [
    'getent hosts <a>; if it prints nothing, check the name and the DNS of this machine; otherwise ping it, and check the firewall (<b>) and the provider',
    'getent hosts <a>; si no muestra nada, compruebe el nombre y el DNS de esta máquina; si no, haga ping y compruebe el cortafuegos (<b>) y al proveedor',
  ],
  ['pbx doctor, then ask the provider of trunk <a>', 'pbx doctor, y después pregunte al proveedor de la troncal <a>'],
  ['check the phone: power, network, password', 'compruebe el teléfono: corriente, red, contraseña'],
  ['free space there: <a>', 'libere espacio allí: <a>'],
  ['free space on the file system of <a>', 'libere espacio en el disco de <a>'],
  ['free space on the disk of storage.dir; <a>', 'libere espacio en el disco de storage.dir; <a>'],
  [
    'free space on the disks of storage.dir and control.socket, and check the owners of their folders: <a>',
    'libere espacio en los discos de storage.dir y control.socket, y compruebe los dueños de sus carpetas: <a>',
  ],
  ['free space where standard output goes; df -h', 'libere espacio donde se escribe la salida; df -h'],
  ['check the disk of <a>', 'compruebe el disco de <a>'],
  ['check <a>; to restore a backup, see docs/backup.md', 'compruebe <a>; para restaurar una copia, vea docs/backup.md'],
  [
    'pbx doctor; look with top what else takes the processor, or give pbxd a faster machine',
    'pbx doctor; mire con top qué más ocupa el procesador, o ponga una máquina más rápida',
  ],
  ['set a larger sip.calls (at most 1000), or use another box', 'aumente sip.calls (1000 como máximo) o use otro equipo'],
  [
    'look for "not its far end" in the log: <a>',
    'busque "not its far end" en el registro: añada direcciones del proveedor a trunks[].allow y bloquee las demás; srtp protege de ambas cosas',
  ],
  [
    'allow only the networks of the phones and of the provider to reach these ports (firewall)',
    'permita en el cortafuegos solo las redes de los teléfonos y del proveedor',
  ],
  [
    'agree on transport: tls or tcp with the provider, or on authenticateInbound: true',
    'acuerde con el proveedor transport: tls o tcp, o authenticateInbound: true',
  ],
  ['trunks: caFile: FILE instead of tlsVerify: false', 'trunks: caFile: ARCHIVO en vez de tlsVerify: false'],
  [
    'pbx config check; stop the program that uses the port, or set sip.<a> to another address or to off',
    'pbx config check; detenga el programa que usa el puerto, o ponga en sip.<a> otra dirección u off',
  ],
  [
    'stop the program that uses it (<a>), or write http.redirect: off',
    'detenga el programa que lo usa (<a>), o escriba http.redirect: off',
  ],
  [
    'pbx setup, or trunks and lines of the configuration; keep another telephone for emergency calls, and put up a note at the phones',
    'pbx setup, o trunks y lines en la configuración; tenga otro teléfono para emergencias y ponga un aviso junto a los teléfonos',
  ],
  [
    'pbx doctor says what to do about each trunk; keep another telephone for emergency calls, and put up a note at the phones',
    'pbx doctor dice qué hacer con cada troncal; tenga otro teléfono para emergencias y ponga un aviso junto a los teléfonos',
  ],
  [
    'sudo pbx certificate make, then have people trust the new authority (docs/security.md)',
    'sudo pbx certificate make, y que las personas confíen en la nueva autoridad (docs/security.md)',
  ],
  ['put another one in its place: it is taken at once', 'ponga otro en su lugar: se usa enseguida'],
  [
    'timedatectl set-ntp true; if there is no time server and the clock is right: <a>',
    'timedatectl set-ntp true; si no hay servidor de hora y el reloj va bien: <a>',
  ],
  ['pbx where NUMBER says what fits; write a rule under inbound', 'pbx where NÚMERO dice qué encaja; escriba una regla en inbound'],
  ['pbx calls --all: are these calls yours?', 'pbx calls --all: ¿son suyas esas llamadas?'],
  [
    'it is probably a placeholder: remove it from the customers in the CRM, or from the imported list',
    'seguramente es un número de relleno: quítelo de los clientes en el CRM o de la lista importada',
  ],
  ['see docs/crm-requests.md; pbx crm check tests every answer', 'vea docs/crm-requests.md; pbx crm check prueba cada respuesta'],
  ['use crm.tls.ca instead of crm.tls.insecure', 'use crm.tls.ca en vez de crm.tls.insecure'],
  [
    'names come from the directory of the box meanwhile; see pbx crm status',
    'mientras tanto los nombres salen de la agenda del equipo; vea pbx crm status',
  ],
  ['set the clock of the CRM, or of this box', 'ponga en hora el CRM o este equipo'],
  [
    'compare crm.secret and crm.token with those of the CRM; pbx crm check tests them',
    'compare crm.secret y crm.token con los del CRM; pbx crm check los prueba',
  ],
  ['see pbx crm queue --dead; pbx crm retry --dead sends them again', 'vea pbx crm queue --dead; pbx crm retry --dead las envía de nuevo'],
  [
    'check the list of the CRM: each page must hold new customers, and the last page no nextCursor',
    'compruebe la lista del CRM: cada página debe traer clientes nuevos, y la última sin nextCursor',
  ],
  [
    'check the list of the CRM; it can send removed customers with deleted: true',
    'compruebe la lista del CRM; puede enviar los clientes eliminados con deleted: true',
  ],
  ['pbx cluster status; its items come as soon as it answers', 'pbx cluster status; lo suyo llega en cuanto responda'],
  ['its items come as soon as it answers', 'lo suyo llega en cuanto responda'],
  ['at that box: <a>; then write the token into <b>', 'en ese equipo: <a>; luego escriba la clave en <b>'],
  ['compare <a> with box.id and box.inbox of that box', 'compare <a> con box.id y box.inbox de ese equipo'],
  [
    'install the same version on both boxes; check the address in <a>',
    'instale la misma versión en ambos equipos; compruebe la dirección en <a>',
  ],
  ['pbx pair test; on the witness: <a>', 'pbx pair test; en el testigo: <a>'],
  ['<a>, then pbx speech status', '<a>, y después pbx speech status'],
  ['pbx config diff, then pbx config apply', 'pbx config diff, y después pbx config apply'],
  ['pbx config check, then pbx config apply', 'pbx config check, y después pbx config apply'],
  ['pbx calls --all, then pbx trace CALL', 'pbx calls --all, y después pbx trace CALL'],
  [
    'http: { tls: { cert: FILE, key: FILE } }, or http.listen on 127.0.0.1 behind a proxy with TLS',
    'http: { tls: { cert: ARCHIVO, key: ARCHIVO } }, o http.listen en 127.0.0.1 tras un proxy con TLS',
  ],
  [
    'http.tls, crm: { auth: signed+bearer }, or crm: { allow: [ADDRESS] }',
    'http.tls, crm: { auth: signed+bearer }, o crm: { allow: [DIRECCIÓN] }',
  ],
  ['mail: { tls: starttls } or { tls: on }', 'mail: { tls: starttls } o { tls: on }'],
]

export const otherSentences: readonly Sentence[] = [...settings, ...others]
