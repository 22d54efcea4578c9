/** The section `crm` of the configuration: the software that knows the customers, and calls this box. */
import { Type } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { Secret, SigningSecret } from './forms.ts'

/** Other keys belong to later versions: they are accepted with a warning, so that one file serves several versions. */
export const CrmSchema = Type.Object(
  {
    baseUrl: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Address of the CRM, such as https://crm.lan. Without it nothing is sent to a CRM.',
        examples: ['https://crm.lan'],
      }),
    ),
    token: Secret('Sent to the CRM as Authorization: Bearer; empty: none.', ''),
    tls: Type.Object(
      {
        ca: Type.Optional(
          Type.String({
            minLength: 1,
            description: 'PEM file with the private authority of the CRM’s certificate.',
            examples: ['/etc/pbxd/crm-ca.pem'],
          }),
        ),
        insecure: Type.Boolean({
          default: false,
          description: 'Whether the certificate of the CRM is ignored; causes a permanent warning.',
        }),
      },
      { default: {}, additionalProperties: false, description: 'Of connections to the CRM.' },
    ),
    maxRequestsPerSecond: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description: 'Rate of waiting records after an outage; look-ups are not counted.',
    }),
    secret: SigningSecret('Signs requests between the CRM and this box; without it no signature is accepted.', ''),
    nextSecret: Type.Optional(SigningSecret('The coming secret, during a rotation: both are accepted.')),
    auth: Choice(['signed', 'signed+bearer', 'bearer'], {
      default: 'signed',
      description:
        'What a request to /api/pbx needs. signed: a signature or a token of the scope crm. signed+bearer: both. bearer: a token; signatures are ignored.',
    }),
    allow: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Addresses and networks (10.0.0.0/8) from which signed requests may come; empty: all.',
    }),
  },
  { default: {}, description: 'The CRM, or the medical record.' },
)
