/** The section `lines` of the configuration: analog lines on serial modems. */
import { Type, type Static } from '@sinclair/typebox'
import { Choice, Id, NumberText, strict } from './forms.ts'

/** The section `numbers` of the configuration: where the box may call, text and fax, beyond the ordinary numbers of its country. */
const Pattern = Type.String({ minLength: 2, maxLength: 32 })

export const NumbersSchema = strict(
  {
    international: Type.Array(Pattern, {
      default: [],
      description:
        'Other countries whose ordinary numbers may be reached: GB, a beginning such as +4930*, or one number. Premium-rate numbers and the like stay closed.',
    }),
    allow: Type.Array(Pattern, {
      default: [],
      description:
        'Numbers that may be reached whatever they cost: +19005551234, a beginning such as +44300*, a short number such as 611, a code such as *67.',
    }),
    deny: Type.Array(Pattern, {
      default: [],
      description: 'Numbers that are never reached; wins over everything. A number, a beginning, or a country.',
    }),
  },
  'Where programs may call, text and fax. Without it: fixed, mobile, toll-free and VoIP numbers of site.country.',
)

export const LineSchema = strict(
  {
    id: Id('Name of the line in rules and events; no trunk may have the same.'),
    kind: Choice(['modem', 'sim'], {
      default: 'modem',
      description:
        'Kind of the line. sim: a simulated voice modem for tests without hardware; such lines call each other by their numbers.',
    }),
    device: Type.Optional(
      Type.String({ pattern: '^/', description: 'The serial device, such as /dev/pbx-modem0; a simulated line has none.' }),
    ),
    roles: Type.Array(Choice(['fax', 'voice']), {
      default: ['fax'],
      minItems: 1,
      uniqueItems: true,
      description:
        'Use of the line. With voice its modem needs a voice class (AT+FCLASS=8); with both, a fax is received in the same call.',
    }),
    number: Type.Optional(NumberText('Number of the line; by default that of the site.')),
    rings: Type.Array(
      strict(
        {
          cadence: Type.String({
            pattern: '^(short|long)( (short|long)){0,3}$',
            examples: ['short short'],
            description: 'The cadence, such as "short short"; a ring of up to 1.2 s is short.',
          }),
          number: { ...NumberText('The dialled number for this cadence.'), examples: ['+15551230005'] },
        },
        'A ring that belongs to a number.',
      ),
      {
        default: [],
        maxItems: 4,
        description: 'Further numbers of the line, which the exchange marks by the ring cadence. The modem must report it (AT+VDR).',
      },
    ),
    blindDial: Type.Boolean({
      default: false,
      description: 'Whether to dial without waiting for a dial tone, for a line behind an exchange that gives none.',
    }),
    dial: strict(
      {
        prefix: Type.String({
          default: '',
          pattern: '^[0-9*#,W]{0,16}$',
          description: 'Dialled before every number, such as "9," behind an office exchange; a comma waits two seconds, W for a dial tone.',
        }),
        pulse: Type.Boolean({ default: false, description: 'Whether the exchange accepts only pulses, no tones.' }),
        national: Type.Optional(
          Type.String({
            pattern: '^([0-9]{1,3}|none)$',
            description: 'Dialled before national numbers, such as "1" or "0"; none: nothing. Default: as usual in the country.',
          }),
        ),
        localArea: Type.Optional(
          Type.String({
            pattern: '^[0-9]{1,6}( *, *[0-9]{1,6})*$',
            description: 'Area codes whose numbers are dialled without the prefix of national, such as "212" or "212, 646".',
          }),
        ),
      },
      'How numbers are dialled on this line.',
    ),
    faxClass: Choice(['auto', '1', '1.0', '2', '2.0', '2.1'], {
      default: 'auto',
      description: 'Fax class of the modem. auto: 1 where the modem has it, otherwise the newest of 2.1, 2.0 and 2.',
    }),
    carrierSeconds: Type.Integer({
      default: 60,
      minimum: 15,
      maximum: 180,
      description: 'How long the far end may ring and be silent.',
    }),
    setup: Type.Array(Type.String({ pattern: '^[Aa][Tt][!-~]{1,60}$' }), {
      default: [],
      maxItems: 20,
      description: 'Further commands for this modem, such as ATS10=20.',
    }),
  },
  'An analog line on a serial modem.',
)

export type LineConfig = Static<typeof LineSchema>
export type LineDialConfig = LineConfig['dial']
