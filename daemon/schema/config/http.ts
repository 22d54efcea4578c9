/** The section `http` of the configuration: the web port; and the files of certificates. */
import { Type } from '@sinclair/typebox'
import { strict } from './forms.ts'

/** The section `provisioning` of the configuration. */
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

export const TlsFilesSchema = strict(
  {
    cert: Type.String({ minLength: 1, description: 'PEM file with the certificate chain.' }),
    key: Type.String({ minLength: 1, description: 'PEM file with the private key.' }),
  },
  'Certificate and key.',
)

export const HttpSchema = strict(
  {
    listen: Type.String({ default: '127.0.0.1:8080', description: 'Address and port of the web port.' }),
    tls: Type.Optional(TlsFilesSchema),
    redirect: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Address and port where plain http answers with the way to https, and with the certificate of the box’s authority; off: none. Default: port 80 of the address in listen, if there is tls.',
        examples: ['0.0.0.0:80'],
      }),
    ),
    names: Type.Array(Type.String({ pattern: '^[A-Za-z0-9.-]{1,253}$' }), {
      default: [],
      description:
        'Further names of this box, such as pbx.clinic.example, in addition to its host name and provisioning.server. Pages without a token are served only under these names and under addresses.',
    }),
    trustedProxies: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Addresses and networks (192.0.2.8/29) of trusted proxies. Their X-Forwarded-For (else Forwarded) names the client, X-Forwarded-Proto its protocol. The box ignores these headers from others.',
    }),
  },
  'The web port.',
)
