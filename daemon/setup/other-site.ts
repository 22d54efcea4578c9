/** What a first set-up asks of another site with a box of its own: how it is reached, which numbers its phones have, and the password of both. */
import { Type, type Static } from '@sinclair/typebox'
import { isInRange, rangePattern } from '../schema/config/sites.ts'

/** Of the file of answers; it may be missing. */
export const otherSiteAnswers = {
  otherSite: Type.Optional(
    Type.Object(
      {
        id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$', description: 'A short name in small letters, such as north.' }),
        server: Type.String({ minLength: 1, maxLength: 200, description: 'Address of its box, such as 10.20.0.10:5061.' }),
        transport: Type.Optional(Type.Union([Type.Literal('udp'), Type.Literal('tcp'), Type.Literal('tls')])),
        caFile: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        extensions: Type.String({ pattern: rangePattern, description: 'Numbers of its phones, x for any digit, such as 2xx.' }),
        number: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{4,14}$', description: 'As +15550002000, in quotes.' })),
        password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      },
      { additionalProperties: false },
    ),
  ),
}
const OtherSiteAnswers = Type.Object(otherSiteAnswers)
export type OtherSiteAnswers = Static<typeof OtherSiteAnswers>

/** What the schema cannot say, each a sentence. `draft`: the password may be missing yet. */
export function* otherSiteFaults(answers: OtherSiteAnswers, draft: boolean): Iterable<string> {
  const { otherSite } = answers
  if (otherSite === undefined) return
  if (otherSite.password === undefined && !draft) yield 'otherSite.password: both boxes need the same password'
  if (otherSite.caFile !== undefined && (otherSite.transport ?? 'tls') !== 'tls')
    yield 'otherSite.caFile: only transport tls has a certificate'
  const { extensions = [] } = answers as { readonly extensions?: readonly { readonly number: string }[] }
  const both = extensions.find(({ number }) => isInRange(number, otherSite.extensions))
  if (both !== undefined) yield `otherSite.extensions: ${both.number} is a phone of this site; the numbers of both sites must differ`
}

/** The section of the configuration that the answers mean. */
export function otherSiteSections({ otherSite }: OtherSiteAnswers): object {
  if (otherSite === undefined) return {}
  const { id, server, transport = 'tls', caFile, extensions, number, password } = otherSite
  return {
    sites: [
      {
        ...{ id, server, transport },
        ...(caFile === undefined ? {} : { caFile }),
        ...{ password, extensions },
        ...(number === undefined ? {} : { number }),
      },
    ],
  }
}
