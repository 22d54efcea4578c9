/** The documents for the lamps of phones: dialog-info (RFC 4235) and simple-message-summary (RFC 3842), always the whole state. */
import type { MessageCounts, WatchedDialog } from '../pbx.ts'

/** What phones keep of a lamp; the engine sends no document above 6000 bytes. */
export const mostDialogs = 8

/**
 * `entity`: the watched extension, as a SIP URI; `idle`: the name of a dialog for an extension that has none. `version` grows by one from
 * document to document of a subscription. `gone`: dialogs that were shown before and have ended. Many phones switch a lamp off only by a
 * terminated dialog (Yealink, Snom, Grandstream), so a document without any dialog is never sent; live dialogs come last, for phones that
 * go by the last one.
 */
export function dialogInfo(
  { entity, idle }: { readonly entity: string; readonly idle: string },
  version: number,
  dialogs: readonly WatchedDialog[],
  gone: readonly string[] = [],
): string {
  const over = dialogs.length === 0 && gone.length === 0 ? [idle] : gone
  const ended = over.map((id) => `<dialog id="${escaped(id)}"><state>terminated</state></dialog>`)
  const attributes = `xmlns="urn:ietf:params:xml:ns:dialog-info" version="${version}" state="full" entity="${escaped(entity)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<dialog-info ${attributes}>${[...ended, ...dialogs.map(written)].join('')}</dialog-info>\n`
}

/** The ids in such a document of dialogs that have not ended. */
export function shownIn(document: string): string[] {
  return [...document.matchAll(/<dialog id="([^"]*)"[^>]*><state>(\w+)/g)].flatMap(([, id = '', state]) =>
    state === 'terminated' ? [] : plain(id),
  )
}

function written(dialog: WatchedDialog): string {
  const ids = [
    ['call-id', dialog.callId],
    ['local-tag', dialog.localTag],
    ['remote-tag', dialog.remoteTag],
    ['direction', dialog.direction],
  ].flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(value)}"`]))
  const { remote } = dialog
  // RFC 4235 has "display" in section 4.1.6.1 and "display-name" in its schema; phones read the first.
  const party = remote === undefined ? '' : `<remote><identity display="${escaped(remote.name)}">${escaped(remote.uri)}</identity></remote>`
  return `<dialog id="${escaped(dialog.id)}"${ids.join('')}><state>${dialog.state}</state>${party}</dialog>`
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

function plain(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}
