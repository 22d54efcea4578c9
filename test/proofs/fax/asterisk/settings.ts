/** The settings of Asterisk: an account for each box, and a dial plan whose numbers choose how a fax goes. */

/** How Asterisk carries the faxes of one box. */
export interface Account {
  /** Number of the box, from which its calls come. */
  readonly number: string
  /** Where it listens for SIP, on 127.0.0.1. */
  readonly port: number
  /** Error correction of its UDPTL; `none`: no T.38. */
  readonly t38: 'redundancy' | 'fec' | 'none'
  /** Seconds of a session timer that Asterisk asks for; 0: none. */
  readonly refresh: number
}

/** Modules that want hardware, servers or files that are not there. */
const left = `chan_iax2 chan_unistim chan_motif chan_console chan_websocket pbx_dundi pbx_ael pbx_lua res_snmp res_xmpp res_phoneprov
  res_pjsip_phoneprov_provider res_pjsip_transport_websocket res_pjsip_stir_shaken res_stir_shaken res_geolocation res_pjsip_geolocation
  res_prometheus res_smdi res_hep res_config_ldap res_config_odbc res_odbc cdr_csv cdr_custom cdr_adaptive_odbc cdr_odbc cdr_pgsql
  cdr_radius cdr_sqlite3_custom cdr_tds cel_custom cel_odbc cel_pgsql cel_radius cel_sqlite3_custom cel_tds app_voicemail_odbc
  app_voicemail app_minivm app_queue app_agent_pool app_jack res_calendar res_stun_monitor res_resolver_unbound`

export const section = (name: string, lines: readonly string[]): string => [`[${name}]`, ...lines, ''].join('\n')

/** Where an Asterisk in a root of its own finds and writes its files; `modules`: the folder of its modules. */
export const directories = (modules: string): string =>
  section('directories', [
    'astetcdir => /fax/etc',
    `astmoddir => ${modules}`,
    'astvarlibdir => /var/lib/asterisk',
    'astdbdir => /fax/var',
    'astdatadir => /usr/share/asterisk',
    'astspooldir => /fax/spool',
    'astrundir => /fax/var',
    'astlogdir => /fax/log',
  ])

function account({ number, port, t38, refresh }: Account): string {
  return [
    section(number, [
      'type=endpoint',
      'context=faxes',
      'identify_by=username',
      'disallow=all',
      'allow=ulaw,alaw',
      'direct_media=no',
      'from_user=15559990000',
      `aors=${number}`,
      ...(t38 === 'none' ? ['t38_udptl=no'] : ['t38_udptl=yes', `t38_udptl_ec=${t38}`, 't38_udptl_maxdatagram=400']),
      ...(refresh === 0 ? ['timers=no'] : ['timers=always', `timers_sess_expires=${refresh}`, `timers_min_se=${refresh}`]),
    ]),
    section(number, ['type=aor', `contact=sip:127.0.0.1:${port}`]),
  ].join('\n')
}

const dialled = '${' + 'EXTEN' + '}'
const option = (name: string): string => '${' + `FAXOPT(${name})` + '}'
const variable = (name: string): string => '${' + name + '}'
const verdict = (file: string): string =>
  `Set(FILE(/fax/${file}.verdict,,,al,u)=${option('status')}|${option('pages')}|${option('rate')}|${option('ecm')}|${option('statusstr')}|${option('error')})`

/** Files of /etc/asterisk by name. Numbers that are called end with 1 for error correction, with 0 for none. */
export function settings(
  port: number,
  media: readonly [number, number],
  accounts: readonly Account[],
  modules: string,
): Record<string, string> {
  const middle = Math.floor((media[0] + media[1]) / 4) * 2
  return {
    'asterisk.conf': [directories(modules), section('options', ['verbose = 3', 'transmit_silence = yes', 'hideconnect = yes'])].join('\n'),
    'modules.conf': section('modules', ['autoload=yes', ...left.split(/\s+/).map((name) => `noload = ${name}.so`)]),
    'logger.conf': section('logfiles', ['full => notice,warning,error,verbose(3),fax']),
    'rtp.conf': section('general', [`rtpstart=${media[0]}`, `rtpend=${middle - 1}`]),
    'udptl.conf': section('general', [
      `udptlstart=${middle}`,
      `udptlend=${media[1]}`,
      'udptlfecentries=3',
      'udptlfecspan=3',
      'use_even_ports=yes',
    ]),
    'res_fax.conf': section('general', ['maxrate=14400', 'minrate=2400', 'modems=v17,v27,v29', 'ecm=yes']),
    'pjsip.conf': [
      section('global', ['type=global', 'endpoint_identifier_order=username']),
      section('transport', ['type=transport', 'protocol=udp', `bind=127.0.0.1:${port}`]),
      ...accounts.map(account),
    ].join('\n'),
    'extensions.conf': section('faxes', [
      `exten => _[+0-9]!,1,Set(CALLED=${dialled})`,
      ` same => n,Set(FAXOPT(ecm)=${'${'}IF($["${'${'}EXTEN:-1}"="1"]?yes:no)})`,
      ' same => n,Set(FAXOPT(localstationid)=15559990000)',
      ' same => n,Answer()',
      ` same => n,ReceiveFAX(/fax/in/${variable('CALLED')}.tif,f)`,
      ' same => n,Hangup()',
      'exten => send,1,Set(CALLED=' + variable('JOB') + ')',
      ' same => n,Set(FAXOPT(ecm)=' + variable('ECM') + ')',
      ' same => n,Set(FAXOPT(localstationid)=15559990000)',
      ' same => n,SendFAX(/fax/out/' + variable('JOB') + '.tif,' + variable('OPTIONS') + ')',
      ' same => n,Hangup()',
      `exten => h,1,${verdict('in/' + variable('CALLED'))}`,
    ]),
  }
}
