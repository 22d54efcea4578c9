/** The section sites: what fits, and what is refused in words that say what to write. */
import t from 'tap'
import { judged, type ConfigCase } from './cases.ts'

const site = (more = '', id = 'north', range = '2xx', server = '10.20.0.10') =>
  `{ id: ${id}, server: "${server}", transport: udp, password: secret, extensions: "${range}"${more} }`
const sites = (...all: string[]) => `sites: [${all.join(', ')}]\n`
const house = 'extensions: [{ number: "101", password: a-long-password }]\n'
const trunk = 'trunks: [{ id: main, server: 192.0.2.1, transport: tcp, username: a, password: b, numbers: ["+15550001000"] }]\n'

const cases: readonly ConfigCase[] = [
  ['one site', sites(site()) + house, null],
  ['two sites', sites(site(), site('', 'south', '3xx,40x', '10.30.0.10')), null],
  ['a number, an api and a token', trunk + sites(site(', number: "+15550002000", api: "https://10.20.0.10:8443", token: x')), null],
  ['a line to a site as the last of outbound', trunk + sites(site()) + 'outbound: [{ to: "+1*", trunks: [main, "site:north"] }]', null],
  ['a line to a site that is not there', trunk + sites(site()) + 'outbound: [{ to: "+1*", trunks: [main, "site:south"] }]', /site:south/],
  [
    'an extension in the range',
    sites(site('', 'north', '1xx')) + house,
    /sites\/0\/extensions: "1xx" holds 101, which is an extension of this house/,
  ],
  [
    'ranges that overlap',
    sites(site(), site('', 'south', '21x', '10.30.0.10')),
    /sites\/1\/extensions: "21x" overlaps "2xx" of the site "north"/,
  ],
  ['a range twice', sites(site('', 'north', '2xx,20x')), /"20x" overlaps another range/],
  ['a range around 911, which stays a number for help', sites(site('', 'north', '9xx')), null],
  ['911 as a number of a site', sites(site('', 'north', '2xx,911')), /"911" is an emergency number/],
  ['a range of letters', sites(site('', 'north', 'abc')), /does not have the right form/],
  ['one id twice', sites(site(), site('', 'north', '3xx', '10.30.0.10')), /"north" is given twice/],
  ['one server twice', sites(site(), site('', 'south', '3xx')), /"10.20.0.10" is given twice/],
  [
    'two boxes at one address, over TCP',
    sites(site('', 'north', '2xx').replace('udp', 'tcp'), site('', 'south', '3xx', '10.20.0.10:5070')),
    /sites\/1\/server: the site "north" has the same address/,
  ],
  ['two boxes at one address, over UDP', sites(site(), site('', 'south', '3xx', '10.20.0.10:5070')), null],
  ['no password', sites(site().replace('password: secret', 'password: ""')), /prove to each other/],
  ['tls without a listener', sites(site().replace('udp', 'tls')), /needs the TLS listener/],
  ['a caFile without tls', sites(site(', caFile: /nowhere.pem')), /a caFile needs transport: tls/],
  ['a number of its own', trunk + sites(site(', number: "+15550001000"')), /is a number of this box/],
  ['a number that is none', trunk + sites(site(', number: "+1"')), /number/],
  ['an unknown key', sites(site(', colour: red')), /there is no key "colour" here/],
]

judged(t as never, 'sites', cases)
