/** The 49 messages of the torture tests for SIP (RFC 4475), by the names they have there; each is one datagram. */

interface Parts {
  readonly start: string
  /** Headers in place of the usual ones of that name, or further ones; null leaves one out. */
  readonly with?: Readonly<Record<string, string | null>>
  readonly more?: readonly string[]
  readonly body?: string
  readonly length?: string
}

const sdp =
  'v=0\r\no=mhandley 29739 7272939 IN IP4 192.0.2.3\r\ns=-\r\nc=IN IP4 192.0.2.4\r\nt=0 0\r\nm=audio 49217 RTP/AVP 0 12\r\na=rtpmap:31 LPC\r\n'

function message(name: string, parts: Parts): string {
  const method = /^(\S+)/.exec(parts.start)?.[1] ?? ''
  const headers: Record<string, string | null> = {
    Via: `SIP/2.0/UDP host5.example.net;branch=z9hG4bK${name}`,
    'Max-Forwards': '70',
    To: '<sip:user@example.com>',
    From: `<sip:caller@example.net>;tag=${name}`,
    'Call-ID': `${name}.torture@192.0.2.5`,
    CSeq: `1 ${method.startsWith('SIP/') ? 'INVITE' : method}`,
    Contact: '<sip:caller@host5.example.net>',
    ...(parts.body === undefined ? {} : { 'Content-Type': 'application/sdp' }),
    ...parts.with,
  }
  const lines = Object.entries(headers).flatMap(([header, value]) => (value === null ? [] : [`${header}: ${value}`]))
  const { body = '', length = `Content-Length: ${Buffer.byteLength(body)}` } = parts
  return [parts.start, ...lines, ...(parts.more ?? []), ...(length === '' ? [] : [length]), '', body].join('\r\n')
}

const invite = 'INVITE sip:user@example.com SIP/2.0'
const options = 'OPTIONS sip:user@example.com SIP/2.0'
const register = 'REGISTER sip:example.com SIP/2.0'

const list: Readonly<Record<string, Parts>> = {
  // 3.1.1: valid messages.
  wsinv: {
    start: 'INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0',
    with: {
      Via: null,
      To: null,
      From: null,
      'Call-ID': null,
      CSeq: null,
      'Max-Forwards': null,
      Contact: null,
      'Content-Type': null,
    },
    more: [
      'TO :\r\n sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n',
      'from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>\r\n  ;\r\n  tag = 98asjd8',
      'MaX-fOrWaRdS: 0068',
      'Call-ID: wsinv.ndaksdj@192.0.2.1',
      'cseq: 0009\r\n  INVITE',
      'Via  : SIP  /   2.0\r\n /UDP\r\n    192.0.2.2;branch=390skdjuw',
      's :',
      'NewFangledHeader:   newfangled value\r\n continued newfangled value',
      'UnknownHeaderWithUnusualValue: ;;,,;;,;',
      'Content-Type: application/sdp',
      'Route:\r\n <sip:services.example.com;lr;unknownwith=value;unknown-no-value>',
      'v:  SIP  / 2.0  / TCP     spindle.example.com   ;\r\n  branch  =   z9hG4bK9ikj8  ,\r\n SIP  /    2.0   / UDP  192.168.255.111   ; branch=\r\n z9hG4bK30239',
      'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =\r\n      newvalue ;\r\n  secondparam ; q = 0.33',
    ],
    body: sdp,
  },
  intmeth: {
    start:
      "!interesting-Method0123456789_*+`.%indeed'~ sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com SIP/2.0",
    with: {
      To: '"BEL:\\\x07 NUL:\\\x00 DEL:\\\x7f" <sip:1_unusual.URI~(to-be!sure)&isn\'t+it$/crazy?,/;;*@example.com>',
      From: "token1~` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%=\"\xd1\x80\xd0\xb0\";tag=_token~1'+`*%!-.",
      'Call-ID': 'intmeth.word%ZK-!.*_+\'@word`~)(><:\\/"][?}{',
      CSeq: "139122385 !interesting-Method0123456789_*+`.%indeed'~",
      Via: "SIP/2.0/TCP host1.example.com;branch=z9hG4bK-.!%66*_+`'~",
    },
    more: ["extensionHeader-!.%*+_`'~:\xef\xbb\xbf\xe5\xa4\xa7\xe5\x81\x9c\xe9\x9b\xbb"],
  },
  esc01: {
    start: 'INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0',
    with: {
      To: 'sip:%75se%72@example.com',
      From: '<sip:I%20have%20spaces@example.net>;tag=938',
      Contact: '<sip:cal%6Cer@host5.example.net;%6C%72;n%61me=v%61lue%25%34%31>',
    },
    body: sdp,
  },
  escnull: {
    start: register,
    with: {
      To: 'sip:null-%00-null@example.com',
      From: 'sip:null-%00-null@example.com;tag=839923423',
      Contact: '<sip:%00@host5.example.com>, <sip:%00%00@host5.example.com>',
    },
  },
  esc02: {
    start: 'RE%47IST%45R sip:registrar.example.com SIP/2.0',
    with: { To: '"%Z%45" <sip:resource@example.com>', Contact: '<sip:alias1@host1.example.com>', CSeq: '29344 RE%47IST%45R' },
  },
  lwsdisp: { start: options, with: { From: 'caller<sip:caller@example.com>;tag=323' } },
  longreq: {
    start: invite,
    with: {
      To: `"I have a user name of ${'extreme'.repeat(10)} proportion"<sip:user@example.com:6000;unknownparam1=very${'long'.repeat(20)}value;longparam${'name'.repeat(25)}=shortvalue;very${'long'.repeat(25)}ParameterNameWithNoValue>`,
      From: `sip:${'amazinglylongcallername'.repeat(5)}@example.net;tag=12${'982'.repeat(50)}424;unknownheaderparam${'name'.repeat(20)}=unknowheaderparam${'value'.repeat(15)}`,
      'Call-ID': `longreq.one${'really'.repeat(20)}longcallid`,
      CSeq: '3882340 INVITE',
    },
    more: [
      `Unknown-${'Long'.repeat(20)}-Name: unknown-${'long'.repeat(20)}-value; unknown-${'long'.repeat(20)}-parameter-name = unknown-${'long'.repeat(20)}-parameter-value`,
      ...Array.from({ length: 33 }, (_, n) => `Via: SIP/2.0/TCP sip${33 - n}.example.com`),
    ],
    body: sdp,
  },
  dblreq: {
    start: register,
    length: `Content-Length: 0\r\n\r\n${invite}\r\nTo: sip:joe@example.com\r\nFrom: sip:caller@example.net;tag=141334\r\nCall-ID: dblreq2\r\nCSeq: 8 INVITE\r\nVia: SIP/2.0/UDP host5.example.com;branch=z9hG4bKdbl2`,
  },
  semiuri: { start: 'OPTIONS sip:user;par=u%40example.net@example.com SIP/2.0' },
  transports: {
    start: options,
    more: ['UDP', 'SCTP', 'TLS', 'UNKNOWN', 'TCP'].map((kind) => `Via: SIP/2.0/${kind} t${kind}.example.com;branch=z9hG4bK${kind}`),
  },
  mpart01: {
    start: 'MESSAGE sip:kumiko@example.org SIP/2.0',
    with: { 'Content-Type': 'multipart/mixed;boundary=7a9cbec02ceef655' },
    body: '--7a9cbec02ceef655\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: binary\r\n\r\nHello\r\n--7a9cbec02ceef655\r\nContent-Type: application/octet-stream\r\n\r\n\0\x01\x02\xff\r\n--7a9cbec02ceef655--',
  },
  unreason: { start: 'SIP/2.0 200 = 2**3 * 5**2 \xd0\xbd\xd0\xbe \xd1\x81\xd1\x82\xd0\xbe', body: sdp },
  noreason: { start: 'SIP/2.0 100 ' },
  // 3.1.2: invalid messages.
  badinv01: {
    start: invite,
    with: {
      To: '<sip:j.user@example.com>',
      From: '<sip:caller@example.net>;tag=134161461246',
      Contact: '"Joe" <sip:joe@example.org>;;;;',
      Via: 'SIP/2.0/UDP 192.0.2.15;;,;,,',
    },
    body: sdp,
  },
  clerr: { start: invite, body: sdp, length: 'Content-Length: 9999' },
  ncl: { start: invite, body: sdp, length: 'Content-Length: -999' },
  scalar02: {
    start: register,
    with: {
      CSeq: '36893488147419103232 REGISTER',
      'Max-Forwards': '300',
      Via: 'SIP/2.0/TCP host129.example.com;branch=z9hG4bK342sdfoi3;ttl=256',
    },
    more: ['Expires: 1000000000000000000000000000000000', 'Retry-After: 4294967296'],
  },
  scalarlg: {
    start: 'SIP/2.0 503 Service Unavailable',
    with: { CSeq: '9292394834772304023312 OPTIONS' },
    more: ['Retry-After: 949302838503028349304023988', 'Warning: 1812 overture "In Progress"'],
  },
  quotbal: { start: invite, with: { To: '"Mr. J. User <sip:j.user@example.com>' }, body: sdp },
  ltgtruri: { start: 'INVITE <sip:user@example.com> SIP/2.0', body: sdp },
  lwsruri: { start: 'INVITE sip:user@example.com; lr SIP/2.0', body: sdp },
  lwsstart: { start: 'INVITE  sip:user@example.com  SIP/2.0', body: sdp },
  trws: { start: 'OPTIONS sip:remote-target@example.com SIP/2.0  ' },
  escruri: { start: 'INVITE sip:user@example.com?Route=%3Csip:example.com%3E SIP/2.0', body: sdp },
  baddate: { start: invite, more: ['Date: Fri, 01 Jan 2010 16:00:00 EST'], body: sdp },
  regbadct: { start: register, with: { Contact: 'sip:user@example.com?Route=%3Csip:sip.example.com%3E' } },
  badaspec: {
    start: 'OPTIONS sip:user@example.org SIP/2.0',
    with: { To: '"Bell, Alexander" <sip:a.g.bell@bell-tel.com> ; <tag=43', Contact: '<sip:user@example.com>, "x" <>' },
  },
  baddn: {
    start: options,
    with: { From: 'Bell, Alexander <sip:a.g.bell@example.com>;tag=43', To: 'Watson, Thomas <sip:t.watson@example.org>' },
  },
  badvers: { start: 'OPTIONS sip:t.watson@example.org SIP/7.0' },
  mismatch01: { start: options, with: { CSeq: '8 INVITE' } },
  mismatch02: { start: 'NEWMETHOD sip:user@example.com SIP/2.0', with: { CSeq: '34 INVITE' }, body: sdp },
  bigcode: { start: 'SIP/2.0 4294967301 better not break the receiver', with: { CSeq: '35 INVITE' } },
  // 3.2: transaction layer.
  badbranch: { start: options, with: { Via: 'SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK' } },
  // 3.3: application layer.
  insuf: { start: invite, with: { 'Call-ID': null, From: null, To: null }, body: sdp },
  unkscm: { start: 'OPTIONS nobodyKnowsThisScheme:totallyopaquecontent SIP/2.0' },
  novelsc: { start: 'OPTIONS soap.beep://192.0.2.103:3002 SIP/2.0' },
  unksm2: { start: register, with: { To: 'isbn:2983792873', From: '<http://www.example.com>;tag=3234233', Contact: '<name:John_Smith>' } },
  bext01: {
    start: options,
    more: ['Require: nothingSupportsThis, nothingSupportsThisEither', 'Proxy-Require: noProxiesSupportThis, norDoAnyProxiesSupportThis'],
  },
  invut: { start: invite, with: { 'Content-Type': 'application/unknownformat' }, body: '<audio><pcmu port="443"/></audio>' },
  regaut01: { start: register, more: ['Authorization: NoOneKnowsThisScheme opaque-data=here'] },
  multi01: {
    start: invite,
    with: { CSeq: '5 INVITE' },
    more: [
      'Via: SIP/2.0/UDP host5.example.com;branch=z9hG4bKm2',
      'Max-Forwards: 5',
      'CSeq: 59 INVITE',
      'Call-ID: multi01.98asdh@192.0.2.2',
      'From: sip:caller@example.com;tag=3413415',
      'To: sip:other@example.net',
    ],
    body: sdp,
  },
  mcl01: {
    start: options,
    length: 'Content-Length: 13\r\nContent-Length: 5',
    body: "There's no way to know how many octets are supposed to be here.\r\n",
  },
  bcast: { start: 'SIP/2.0 200 OK', with: { Via: 'SIP/2.0/UDP 255.255.255.255;branch=z9hG4bK1saber23' }, body: sdp },
  zeromf: { start: options, with: { 'Max-Forwards': '0' } },
  cparam01: { start: register, with: { Contact: 'sip:+19725552222@gw1.example.net;unknownparam' } },
  cparam02: { start: register, with: { Contact: '<sip:+19725552222@gw1.example.net;unknownparam>' } },
  regescrt: { start: register, with: { Contact: '<sip:user@example.com?Route=%3Csip:sip.example.com%3E>' } },
  sdp01: { start: invite, more: ['Accept: text/nobodyKnowsThis'], body: sdp },
  // 3.4: backward compatibility.
  inv2543: {
    start: 'INVITE sip:UserB@example.com SIP/2.0',
    with: {
      Via: 'SIP/2.0/UDP iftgw.example.com',
      From: '<sip:+13035551111@ift.client.example.net;user=phone>',
      To: 'sip:+16505552222@ss1.example.net;user=phone',
      'Max-Forwards': null,
      Contact: null,
    },
    body: sdp,
  },
}

export const tortureMessages: readonly { readonly name: string; readonly bytes: Buffer }[] = Object.entries(list).map(([name, parts]) => ({
  name,
  bytes: Buffer.from(message(name, parts), 'latin1'),
}))
