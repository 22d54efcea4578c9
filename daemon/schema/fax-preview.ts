/** Requests and answers of what comes before a fax is sent, and after it failed. */
import { Type } from '@sinclair/typebox'
import { CoverSchema, examplePdf, PortfolioSchema } from './fax.ts'
import { named, type View } from './named.ts'
import { NullableTimeSchema, TimeSchema } from './voice-call.ts'

export const FaxPreviewRequestSchema = named(
  'FaxPreviewRequest',
  Type.Object(
    {
      pdfBase64: Type.Optional(Type.String({ description: 'The PDF, Base64; at most 20 MiB and 200 pages.' })),
      previewId: Type.Optional(Type.String({ maxLength: 64, description: 'In place of pdfBase64: the document of this preview again.' })),
      to: Type.Optional(Type.String({ maxLength: 64, description: 'Destination, which stands on the cover.' })),
      cover: Type.Optional(CoverSchema),
      portfolio: PortfolioSchema,
    },
    {
      description: 'A fax to look at; or the PDF itself, with the content type application/pdf. Unknown members are ignored.',
      examples: [{ to: '+15551230001', pdfBase64: examplePdf, cover: { subject: 'Referral' } }],
    },
  ),
)

export const FaxPreviewSchema = named(
  'FaxPreview',
  Type.Object({
    previewId: Type.String({ format: 'uuid' }),
    pages: Type.Integer({ description: 'With the cover page.' }),
    warnings: Type.Array(Type.String(), { description: 'Sentences about what is not sent as it is in the PDF.' }),
    estimatedSeconds: Type.Integer({ description: 'How long the pages take on the line.' }),
    expiresAt: TimeSchema,
    to: Type.String({ description: 'The number on the cover, as it is dialled; empty where none was given.' }),
    cover: Type.Union([CoverSchema, Type.Null()]),
  }),
)
export type FaxPreviewView = View<typeof FaxPreviewSchema>

export const faxPreviewExample: FaxPreviewView = {
  previewId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
  pages: 3,
  warnings: [],
  estimatedSeconds: 48,
  expiresAt: '2026-03-02T15:05:11.000Z',
  to: '+15551230001',
  cover: { subject: 'Referral' },
}

export const FaxAgainSchema = named(
  'FaxAgainRequest',
  Type.Object(
    {
      to: Type.Optional(Type.String({ maxLength: 64, description: 'The corrected number; without it the same number again.' })),
      toAgain: Type.Optional(Type.String({ maxLength: 64, description: 'The corrected number typed a second time, as of a fax.' })),
    },
    { additionalProperties: false, examples: [{ to: '+15551230002' }] },
  ),
)

export const FaxNumberSchema = named(
  'FaxNumber',
  Type.Object({
    number: Type.String({ description: 'As it is dialled.' }),
    answers: Type.Integer({ description: 'Times that a fax machine answered there; after none a person has to type the number twice.' }),
    answeredAt: NullableTimeSchema,
    remoteStationId: Type.String({ description: 'What the machine called itself; empty where it did not.' }),
    warning: Type.String({ description: 'Of a number that the numbering plan does not have; empty for none.' }),
  }),
)
export type FaxNumberView = View<typeof FaxNumberSchema>
