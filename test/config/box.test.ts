/** Which of several boxes this is and which it collects, as the configuration says it: what fits, and what is refused. */
import t from 'tap'
import { judged, type ConfigCase } from './cases.ts'

const own = 'box: { id: "001" }\n'
const second = 'id: "002", api: "https://10.0.0.2:8443", token: secret'
const north = ({ api = 'https://10.1.0.2:8443', token = 'secret' }): string =>
  `sites: [{ id: north, server: "10.1.0.2:5060", transport: udp, password: between, extensions: 2xx${api && `, api: "${api}"`}${token && `, token: ${token}`} }]\n`

const cases: readonly ConfigCase[] = [
  ['a box that is alone', '{}', null],
  ['an id', 'box: { id: "001" }', null],
  ['an id and the box of the inbox', 'box: { id: "001", inbox: "00c" }', null],
  ['an inbox and no id', 'box: { inbox: "00c" }', /1:\d+: \/box\/inbox: give this box an id, too: box\.id/],
  ['an id of one digit', 'box: { id: "1" }', /1:\d+: \/box\/id: "1" does not have the right form/],
  ['an id of capitals', 'box: { id: "00C" }', /\/box\/id: "00C" does not have the right form/],
  ['an id without quotes', 'box: { id: 001 }', /\/box\/id: 001 was read as a number; put it in quotes: "001"/],
  ['boxes that are collected', `${own}collect: { boxes: [{ ${second} }, { id: "003", api: "http://10.0.0.3:8080/", token: x }] }`, null],
  ['a collector without an id', `collect: { boxes: [{ ${second} }] }`, /\/collect\/boxes: give this box an id, too: box\.id/],
  ['a collector that nobody polls', `box: { id: "001", inbox: "002" }\ncollect: { boxes: [{ ${second} }] }`, /programs poll box 002/],
  ['a collector of itself', `${own}collect: { boxes: [{ ${second.replace('002', '001')} }] }`, /boxes\/0\/id: "001" is this box/],
  ['a box that is collected twice', `${own}collect: { boxes: [{ ${second} }, { ${second} }] }`, /boxes\/1\/id: "002" is given twice/],
  ['a box without a token', `${own}collect: { boxes: [{ id: "002", api: "https://10.0.0.2:8443" }] }`, /token/],
  ['an address that is none', `${own}collect: { boxes: [{ ${second.replace('https://', '')} }] }`, /boxes\/0\/api: .* right form/],
  [
    'an authority that is not there',
    `${own}collect: { boxes: [{ ${second}, ca: /nowhere.pem }] }`,
    /nowhere\.pem cannot be read: it does not exist/,
  ],
  ['a site that is collected', `${north({})}collect: { from: [north] }`, null],
  [
    'a site whose programs poll another box',
    `box: { id: "001", inbox: "002" }\n${north({})}collect: { from: [north] }`,
    /programs poll box 002/,
  ],
  ['a site that is not there', `${north({})}collect: { from: [south] }`, /collect\/from\/0: there is no site "south"/],
  ['a site that is collected twice', `${north({})}collect: { from: [north, north] }`, /from\/1: "north" is given twice/],
  ['a site without an address', `${north({ api: '' })}collect: { from: [north] }`, /the site "north" needs api and token/],
  ['a site without a token', `${north({ token: '' })}collect: { from: [north] }`, /the site "north" needs api and token/],
  ['an unknown key', 'box: { name: "001" }', /there is no key "name" here/],
]

judged(t as never, 'box', cases)
