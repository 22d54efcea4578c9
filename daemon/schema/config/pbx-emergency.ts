/** The section `emergency` of the configuration. */
import { Type, type Static, type TProperties } from '@sinclair/typebox'
import { NumberText, strict } from './forms.ts'

/** Headers by which providers take a location; none of those that carry the call itself. */
const headerName = '^([Xx]-[A-Za-z0-9-]{1,60}|Geolocation|Geolocation-Routing|P-Access-Network-Info)$'

const NoticeSchema = <W extends TProperties>(written: W) =>
  strict(
    {
      extensions: Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        maxItems: 20,
        uniqueItems: true,
        description: 'Phones that ring and hear caller and place; their display shows them.',
      }),
      ...written,
    },
    'Recipients that are notified at once of a call for help.',
  )

const LocationSchema = strict(
  {
    networks: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'Addresses or networks of the phones there (10.0.2.0/24).',
    }),
    text: Type.String({ minLength: 1, maxLength: 200, description: 'Where these phones are; part of the notification.' }),
    callerId: Type.Optional(NumberText('Number at which the centre reaches this place, if it differs.')),
    headers: Type.Record(Type.String({ pattern: headerName }), Type.String({ pattern: '^[ -~]{1,500}$' }), {
      default: {},
      additionalProperties: false,
      description: 'Headers with the location for the provider, such as Geolocation: <https://lis.example.net/2nd-floor>.',
    }),
  },
  'Phones of a network that are somewhere else than the site.',
)

export type EmergencyLocation = Static<typeof LocationSchema>

/** @param written addresses by each way that a part brings */
export const EmergencySchema = <W extends TProperties>(written: W) =>
  strict(
    {
      numbers: Type.Array(Type.String({ pattern: '^\\d{2,6}$' }), {
        default: [],
        maxItems: 20,
        description: 'Further emergency numbers. Those of site.country, 112 and 911 are always included.',
      }),
      trunks: Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        uniqueItems: true,
        description: 'Trunks for calls for help, tried in this order, and then all others.',
      }),
      callerId: Type.Optional(NumberText('Number at which the centre reaches the site. Default: site.number.')),
      location: Type.String({
        default: '',
        maxLength: 200,
        description: 'Where the site is; part of the notification about a call for help.',
      }),
      locations: Type.Array(LocationSchema, {
        default: [],
        description: 'Phones in other places, by their address; the first match counts.',
      }),
      notify: NoticeSchema(written),
      testNumber: Type.String({
        default: '933',
        pattern: '^\\d{3,15}$',
        description: "The provider's number that reads back the number and the location, for `pbx emergency test`.",
      }),
    },
    'Calls for help: from every extension, before any rule.',
  )
