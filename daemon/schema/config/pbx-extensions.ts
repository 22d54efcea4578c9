/** What becomes of calls to an extension: keys of the section `extensions` of the configuration. */
import { Type } from '@sinclair/typebox'
import { Id, NumberText } from './forms.ts'
import { notifyMissed } from './notify.ts'
import { ClassOfServiceSchema } from './pbx-outbound.ts'
import { RecordPolicySchema } from './pbx-recording.ts'

const Onwards = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

export const extensionLife = {
  class: ClassOfServiceSchema('Which numbers outside its phones may call: local, national and international include those before them.'),
  callerId: Type.Optional(
    NumberText('The number that called people outside see, through a trunk that has it; by default the first of the trunk.'),
  ),
  userId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      examples: ['u_17'],
      description: 'User of the CRM or the medical record whose phone it is; by default the number of the extension.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      examples: ['es-US'],
      description: 'In which language codes and mailboxes speak to its phones, BCP 47; by default that of the site.',
    }),
  ),
  phones: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 8,
    description: 'How many of its phones may be registered at once, and ring; the one that registered longest ago gives way.',
  }),
  pickupGroup: Type.Optional(Id('Phones of the same group take each other’s calls with *8.')),
  ringSeconds: Type.Integer({
    default: 25,
    minimum: 5,
    maximum: 120,
    description: 'How long its phones ring, unless an order says otherwise.',
  }),
  callWaiting: Type.Boolean({
    default: true,
    description: 'Whether a further call rings while its phone is in one; false: the caller finds it busy.',
  }),
  record: RecordPolicySchema('Which of its talks are recorded: those to it, those its phones begin, all, or none.'),
  notifyMissed,
  onBusy: Onwards('Where a call goes that finds it busy or is declined: a destination.'),
  onNoAnswer: Onwards('Where a call goes that nobody answers.'),
  onUnreachable: Onwards('Where a call goes while no phone of the extension is there.'),
}
