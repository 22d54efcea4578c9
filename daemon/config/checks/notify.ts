/** Whoever is to be notified can be reached, and no setting of a notice does nothing; wherever the configuration names people. */
import { addressees } from '../../base/notice-ways.ts'
import type { Config } from '../../schema/config.ts'
import { notifyByMail } from './mail.ts'
import type { MeaningContext } from '../meaning.ts'
import { notifyByText } from './sms.ts'
import type { Path } from '../source.ts'

/** Of one way by which people are notified. */
export interface NotifyCheck {
  /** What is wrong with an address. */
  fault(to: string, config: Config): string | undefined
  /** What the configuration lacks for anything to be sent. */
  lacks(config: Config): string | undefined
}

type Notify = Readonly<Record<string, unknown>>

/** By their keys under `notify`. */
const notifyChecks: Readonly<Record<string, NotifyCheck>> = { mail: notifyByMail, sms: notifyByText }

export function checkNotify(path: Path, notify: Notify, config: Config, context: MeaningContext): void {
  for (const [way, check] of Object.entries(notifyChecks)) {
    const named = addressees({ [way]: notify[way] })
    const faults = named.map(({ to }) => check.fault(to, config))
    faults.forEach((fault, at) => {
      if (fault !== undefined) context.fault(Array.isArray(notify[way]) ? [...path, way, at] : [...path, way], fault)
    })
    const lacks = named.length === 0 ? undefined : check.lacks(config)
    if (lacks !== undefined && faults.every((fault) => fault === undefined)) context.warning([...path, way], lacks)
  }
}

interface Named {
  readonly path: Path
  readonly key: 'notify' | 'notifyMissed'
  readonly notify: Notify | undefined
  /** A further setting of what the mail holds. */
  readonly content?: { readonly key: string; readonly on: boolean }
}

export function checkNotices(config: Config, context: MeaningContext): void {
  for (const { path, key, notify, content } of named(config)) {
    if (notify?.['mail'] === undefined) {
      if (notify?.['attach'] === true) context.warning([...path, key, 'attach'], 'nothing is attached without notify.mail')
      if (content?.on === true) context.warning([...path, content.key], 'no mail is sent without notify.mail')
    }
    checkNotify([...path, key], notify ?? {}, config, context)
  }
}

function named({ mailboxes, inbound, fax, sms, extensions, ringGroups, queues }: Config): Named[] {
  const missed = (section: string, all: readonly { readonly notifyMissed?: Notify }[]): Named[] =>
    all.map(({ notifyMissed: notify }, index) => ({ path: [section, index], key: 'notifyMissed', notify }))
  return [
    ...mailboxes.map(({ notify, transcriptInMail }, index): Named => ({
      path: ['mailboxes', index],
      key: 'notify',
      notify,
      content: { key: 'transcriptInMail', on: transcriptInMail },
    })),
    ...inbound.map(({ notify }, index): Named => ({ path: ['inbound', index], key: 'notify', notify })),
    { path: ['fax'], key: 'notify', notify: fax.notify },
    { path: ['sms'], key: 'notify', notify: sms.notify },
    ...sms.trunks.map(({ notify, textInMail }, index): Named => ({
      path: ['sms', 'trunks', index],
      key: 'notify',
      notify,
      content: { key: 'textInMail', on: textInMail && (sms.notify?.mail === undefined || addressees(notify ?? {}).length > 0) },
    })),
    ...missed('extensions', extensions),
    ...missed('ringGroups', ringGroups),
    ...missed('queues', queues),
  ]
}
