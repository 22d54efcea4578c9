/** What the checks of the configuration say of the network, of lines and of numbers; the others are in fault-sentences.ts. */
import type { Sentence } from '../../frame/words.ts'

const network: readonly Sentence[] = [
  [
    'a token with the scope <a> cannot be restricted: the scope allows everything',
    'Una clave con el ámbito <a> no se puede limitar: ese ámbito lo permite todo.',
  ],
  ['<a> is not a valid date', '<a> no es una fecha válida.'],
  ['the token "<a>" has expired: remove it', 'La clave "<a>" ha caducado: quítela.'],
  ['the file <a> does not exist or cannot be read by this user', 'El archivo <a> no existe o este usuario no puede leerlo.'],
  ['the file <a> cannot be read by this user', 'Este usuario no puede leer el archivo <a>.'],
  ['the file <a> does not exist', 'El archivo <a> no existe.'],
  ['the file <a> holds no certificate in PEM form', 'El archivo <a> no contiene ningún certificado en formato PEM.'],
  ['the file <a> holds no certificate', 'El archivo <a> no contiene ningún certificado.'],
  [
    'srtp: <a> over <b> sends its keys unencrypted, so others can read them; write transport: tls, or srtpInClear: true if that is intended',
    'srtp: <a> sobre <b> envía sus claves sin cifrar y otros pueden leerlas; escriba transport: tls, o srtpInClear: true si es lo que quiere.',
  ],
  [
    'srtp: <a> without sip.tls sends its keys unencrypted, so others can read them; set up sip.tls, or write srtpInClear: true if that is intended',
    'srtp: <a> sin sip.tls envía sus claves sin cifrar y otros pueden leerlas; configure sip.tls, o escriba srtpInClear: true si es lo que quiere.',
  ],
  ['<a> does not belong to the certificate <b>: TLS cannot start', '<a> no corresponde al certificado <b>: TLS no puede arrancar.'],
  [
    '<a> and <b> are not a certificate and a key in PEM form without a password: TLS cannot start',
    '<a> y <b> no son un certificado y una clave en formato PEM sin contraseña: TLS no puede arrancar.',
  ],
  [
    'one listener has an IPv4 address and another an IPv6 address: some calls would fail; write udp: <a>, which covers both',
    'Un puerto tiene dirección IPv4 y otro IPv6: fallarían llamadas; escriba udp: <a>, que sirve para ambas.',
  ],
  [
    'it has an IPv<a> address, but no listener has one; write sip.udp: <b>',
    'Tiene una dirección IPv<a>, pero ningún puerto la tiene; escriba sip.udp: <b>',
  ],
  [
    'it is an IPv<a> address, but no listener has one; write sip.udp: <b>',
    'Es una dirección IPv<a>, pero ningún puerto la tiene; escriba sip.udp: <b>',
  ],
  [
    '"<a>" is not an IP address; if it changes or you know only a name, leave it out: the registrar reports it',
    '"<a>" no es una dirección IP; si cambia o solo conoce un nombre, omítala: el proveedor la indica.',
  ],
  [
    'the listeners accept only this machine, so the address is of no use; write sip.udp: 0.0.0.0:5060',
    'Los puertos solo aceptan esta máquina, así que la dirección no sirve; escriba sip.udp: 0.0.0.0:5060',
  ],
  ['"<a>" is not an IP address of this machine', '"<a>" no es una dirección IP de esta máquina.'],
  ['"<a>" is not an IP address', '"<a>" no es una dirección IP.'],
  ['"<a>" is not a host or host:port', '"<a>" no es un servidor ni servidor:puerto.'],
  ['without http.tls there is no https to lead to; write http.tls', 'Sin http.tls no hay https al que llevar; escriba http.tls.'],
  [
    'write a range of UDP ports between 1024 and 65535, such as 10000-19999; a call needs two',
    'Escriba un rango de puertos UDP entre 1024 y 65535, como 10000-19999; cada llamada necesita dos.',
  ],
  ['port <a> is already the web port (http.listen)', 'El puerto <a> ya es el de la web (http.listen).'],
  [
    'the path of the socket has <a> bytes; the system allows <b>: choose a shorter one',
    'La ruta del socket tiene <a> bytes y el sistema admite <b>: elija una más corta.',
  ],
  [
    '<a> ports are too few for <b> calls at once (sip.calls); write rtpPorts: <c>',
    '<a> puertos son pocos para <b> llamadas a la vez (sip.calls); escriba rtpPorts: <c>',
  ],
  ['there are <a> trunks; at most <b> are possible', 'Hay <a> troncales; el máximo es <b>.'],
  [
    'all trunks together have <a> channels, but at most <b> calls are possible at once; write fewer channels: sip.calls can be at most <c>',
    'Las troncales suman <a> canales, pero caben <b> llamadas a la vez; escriba menos canales: el máximo de sip.calls es <c>.',
  ],
  [
    'all trunks together have <a> channels, but at most <b> calls are possible at once; write <c>, or fewer channels',
    'Las troncales suman <a> canales, pero caben <b> llamadas a la vez; escriba <c>, o menos canales.',
  ],
]

const trunks: readonly Sentence[] = [
  [
    'only one trunk can be the default, and "<a>" is already the default',
    'Solo una troncal puede ser la predeterminada, y ya lo es "<a>".',
  ],
  [
    'a trunk that registers needs a username; if the provider recognises this system by its address, write register: false',
    'Una troncal que se registra necesita username; si el proveedor reconoce este sistema por su dirección, escriba register: false.',
  ],
  ['a caFile needs transport: tls', 'caFile necesita transport: tls.'],
  ['a certificate needs transport: tls', 'Un certificado necesita transport: tls.'],
  [
    'trunk "<a>" has the same server: both share connections and need the same caFile and tlsVerify',
    'La troncal "<a>" tiene el mismo servidor: comparten conexiones y necesitan los mismos caFile y tlsVerify.',
  ],
  [
    'username and password are missing, so the provider cannot authenticate',
    'Faltan username y password, así que el proveedor no puede identificarse.',
  ],
  [
    'anyone who can send packets from the provider’s address to this system can place calls in the provider’s name; agree on <a>',
    'Quien pueda enviar paquetes con la dirección del proveedor puede llamar en su nombre; acuerde con él transport: tls o tcp, o authenticateInbound: true.',
  ],
  [
    'a trunk over TLS needs the TLS listener: sip.tls with a certificate and key',
    'Una troncal por TLS necesita el puerto TLS: sip.tls con certificado y clave.',
  ],
  [
    'with tlsVerify: false no certificate is checked; remove one of the two',
    'Con tlsVerify: false no se comprueba ningún certificado; quite uno de los dos.',
  ],
  [
    'to send a password to a server that is not checked, set realm',
    'Para enviar una contraseña a un servidor que no se comprueba, escriba realm.',
  ],
  [
    'an attacker on the network path to this server can listen to its calls and make calls in its name',
    'Un atacante en el camino hasta este servidor puede escuchar sus llamadas y llamar en su nombre.',
  ],
  [
    'there is no <a>: install the package ca-certificates, or set caFile',
    'No existe <a>: instale el paquete ca-certificates o escriba caFile.',
  ],
  [
    '<a> is an edge (sip.edges), which also serves phones; write the provider as server and <b> as outboundProxy',
    '<a> es un proxy de la casa (sip.edges), que también atiende teléfonos; ponga el proveedor en server y <b> en outboundProxy.',
  ],
  ['a modem needs its device; write device: <a>', 'Un módem necesita su dispositivo; escriba device: <a>'],
  ['a simulated line has no device', 'Una línea simulada no tiene dispositivo.'],
  ['a simulated line needs its number; write number: <a>', 'Una línea simulada necesita su número; escriba number: <a>'],
  ['a trunk already has the name "<a>"', 'Una troncal ya tiene el nombre "<a>".'],
  ['"<a>" is not a telephone number; write it as <b>', '"<a>" no es un número de teléfono; escríbalo como <b>.'],
]

const sites: readonly Sentence[] = [
  ['the boxes need a password to prove to each other who calls', 'Los equipos necesitan una contraseña para demostrarse quién llama.'],
  [
    'a site over TLS needs the TLS listener: sip.tls with a certificate and key',
    'Una sede por TLS necesita el puerto TLS: sip.tls con certificado y clave.',
  ],
  [
    'public authorities rarely sign certificates for addresses: write a name, or caFile with the certificate of that box',
    'Las autoridades públicas casi nunca firman certificados para direcciones: escriba un nombre, o caFile con el certificado de ese equipo.',
  ],
  ['"<a>" overlaps another range of this site', '"<a>" coincide con otro rango de esta sede.'],
  [
    '"<a>" overlaps "<b>" of the site "<c>"; each number belongs to one site',
    '"<a>" coincide con "<b>" de la sede "<c>"; cada número es de una sola sede.',
  ],
  ['"<a>" holds <b>, which is an extension of this house', '"<a>" contiene <b>, que es una extensión de esta casa.'],
  [
    '"<a>" holds <b>, which a rule of inbound has for phones of this house',
    '"<a>" contiene <b>, que una regla de inbound tiene para teléfonos de esta casa.',
  ],
  [
    '"<a>" is an emergency number, which is called by the lines of this house',
    '"<a>" es un número de emergencia, al que se llama por las líneas de esta casa.',
  ],
  ['"<a>" is a number of this box', '"<a>" es un número de este equipo.'],
]

const numbers: readonly Sentence[] = [
  [
    '"<a>" is not a number or a pattern; write <b>',
    '"<a>" no es un número ni un patrón; escriba un número, un comienzo como +4930*, o un país como GB.',
  ],
  ['<a> is the country of the site: its numbers are permitted anyway', '<a> es el país de la casa: sus números ya están permitidos.'],
  [
    'this permits all countries of +1, including expensive ones; name the countries instead, such as CA',
    'Esto permite todos los países de +1, también los caros; nombre los países, como CA.',
  ],
  [
    '"<a>" is not an ordinary number of another country; write it in numbers.allow',
    '"<a>" no es un número normal de otro país; escríbalo en numbers.allow.',
  ],
  [
    'write a country in numbers.international: ["<a>"]; here it would permit its premium-rate numbers',
    'Escriba un país en numbers.international: ["<a>"]; aquí permitiría sus números de tarifa especial.',
  ],
  [
    '"<a>" permits premium-rate numbers too; write more digits, or the country in numbers.international',
    '"<a>" permite también números de tarifa especial; escriba más cifras, o el país en numbers.international.',
  ],
  ['<a> is an emergency number: programs never call it', '<a> es un número de emergencia: los programas nunca lo llaman.'],
  ['<a> is an emergency number: programs must not call it', '<a> es un número de emergencia: los programas no deben llamarlo.'],
  ['<a> is an emergency number: it cannot be used for tests', '<a> es un número de emergencia: no sirve para pruebas.'],
  ['<a> is an emergency number (emergency.numbers)', '<a> es un número de emergencia (emergency.numbers).'],
  ['<a> is an emergency number in <b>', '<a> es un número de emergencia en <b>.'],
  [
    'EMERGENCY NUMBERS CANNOT BE DIALLED: without a trunk the phones of this system reach neither <a> nor any other outside number; keep another telephone for emergency calls, and put up a note at every phone',
    'NO SE PUEDE LLAMAR A EMERGENCIAS: sin troncal estos teléfonos no alcanzan ni <a> ni otro número exterior; tenga otro teléfono para emergencias y ponga un aviso junto a cada uno.',
  ],
  [
    'an emergency call would not carry your location; write emergency: <a>',
    'Una llamada de emergencia no llevaría su ubicación; escriba emergency: <a>',
  ],
]

/** Why the box calls no such number. `<a>`: the number that was written, with ": ", or nothing. */
const reach: readonly Sentence[] = [
  [
    '<a>Emergency numbers are not <b> by programs, whatever the configuration says.',
    '<a>Los programas nunca llaman a números de emergencia.',
  ],
  ['<a>This number is not <b>: numbers.deny in the configuration names it.', '<a>A este número no se llama: está en numbers.deny.'],
  [
    '<a>Numbers of <b> are not <c>; numbers.international: ["<d>"] in the configuration permits them.',
    '<a>A números de <b> no se llama; los permite numbers.international: ["<d>"].',
  ],
  [
    '<a>The numbering plan of <b> does not have this number; numbers.allow in the configuration permits it.',
    '<a>El plan de numeración de <b> no tiene este número; lo permite numbers.allow.',
  ],
  [
    '<a> are not <b>; numbers.allow in the configuration permits single ones.',
    '<a>: a estos números no se llama; numbers.allow permite algunos.',
  ],
  ['<a>This is not a telephone number.', '<a>Esto no es un número de teléfono.'],
]

export const lineSentences: readonly Sentence[] = [...network, ...trunks, ...sites, ...numbers, ...reach]
