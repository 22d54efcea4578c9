/** Where a phone is that calls for help, by its address. */
import t from 'tap'
import { placeOf } from '../../daemon/pbx/emergency/place.ts'
import { parseConfig } from '../../daemon/config/load.ts'

const { config } = parseConfig(
  JSON.stringify({
    site: { country: 'US', number: '+15550001000' },
    emergency: {
      location: 'ground floor',
      locations: [
        { networks: ['10.0.2.0/24', '192.168.7.9'], text: 'second floor', headers: { 'X-Floor': '2' } },
        { networks: ['10.0.0.0/8', '2001:db8:1::/48'], text: 'annex', callerId: '+15550001009' },
      ],
    },
  }),
  '/tmp/pbxd.yaml',
)

const cases = [
  ['10.0.2.17:5060', 'second floor', '+15550001000'],
  ['192.168.7.9:41000', 'second floor', '+15550001000'],
  ['192.168.7.10:41000', 'ground floor', '+15550001000'],
  ['10.0.3.17:5060', 'annex', '+15550001009'],
  ['[2001:db8:1:7::5]:5060', 'annex', '+15550001009'],
  ['[2001:db8:2::5]:5060', 'ground floor', '+15550001000'],
  ['', 'ground floor', '+15550001000'],
  ['phone.example:5060', 'ground floor', '+15550001000'],
] as const
for (const [source, text, callerId] of cases)
  t.test(`from ${source === '' ? 'nowhere known' : source}: ${text}`, async (t) => t.match(placeOf(config, source), { text, callerId }))

t.test('the headers of the place, and no others', async (t) => {
  t.same(placeOf(config, '10.0.2.17:5060').headers, { 'X-Floor': '2' })
  t.same(placeOf(config, '10.0.3.17:5060').headers, {})
})

t.test('headers that carry the call itself, networks that are none and an emergency number to test with are refused', async (t) => {
  const faults = (emergency: object): unknown => {
    try {
      parseConfig(JSON.stringify({ site: { country: 'US' }, emergency }), '/tmp/pbxd.yaml')
      return 'accepted'
    } catch (error) {
      return JSON.stringify(error, Object.getOwnPropertyNames(error))
    }
  }
  const place = { networks: ['10.0.0.0/8'], text: 'annex' }
  t.match(faults({ locations: [{ ...place, headers: { Via: 'x' } }] }), /headers/)
  t.match(faults({ locations: [{ ...place, headers: { 'X-A': 'a\r\nVia: x' } }] }), /headers/)
  t.match(faults({ locations: [{ ...place, networks: ['10.0.0.0/40'] }] }), /is not an address or network/)
  t.match(faults({ testNumber: '911' }), /is an emergency number/)
  t.match(faults({ notify: { extensions: ['199'] } }), /199/)
})
