/** How a provider of texts with an HTTP interface is asked, where it is none of the known ones (drivers/sms-http/template.ts). */
import { Type, type TString } from '@sinclair/typebox'
import { Choice, strict } from './forms.ts'

const Pointer = (description: string): TString =>
  Type.String({ default: '', pattern: '^(/.*)?$', description: `${description}, as a JSON pointer.` })
const NeededPointer = (description: string): TString => Type.String({ pattern: '^/', description: `${description}, as a JSON pointer.` })

const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description })

const Condition = Type.Optional(
  Type.Unsafe<Record<string, string | string[]>>({
    type: 'object',
    propertyNames: { type: 'string', pattern: '^/' },
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description: 'What must hold: by JSON pointer the value, or a list of values.',
  }),
)

const placeholders =
  '{{to}}, {{from}}, {{body}}, {{messageId}}, {{validitySeconds}}, {{account}}, {{secret}}, {{number}}, {{callbackUrl}}, {{since}}'

const request = (method: 'GET' | 'POST') => ({
  method: Choice(['GET', 'POST', 'PUT'], { default: method, description: 'Method of the request.' }),
  path: Type.String({
    pattern: '^/',
    description: `Appended to the provider's address. In all texts of a request stand for values: ${placeholders}.`,
  }),
  headers: Type.Optional(Texts('Headers besides Authorization, Content-Type and Accept.')),
  form: Type.Optional(Texts('Fields of a form as the body. One that is empty is left out.')),
  json: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'The body as JSON. A field that is empty is left out.' })),
})

const Request = (method: 'GET' | 'POST', description: string) => Type.Object(request(method), { additionalProperties: false, description })

const textFields = (id: TString) =>
  Type.Object(
    {
      id,
      from: NeededPointer('The sender'),
      to: Pointer('The recipient'),
      body: NeededPointer('The text'),
      at: Pointer('When the network took the text'),
      kind: Pointer('What kind of message it is, for one without words'),
      media: Type.Optional(
        Type.Object(
          {
            list: Type.Optional({ ...NeededPointer('A list of addresses, or of objects that have one at url'), examples: ['/media'] }),
            url: Pointer('Address of a file; without list {{index}} in it stands for 0, 1, 2 and so on'),
            contentType: Pointer('Its content type, found as url is'),
            count: Pointer('How many files there are'),
          },
          { additionalProperties: false, description: 'Pictures and other files that come with a text.' },
        ),
      ),
      part: Type.Optional(
        Type.Object(
          {
            reference: { ...NeededPointer('Which text it is a part of'), examples: ['/concat-ref'] },
            total: { ...NeededPointer('How many parts it has'), examples: ['/concat-total'] },
            index: { ...NeededPointer('Which one this is, from 1'), examples: ['/concat-part'] },
          },
          { additionalProperties: false, description: 'Of a provider that brings a long text in parts.' },
        ),
      ),
      besides: Type.Optional(
        Type.Record(Type.String({ minLength: 1, maxLength: 40 }), NeededPointer('What is shown'), {
          description: 'What else may come with a text, by its name for people: shown behind the words.',
          examples: [{ place: '/location' }],
        }),
      ),
    },
    { additionalProperties: false, description: 'Where the parts of a text are.' },
  )

const Webhook = Type.Object(
  {
    signature: Type.Object(
      {
        kind: Choice(['hmac-sha256'], { default: 'hmac-sha256', description: 'Kind of the signature.' }),
        header: Type.String({ pattern: '^[A-Za-z0-9-]+$', description: 'Header with the signature of the body.' }),
        prefix: Type.String({ default: '', description: 'What stands before the signature, such as sha256=.' }),
        encoding: Choice(['hex', 'base64'], { default: 'hex', description: 'How the signature is written.' }),
        signs: Type.String({
          default: '{{body}}',
          description: 'What is signed, with {{timestamp}}, {{body}} and {{query}} for values. Requests by GET need {{query}}.',
        }),
        timestampHeader: Type.String({
          default: '',
          pattern: '^[A-Za-z0-9-]*$',
          description: 'Header with the signed time (Unix seconds or milliseconds); more than 300 s of difference are refused.',
        }),
      },
      { additionalProperties: false, description: 'How the provider signs its requests.' },
    ),
    content: Choice(['json', 'form'], { default: 'json', description: 'Form of the requests.' }),
    answer: strict(
      {
        type: Type.String({ default: 'application/json', description: 'Content type.' }),
        body: Type.String({ default: '{}', description: 'The body.' }),
      },
      'What the provider wants to read.',
    ),
    text: Type.Optional(
      Type.Object(
        { when: Condition, fields: textFields(Pointer("The provider's id of the text")) },
        { additionalProperties: false, description: 'A request that brings a text.' },
      ),
    ),
    receipt: Type.Optional(
      Type.Object(
        {
          when: Condition,
          id: NeededPointer("The provider's id of the text"),
          to: Pointer('The recipient'),
          state: NeededPointer('What became of the text'),
          states: Type.Record(Type.String(), Choice(['delivered', 'buffered', 'failed', 'expired']), {
            description: "What the provider's words mean; other words are ignored.",
          }),
          code: Pointer('Code of the error'),
          text: Pointer('Words of the error'),
        },
        { additionalProperties: false, description: 'A request that says what became of a text.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'Requests of the provider to the box.' },
)

export const SmsTemplateSchema = Type.Object(
  {
    auth: Choice(['basic', 'bearer', 'none'], { default: 'bearer', description: 'How account and secret are given.' }),
    send: Request('POST', 'The request that sends a text.'),
    answer: strict(
      {
        id: Pointer("The provider's id of the text"),
        code: Pointer('Code of the error'),
        text: Pointer('Words of the error'),
        accepted: Condition,
      },
      'What the answer to it says.',
    ),
    temporary: strict(
      {
        statuses: Type.Array(Type.Integer({ minimum: 300, maximum: 599 }), {
          default: [401, 402, 408, 425],
          description: 'HTTP statuses.',
        }),
        codes: Type.Array(Type.String(), { default: [], description: 'Codes of errors, as answer.code finds them.' }),
      },
      'Answers worth another attempt, besides 429 and 500 to 599.',
    ),
    lookUp: Type.Optional(
      Type.Object(
        {
          request: Request('GET', 'Asks for the newest texts to {{to}}, newest first.'),
          list: Pointer('The list in the answer'),
          id: NeededPointer("The provider's id of a text"),
          to: NeededPointer('The recipient of a text'),
          body: NeededPointer('The text'),
          at: NeededPointer('When the text was taken'),
          when: Condition,
          next: Pointer('Address of the next page'),
        },
        { additionalProperties: false, description: 'How the provider is asked for a text whose answer was lost.' },
      ),
    ),
    poll: Type.Optional(
      Type.Object(
        {
          request: Request('GET', 'Asks for texts that came since {{since}}.'),
          list: Pointer('The list in the answer'),
          fields: textFields(NeededPointer("The provider's id of a text")),
          when: Condition,
          next: Pointer('Address of the next page'),
        },
        { additionalProperties: false, description: 'How the provider is asked for texts that came.' },
      ),
    ),
    webhook: Type.Optional(Webhook),
  },
  { additionalProperties: false, description: 'How a generic provider is asked.' },
)
