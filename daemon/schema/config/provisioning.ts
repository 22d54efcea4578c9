/** The section `provisioning` of the configuration. */
import { Type } from '@sinclair/typebox'
import { strict } from './forms.ts'

export const ProvisioningSchema = strict(
  {
    server: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9:.-]{1,253}$',
        examples: ['pbx.clinic.example'],
        description:
          'Name or address by which phones reach this box, for their settings and for SIP. Default: the name with which they fetched their settings.',
      }),
    ),
  },
  'Phones that fetch their settings: see docs/provisioning.md.',
)
