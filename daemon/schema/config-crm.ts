/** The section `crm` of the configuration: the software that knows the customers, and calls this box. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { SigningSecret } from './config-forms.ts'

/** Keys beside these are of later versions: they are accepted with a warning, so that one file serves several versions. */
export const CrmSchema = Type.Object(
  {
    secret: SigningSecret('Signs what the CRM and this box send each other; without one no signature is taken.', ''),
    nextSecret: Type.Optional(SigningSecret('The coming secret, during a rotation: both are taken.')),
    auth: Choice(['signed', 'signed+bearer', 'bearer'], {
      default: 'signed',
      description:
        'What a request to /api/pbx needs. signed: a signature or a token of the scope crm. signed+bearer: both. bearer: a token; signatures are not looked at.',
    }),
    allow: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Addresses and networks (10.0.0.0/8) from which signed requests may come; all where it is empty.',
    }),
  },
  { default: {}, description: 'The CRM, or the medical record.' },
)
