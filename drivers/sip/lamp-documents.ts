/** What the lamps of phones are told: dialog-info (RFC 4235) and simple-message-summary (RFC 3842), always the whole state. */
import type { MessageCounts, WatchedDialog } from '../pbx.ts'

/** What phones keep of a lamp; the engine sends no document above 6000 bytes. */
const mostDialogs = 8

/** `entity`: who is watched, as a SIP URI. `version` grows by one from document to document of a subscription. */
export function dialogInfo(entity: string, version: number, dialogs: readonly WatchedDialog[]): string {
  const list = dialogs.slice(0, mostDialogs).map((dialog) => {
    const ids = [
      ['call-id', dialog.callId],
      ['local-tag', dialog.localTag],
      ['remote-tag', dialog.remoteTag],
      ['direction', dialog.direction],
    ].flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(value)}"`]))
    const { remote } = dialog
    const party =
      remote === undefined ? '' : `<remote><identity display-name="${escaped(remote.name)}">${escaped(remote.uri)}</identity></remote>`
    return `<dialog id="${escaped(dialog.id)}"${ids.join('')}><state>${dialog.state}</state>${party}</dialog>`
  })
  const attributes = `xmlns="urn:ietf:params:xml:ns:dialog-info" version="${version}" state="full" entity="${escaped(entity)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<dialog-info ${attributes}>${list.join('')}</dialog-info>\n`
}

/** `account`: the mailbox, as a SIP URI. */
export function messageSummary(account: string, { fresh, old, urgentFresh = 0, urgentOld = 0 }: MessageCounts): string {
  const count = (value: number): number => Math.min(Math.max(0, Math.trunc(value)), 999_999)
  return [
    `Messages-Waiting: ${fresh + urgentFresh > 0 ? 'yes' : 'no'}`,
    `Message-Account: ${account}`,
    `Voice-Message: ${count(fresh)}/${count(old)} (${count(urgentFresh)}/${count(urgentOld)})`,
    '',
  ].join('\r\n')
}

/** Also what XML cannot hold at all goes. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .slice(0, 256)
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
