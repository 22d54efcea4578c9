/** What becomes of calls to an extension: keys of the section `extensions` of the configuration. */
import { Type } from '@sinclair/typebox'
import { Id, NumberText } from './forms.ts'
import { notifyMissed } from './notify.ts'
import { ClassOfServiceSchema } from './pbx-outbound.ts'
import { RecordPolicySchema } from './pbx-recording.ts'
import type { Config } from '../config.ts'

// In which language the house speaks to the people of a phone.

/** BCP 47, the best first: its own where it names one, and that of the site. */
export function languagesOf({ site, extensions }: Pick<Config, 'site' | 'extensions'>, extension: string): readonly string[] {
  const own = extensions.find(({ number }) => number === extension)?.language
  return own === undefined ? [site.language] : [own, site.language]
}

const Onwards = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

export const extensionLife = {
  class: ClassOfServiceSchema('Which outside numbers its phones may call; each class includes the earlier ones.'),
  callerId: Type.Optional(
    NumberText('Caller number for outside calls, through a trunk that has it. Default: the first number of the trunk.'),
  ),
  userId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      examples: ['u_17'],
      description: 'User of the CRM or the medical record at this phone. Default: the number of the extension.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      examples: ['es-US'],
      description: 'Language of codes and mailboxes at its phones, BCP 47. Default: that of the site.',
    }),
  ),
  phones: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 8,
    description: 'How many of its phones may be registered at once, and ring. A further one replaces the oldest.',
  }),
  pickupGroup: Type.Optional(Id('Phones of the same group take each other’s calls with *8.')),
  ringSeconds: Type.Integer({
    default: 25,
    minimum: 5,
    maximum: 120,
    description: 'How long its phones ring by default.',
  }),
  callWaiting: Type.Boolean({
    default: true,
    description: 'Whether a further call rings during a call. false: it is busy.',
  }),
  record: RecordPolicySchema('Which of its conversations are recorded: calls to it, calls from it, all, or none.'),
  notifyMissed,
  onBusy: Onwards('Where a call goes when the extension is busy or declines: a destination.'),
  onNoAnswer: Onwards('Where an unanswered call goes.'),
  onUnreachable: Onwards('Where a call goes while no phone of the extension is registered.'),
}
