/** What people are notified of, as the configuration names them: voicemail of a mailbox, faxes, texts, and calls that nobody took. */
import type { FeedName, Inbox } from '../inbox/inbox.ts'
import { endingOf } from '../inbox/text-media.ts'
import { addressees } from '../base/notice-ways.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { ruleOfReceived } from '../routing/dial-plan.ts'
import type { Config } from '../schema/config.ts'
import { mailboxOf } from '../schema/config/mailboxes.ts'
import type { InboxSmsRow, NoticeKind } from '../store/tables.ts'
import type { Matter, Subject } from './notices.ts'
import { faxWords, missedWords, textWords, voicemailWords, type MissedFacts, type NoticeSetting, type NoticeText } from './words.ts'
import { parseDestination } from '../schema/destination.ts'

/** Extensions, groups and queues as people know them, and whom they notify of a call that nobody took. */
export type Places = Pick<Config, 'extensions' | 'ringGroups' | 'queues'>

interface Party {
  readonly name: string
  readonly notify: Readonly<Record<string, unknown>>
}

/** `Front desk (101)`, or the number alone. */
function extensionName({ extensions }: Pick<Config, 'extensions'>, number: string): string {
  const name = extensions.find((extension) => extension.number === number)?.name ?? ''
  return name === '' ? number : `${name} (${number})`
}

/** `place`: the number of an extension, `group:ID` or `queue:ID`. undefined: nobody is notified for it. */
export function partyOf(config: Places, place: string): Party | undefined {
  const destination = parseDestination(place)
  if (destination?.kind === 'extension') {
    const notify = config.extensions.find(({ number }) => number === destination.number)?.notifyMissed
    return notify === undefined ? undefined : { name: extensionName(config, destination.number), notify }
  }
  if (destination?.kind !== 'group' && destination?.kind !== 'queue') return undefined
  const found = (destination.kind === 'group' ? config.ringGroups : config.queues).find(({ id }) => id === destination.id)
  return found?.notifyMissed === undefined ? undefined : { name: found.name === '' ? found.id : found.name, notify: found.notifyMissed }
}

export interface SubjectsOptions {
  readonly config: Config
  readonly inbox: Pick<Inbox, 'media' | 'textMedia' | 'voicemails' | 'faxes' | 'sms'>
}

type Notify = NonNullable<Config['fax']['notify']>
type Setting = Pick<NoticeSetting, 'for' | 'content'>

/** A busy hour is a few mails, and none of them late by more than this. */
const gatherMs = 600_000

/** A rule or a trunk that names nobody leaves it to the house. */
function ownOr(own: Notify | undefined, house: Notify | undefined): Notify {
  return own !== undefined && addressees(own).length > 0 ? own : (house ?? { attach: false })
}

export function subjectsOf({ config, inbox }: SubjectsOptions): Readonly<Record<NoticeKind, Subject>> {
  const saying =
    ({ for: who, content }: Setting, words: (setting: NoticeSetting) => NoticeText) =>
    (tooLarge: boolean): NoticeText => {
      const { language, timeZone } = config.site
      return words({ language, timeZone, for: who, content, tooLarge })
    }
  const fileOf = (feed: FeedName, id: string, receivedAt: number, kind: string, ending: string): Pick<Matter, 'file'> => {
    const media = inbox.media(feed, id)
    if (media === undefined || media === 'purged') return {}
    const time = new Date(receivedAt).toISOString().slice(0, 19).replaceAll(':', '-')
    return { file: { path: media.file, name: `${kind}-${time}Z${ending}` } }
  }
  /** The first of a text; a mail has one attachment. */
  const pictureOf = (item: InboxSmsRow, wanted: boolean): Pick<Matter, 'file' | 'coming'> => {
    const [first] = wanted ? inbox.textMedia.of(item) : []
    if (first === undefined) return {}
    if (first.state === 'fetching') return { coming: true }
    return fileOf('sms', first.id, item.receivedAt, 'picture', `.${endingOf(first.contentType)}`)
  }
  /** Also where nobody waits for it any longer. */
  const isLost = (item: InboxSmsRow): boolean =>
    inbox.textMedia
      .of(item)
      .slice(0, 1)
      .some(({ state }) => state !== 'stored')
  const e164 = (number: string): string | null => normaliseNumber(number, config.site.country).e164
  return {
    voicemail: {
      matter([{ id }]) {
        const item = inbox.voicemails.find((candidate) => candidate.id === id)?.item
        const box = item === undefined ? undefined : mailboxOf(config, item.ext)
        if (item === undefined || box === undefined) return undefined
        const setting = { for: extensionName(config, box.ext), content: box.transcriptInMail }
        return {
          notify: box.notify ?? {},
          ...fileOf('voicemails', item.id, item.receivedAt, 'voicemail', '.wav'),
          say: saying(setting, (all) => voicemailWords(item, all)),
        }
      },
    },
    fax: {
      matter([{ id }]) {
        const item = inbox.faxes.find((candidate) => candidate.id === id)?.item
        if (item === undefined) return undefined
        const notify = ownOr(ruleOfReceived(config, item)?.notify, config.fax.notify)
        const setting = { for: item.to, content: false }
        return { notify, ...fileOf('faxes', item.id, item.receivedAt, 'fax', '.pdf'), say: saying(setting, (all) => faxWords(item, all)) }
      },
    },
    text: {
      matter([{ id }]) {
        const item = inbox.sms.find((candidate) => candidate.id === id)?.item
        const trunk = item === undefined ? undefined : config.sms.trunks.find((candidate) => candidate.id === item.trunkId)
        if (item === undefined || trunk === undefined) return undefined
        const notify = ownOr(trunk.notify, config.sms.notify)
        const setting = { for: item.to === '' ? trunk.id : item.to, content: trunk.textInMail }
        return {
          notify,
          ...pictureOf(item, notify.attach),
          // Two machines that notify each other of their notices would not end.
          ...(notify.sms !== undefined && e164(notify.sms) === item.from ? { never: notify.sms } : {}),
          say: saying(setting, (all) => textWords({ ...item, pictureLost: notify.attach && isLost(item) }, all)),
        }
      },
    },
    missed: {
      gatherMs,
      matter(rows) {
        const party = partyOf(config, rows[0].row.place)
        const calls = rows.flatMap(({ row }): MissedFacts[] => (row.call === undefined ? [] : [row.call]))
        if (party === undefined || calls.length === 0) return undefined
        const setting = { for: party.name, content: false }
        return { notify: party.notify, say: saying(setting, (all) => missedWords(calls, all)) }
      },
    },
  }
}
