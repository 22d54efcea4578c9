/** The sections `fax` and `inbox` of the configuration. */
import { Type } from '@sinclair/typebox'
import { live, NumberText, strict } from './forms.ts'
import { NotifySchema } from './notify.ts'

export const FaxSchema = strict(
  {
    stationId: Type.Optional(
      Type.String({
        pattern: '^[+0-9][+0-9 ]{0,19}$',
        description: 'Identification that fax machines show: digits and spaces. Default: our number.',
      }),
    ),
    number: Type.Optional(NumberText('Caller number of faxes through trunks; by default the first number of the trunk.')),
    header: Type.Optional(
      Type.String({ minLength: 1, maxLength: 50, description: 'Sender in the header line of each page; by default the name of the site.' }),
    ),
    confidentiality: Type.String({ default: '', maxLength: 1000, description: 'Text at the foot of the cover page.' }),
    line: Type.String({
      default: 'auto',
      minLength: 1,
      description: 'Line or trunk for faxes; auto: any, lines before trunks; off: none.',
    }),
    notify: live(
      NotifySchema(
        'each fax',
        'Who is notified of a fax that came in, where no notify of a rule of inbound says otherwise.',
        'the fax (PDF)',
      ),
    ),
    ecm: Type.Boolean({ default: true, description: 'Error correction. Without it a damaged page may count as good.' }),
    v17: Type.Boolean({ default: true, description: 'Whether 14,400 bit/s is tried (V.17); otherwise 9,600.' }),
    windowHours: Type.Number({ default: 3, minimum: 0.05, maximum: 72, description: 'How long the box tries to send a fax.' }),
    ringSeconds: Type.Integer({ default: 60, minimum: 15, maximum: 180, description: 'How long the far end may ring.' }),
    calls: Type.Integer({ default: 8, minimum: 1, maximum: 100, description: 'Faxes that are sent at once.' }),
    keepFree: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 100,
      description: 'Channels of a trunk that outgoing faxes leave free, if it has more than one.',
    }),
    queue: Type.Integer({ default: 500, minimum: 1, maximum: 10_000, description: 'Faxes that may wait.' }),
    pages: Type.Integer({ default: 200, minimum: 1, maximum: 200, description: 'Pages of a fax, with the cover page.' }),
    pdfMegabytes: Type.Integer({ default: 20, minimum: 1, maximum: 20, description: 'Largest PDF, in MiB.' }),
    keepDays: Type.Integer({ default: 30, minimum: 1, maximum: 3650, description: 'How long the PDF of a sent fax is kept.' }),
    rowDays: Type.Integer({ default: 90, minimum: 1, maximum: 3650, description: 'How long the state of a sent fax is kept.' }),
    freeMegabytes: Type.Integer({
      default: 500,
      minimum: 50,
      maximum: 1_000_000,
      description: 'With less space on the disk, fax calls are not answered.',
    }),
  },
  'Faxes.',
)

export const InboxSchema = strict(
  { days: Type.Integer({ default: 90, minimum: 1, maximum: 3650, description: 'How long received items are kept.' }) },
  'Received faxes, text messages and voicemail.',
)
